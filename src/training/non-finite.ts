/**
 * Detects trainings whose numbers are no longer finite, from which none recovers: in diagnostics, parameters and actions.
 * The error says when it was noticed and which smaller step sizes to try.
 */
import type { Learner } from '../algorithms/index.js';
import { EnvFault } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import type { Plan, Progress } from './definition.js';

/** A training whose losses, parameters or actions are no longer finite. */
export class NonFiniteError extends Error {
  override readonly name = 'NonFiniteError';

  constructor(
    /** Such as `criticLoss`. */
    readonly quantity: string,
    readonly value: number,
    /** When it was noticed. */
    readonly at?: Progress,
    advice = '',
  ) {
    const when =
      at === undefined ? '' : ` after ${at.envSteps} environment steps and ${at.gradientSteps} gradient steps`;
    super(`${quantity} is ${value}${when}, so nothing more can be learned${advice}.`);
  }

  /** The same error with when it happened and what to try, which are not known where it is noticed. */
  after(at: Progress, advice: string): NonFiniteError {
    return this.at === undefined ? new NonFiniteError(this.quantity, this.value, at, advice) : this;
  }
}

/** What to try: the default of every step size that is above it, and a tenth of the others. */
export function adviceFor({ algorithm: { fields }, config }: Pick<Plan, 'algorithm' | 'config'>): string {
  const rates = Object.entries(config).filter(
    (entry): entry is [string, number] => /^(?:l|\w+L)earningRate$/.test(entry[0]) && typeof entry[1] === 'number',
  );
  // That one is a share of the others.
  const stepSizes = rates.filter(([name]) => name !== 'finalLearningRate');
  if (stepSizes.length === 0) return '';
  const smaller = stepSizes.map(([name, rate]) => {
    const usual = fields[name].default as number;
    return `${name}=${rate > usual ? usual : Number((rate / 10).toPrecision(3))}`;
  });
  return `; train anew with smaller steps, such as ${smaller.join(' and ')}`;
}

/** Throws a NonFiniteError unless all diagnostics of the last updates are finite. */
export function checkDiagnostics(learner: Learner): void {
  for (const [name, values] of Object.entries(learner.diagnostics())) checkNumbers(name, values);
}

/** Throws a NonFiniteError unless all parameters of the policy are finite. */
export async function checkLearned({ state, policy }: Learner): Promise<void> {
  for (const name of policy) checkNumbers(`parameter ${name}`, await state.read(name));
}

export function checkNumbers(quantity: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw new NonFiniteError(quantity, values[i]);
  }
}

/** The cause of an error of a pool: an action that is no number is the fault of the policy, not of the environment. */
export function faultOf(error: unknown, { actions, shape }: EnvPool): unknown {
  if (!(error instanceof EnvFault)) return error;
  const { env, row, step, preference } = error;
  const value = actions
    .subarray(row * shape.action, (row + 1) * shape.action)
    .find((action) => !Number.isFinite(action));
  if (value === undefined) return error;
  const where = preference === undefined ? '' : ` at preference [${Array.from(preference).join(', ')}]`;
  return new NonFiniteError(`an action for ${env} at step ${step} of an episode${where}`, value);
}

/** Waits for a step; an environment that fails is named with the preference it was played at. */
export async function finishStep(pool: EnvPool, preferences: Float32Array): Promise<void> {
  try {
    await pool.finish();
  } catch (error) {
    if (!(error instanceof EnvFault)) throw error;
    const { objectives } = pool.shape;
    const preference = preferences.subarray(error.row * objectives, (error.row + 1) * objectives);
    // Rounded to what was drawn: float32 holds 0.1 as 0.10000000149.
    throw faultOf(error.at(Array.from(preference, (weight) => Number(weight.toPrecision(6)))), pool);
  }
}
