import type { OffPolicyLearner } from '../../src/algorithms/index.js';
import type { TrainingPlan } from '../../src/training/index.js';

/** What the host does in an iteration of a training with replay, in this order. */
const PHASES = [
  'asking for actions',
  'sending transitions',
  'drawing batches',
  'recording updates',
  'waiting for actions',
  'stepping environments',
] as const;
type Phase = (typeof PHASES)[number];

/**
 * Where the time of a training goes, seen from the calls that its learner gets: observe, act, follow, learn (several
 * times). The actions arrive somewhere in between; environments that step while updates are asked for take no time.
 */
export class Stopwatch {
  /** Milliseconds of all iterations. */
  readonly ms: Readonly<Record<Phase, number>> = Object.fromEntries(PHASES.map((name) => [name, 0])) as never;
  iterations = 0;
  evaluations = 0;
  private evaluating = 0;
  private since = 0;
  /** What is being done; undefined between iterations, such as in evaluations. */
  private phase: Phase | undefined;
  /** Whether updates have begun; what comes before is not measured. */
  private isLearning = false;
  /** Updates that this iteration still has to make, and whether its actions have arrived. */
  private updatesLeft = 0;
  private hasActions = false;

  /** Of one evaluation of all replicas, with checkpoints that fall between iterations. */
  get evaluationMs(): number {
    return this.evaluating / Math.max(1, this.evaluations);
  }

  /** The same plan with a learner that is watched. */
  watching(plan: TrainingPlan): TrainingPlan {
    const { algorithm } = plan;
    if (algorithm.kind !== 'off-policy') {
      throw new RangeError(`${algorithm.name} has no replay; only such are watched.`);
    }
    const { children, updatesPerStep } = plan.config as unknown as { children: number; updatesPerStep: number };
    const create: typeof algorithm.create = async (config, given) =>
      this.watch(await algorithm.create(config, given), children * updatesPerStep);
    return { ...plan, algorithm: { ...algorithm, create } };
  }

  /** An iteration is over; what comes until the next one is an evaluation if it takes long. */
  iterated(): void {
    if (this.isLearning) this.iterations++;
    this.enter(undefined);
  }

  private enter(phase: Phase | undefined): void {
    const now = performance.now();
    const spent = now - this.since;
    const { ms } = this as { ms: Record<Phase, number> };
    if (this.isLearning && this.phase !== undefined) ms[this.phase] += spent;
    // Between iterations only evaluations and checkpoints take longer than this.
    if (this.isLearning && this.phase === undefined && spent > 100) {
      this.evaluating += spent;
      this.evaluations++;
    }
    this.phase = phase;
    this.since = now;
  }

  private watch(learner: OffPolicyLearner, updates: number): OffPolicyLearner {
    const { replays } = learner;
    return {
      ...learner,
      observe: (rows) => {
        this.enter('asking for actions');
        this.updatesLeft = updates;
        this.hasActions = false;
        learner.observe?.(rows);
      },
      act: async (observations, preferences) => {
        const actions = await learner.act(observations, preferences);
        this.hasActions = true;
        if (this.phase === 'waiting for actions') this.enter('stepping environments');
        return actions;
      },
      ...(replays !== undefined && {
        replays: {
          follow: (all) => {
            this.enter('sending transitions');
            this.isLearning = true;
            replays.follow(all);
            this.enter('drawing batches');
          },
        },
      }),
      learn: async (batch, context) => {
        this.enter('recording updates');
        await learner.learn(batch, context);
        const afterwards = this.hasActions ? 'stepping environments' : 'waiting for actions';
        this.enter(--this.updatesLeft > 0 ? 'drawing batches' : afterwards);
      },
      settled: async () => learner.settled?.(),
    };
  }
}
