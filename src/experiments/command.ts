/** The command that makes a reproduction, or what is missing of it. */
import type { Case } from './case.js';
import type { Entry, Experiment } from './experiment.js';
import { ofBudget, trainedTogether } from './plan.js';
import type { Reproduction } from './plan.js';

/**
 * Without where it is written.
 * @param entries of its report: where all runs were trained on one device, or in lockstep, the command says so
 */
export function commandFor<C extends Case, E extends Entry, X extends object>(
  { experiment, budget, cases, methods, firstSeed, seeds }: Reproduction<C, E, X>,
  entries: readonly Entry[],
): string {
  const own = ofBudget(experiment, budget);
  const listed = (option: string, chosen: readonly Keyed[], all: readonly Keyed[]) =>
    chosen.length === all.length ? [] : [`--${option} ${chosen.map(({ key }) => key).join(',')}`];
  const results = entries.flatMap((entry) => entry.seeds);
  const devices = [...new Set(results.map(({ device }) => device))];
  const isOnOne = devices.length === 1 && devices[0] !== 'cpu';
  const isLockstep = entries.every((entry) =>
    entry.seeds.every(({ lockstep }) => lockstep > together(experiment, entry)),
  );
  return [
    `psl reproduce ${experiment.name} --budget ${budget}`,
    ...listed(typeof cases[0].key === 'number' ? 'depths' : 'envs', cases, own.cases),
    ...listed('methods', methods, own.methods),
    ...(firstSeed === 1 ? [] : [`--first-seed ${firstSeed}`]),
    `--seeds ${seeds}`,
    ...(isOnOne ? [`--device ${devices[0]}`] : []),
    ...(results.length > 0 && isLockstep ? ['--lockstep'] : []),
  ].join(' ');
}

type Keyed = Pick<Case, 'key'>;

/** How many methods one program trains with one seed. */
function together({ methods }: Pick<Experiment, 'methods'>, { key }: Entry): number {
  return trainedTogether(methods).find((group) => group.some((method) => method.key === key))!.length;
}
