/** Trains without a disk: the files of the run are handed over as they are made. */
import { train } from '../training/index.js';
import type { TrainingEvents, TrainingPlan } from '../training/index.js';
import { RunFiles } from './run-files.js';
import type { Finished } from './run-files.js';

export interface InMemoryOptions {
  readonly events?: TrainingEvents;
  /** Of what runs the training, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Is given each file of the run, several times where it grows; result.json comes last. */
  readonly put: (name: string, content: string | Uint8Array) => void;
}

/**
 * Trains one replica, as trainRun does, and hands over what that writes, but for checkpoints and PNGs. Rejects with a
 * StoppedError where it is stopped before there is a policy.
 */
export async function trainInMemory(
  plan: TrainingPlan,
  { events = {}, versions, put }: InMemoryOptions,
): Promise<Finished['result']> {
  if (plan.replicas !== 1) throw new RangeError(`replicas is ${plan.replicas}, but must be 1 where there is no disk.`);
  const run = new HandedOver(plan, versions, put);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const trained = await train(plan, {
    ...events,
    started: () => {
      run.begin();
      events.started?.();
    },
    evaluated: (evaluated) => {
      run.record(evaluated, seconds());
      events.evaluated?.(evaluated);
    },
    logged: (logged) => {
      run.log(logged, seconds());
      events.logged?.(logged);
    },
  });
  const { learner, sets, last, results, envSteps, gradientSteps, evaluationSteps, stopped } = trained;
  const policies = { learner, set: sets?.[0], ...(last !== undefined && { last: last[0] }) };
  const counts = { envSteps, gradientSteps, evaluationSteps: evaluationSteps[0] };
  const { result } = await run.finish(policies, results[0], { ...counts, seconds: seconds(), machine: null, stopped });
  await learner.dispose();
  return result;
}

class HandedOver extends RunFiles {
  constructor(
    plan: TrainingPlan,
    private readonly versions: Readonly<Record<string, string>>,
    protected override readonly write: (name: string, content: string | Uint8Array) => void,
  ) {
    super(plan, 1);
  }

  begin(): void {
    this.writeConfig({ versions: this.versions });
  }
}
