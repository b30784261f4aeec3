/** Which evaluation of a run is looked at: plots show its policy set as it was then. */
import { batch, computed, signal } from '@preact/signals';
import { frontOf, type ReturnsAt } from '../../fronts/front.js';
import { fetchFront, type RunData } from './run-data.js';
import { front, list, rival, run, runId, say } from './state.js';

interface Evaluation {
  readonly url: string;
  readonly envSteps: number;
}

/** What was asked for, and what is there to be shown: a front takes a moment to be fetched. */
const asked = signal<Evaluation | undefined>(undefined);
const fetched = signal<(Evaluation & { readonly evaluated: ReturnsAt }) | undefined>(undefined);

/** Environment steps of the evaluation that was asked for; those of the kept one where none was. */
export const askedSteps = computed(() => {
  const current = run.value;
  return asked.value !== undefined && asked.value.url === current?.url ? asked.value.envSteps : current?.kept?.envSteps;
});

/** Environment steps of the evaluation that is shown, where it is another one than the run keeps. */
export const pastSteps = computed(() => {
  const current = run.value;
  const past = fetched.value;
  if (past === undefined || past.url !== current?.url || askedSteps.value === current.kept?.envSteps) return undefined;
  return past.envSteps;
});

/** Whether what was asked for is what is shown. */
export const isArrived = computed(() => (pastSteps.value ?? run.value?.kept?.envSteps) === askedSteps.value);

/** Environment steps of the evaluations of the current run whose policies can still be played. */
const snapshots = computed(() => list.value.runs.find(({ id }) => id === runId.value)?.snapshots ?? []);

/** Environment steps of the policy set that is played, where it is not the one that the run ended with. */
export const playedSteps = computed(() => {
  const current = run.value;
  if (current === undefined) return undefined;
  if (pastSteps.value !== undefined && snapshots.value.includes(pastSteps.value)) return pastSteps.value;
  // One that trains has no other policies yet than those of its last evaluation.
  return current.hasModel ? undefined : snapshots.value.at(-1);
});

/** Where the policies are that are played: of a run, and where another one is played beside it of that one too. */
export function played({ url, modelSteps }: RunData): readonly Pick<RunData, 'url' | 'modelSteps'>[] {
  const steps = playedSteps.value;
  const own = steps === undefined ? { url, modelSteps } : { url: `${url}snapshots/${steps}/`, modelSteps: steps };
  return rival.value === undefined ? [own] : [own, rival.value];
}

/** Whether there is a policy of the current run to be played. */
export const isPlayable = computed(() => run.value?.hasModel === true || playedSteps.value !== undefined);

/** What was achieved at the evaluation that is shown. */
export const evaluatedThen = computed<ReturnsAt | undefined>(() =>
  pastSteps.value === undefined ? run.value?.kept?.evaluated : fetched.value?.evaluated,
);

/** What the policies achieved that are played: those of the evaluation that is shown may be gone. */
export const evaluatedPlayed = computed(() =>
  playedSteps.value === pastSteps.value ? evaluatedThen.value : run.value?.kept?.evaluated,
);

/** As `front`, at the evaluation that is shown. */
export const frontThen = computed(() =>
  pastSteps.value === undefined || evaluatedThen.value === undefined ? front.value : frontOf(evaluatedThen.value),
);

/** As `front`, of the policies that are played. */
export const frontPlayed = computed(() => (playedSteps.value === pastSteps.value ? frontThen.value : front.value));

const known = new Map<string, ReturnsAt>();

/** Shows a run as it was at an evaluation, and says whether that could be read. */
export async function lookAt(of: RunData, envSteps: number): Promise<boolean> {
  const { url } = of;
  const wanted = (asked.value = { url, envSteps });
  if (envSteps === of.kept?.envSteps) return true;
  const key = `${url} ${envSteps}`;
  try {
    const evaluated = known.get(key) ?? (await fetchFront(of, envSteps));
    known.set(key, evaluated);
    // In the meantime another one may have been asked for.
    if (asked.value === wanted) fetched.value = { url, envSteps, evaluated };
    return true;
  } catch (error) {
    if (asked.value === wanted) lookAtKept();
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

export function lookAtKept(): void {
  batch(() => {
    asked.value = undefined;
    fetched.value = undefined;
  });
}
