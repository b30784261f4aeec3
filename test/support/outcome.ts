import type { Case, Entry, Experiment, Report, ReproductionRequest } from '../../src/experiments/index.js';
import { runsOf, type Outcome, type PlannedRun } from '../../src/experiments/job.js';
import { planReproduction } from '../../src/experiments/plan.js';
import { reportOf } from '../../src/experiments/report.js';
import { protocolOf } from '../../src/training/index.js';

/** The outcome of a run that nobody made. */
export function outcomeOf(
  { method, plan }: PlannedRun,
  hypervolume: number,
  sparsity: number | null,
  more: Partial<Outcome> = {},
): Outcome {
  return {
    method,
    plan,
    seed: plan.seed,
    run: 'run',
    hypervolume,
    chosenBy: hypervolume,
    last: hypervolume,
    sparsity: { distinct: sparsity, published: sparsity ?? 0 },
    expectedUtility: 1,
    points: 3,
    coverageF1: null,
    regret: null,
    envSteps: plan.config.steps,
    gradientSteps: 100,
    evaluationSteps: 5000,
    seconds: 1,
    machine: null,
    device: 'cpu',
    protocol: protocolOf(plan, 1),
    versions: { psl: '0.1.0' },
    isReused: false,
    front: [],
    curve: [],
    ...more,
  };
}

/**
 * The report of runs that came to what the paper prints, or a multiple of it; methods that are not in it came to nothing.
 * @param factor by the key of the method, and the seed
 */
export function reportAsPrinted<C extends Case, E extends Entry, X extends object>(
  experiment: Experiment<C, E, X>,
  request: ReproductionRequest<C>,
  factor: (key: string, seed: number) => number = () => 1,
): Report<E, X> {
  const reproduction = planReproduction(experiment, request);
  const outcomes = reproduction.jobs.flatMap(runsOf).flatMap((run) => {
    const where = experiment.cases.find(({ env }) => env === run.plan.env)!;
    const printed = experiment.layout.published(run.method, where);
    if (printed === null) return [];
    return [outcomeOf(run, printed.hypervolume * factor(run.method.key, run.plan.seed), printed.sparsity)];
  });
  return reportOf(reproduction, outcomes, 'out');
}
