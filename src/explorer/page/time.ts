/** Which evaluation of a run is looked at: plots show its policy set as it was then. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
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
  if (current.hasModel) return undefined;
  // One that trains has no model yet, and perhaps the policies that it would keep now, or else those of its last evaluation.
  return snapshots.value.find((steps) => steps === current.kept?.envSteps) ?? snapshots.value.at(-1);
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

/** Fronts of evaluations that were read, by `keyOf`. */
const known = signal<ReadonlyMap<string, ReturnsAt>>(new Map());

function keyOf({ url }: RunData, envSteps: number): string {
  return `${url} ${envSteps}`;
}

/** What the policies achieved that are played: those of the evaluation that is shown may be gone. Undefined until it is read. */
export const evaluatedPlayed = computed(() => {
  const [current, steps] = [run.value, playedSteps.value];
  if (current === undefined || steps === undefined || steps === current.kept?.envSteps) return current?.kept?.evaluated;
  return known.value.get(keyOf(current, steps));
});
effect(() => {
  const [current, steps] = [run.value, playedSteps.value];
  if (current === undefined || steps === undefined || evaluatedPlayed.value !== undefined) return;
  // One that cannot be read is tried again when the run has been written to.
  untracked(() => void frontAt(current, steps).catch(() => undefined));
});

/** As `front`, at the evaluation that is shown. */
export const frontThen = computed(() =>
  pastSteps.value === undefined || evaluatedThen.value === undefined ? front.value : frontOf(evaluatedThen.value),
);

/** As `front`, of the policies that are played. */
export const frontPlayed = computed(() => frontOf(evaluatedPlayed.value ?? { preferences: [], returns: [] }));

async function frontAt(of: RunData, envSteps: number): Promise<ReturnsAt> {
  const key = keyOf(of, envSteps);
  const evaluated = known.peek().get(key) ?? (await fetchFront(of, envSteps));
  known.value = new Map(known.peek()).set(key, evaluated);
  return evaluated;
}

/** Shows a run as it was at an evaluation, and says whether that could be read. */
export async function lookAt(of: RunData, envSteps: number): Promise<boolean> {
  const { url } = of;
  const wanted = (asked.value = { url, envSteps });
  try {
    // What a run that trains keeps now may be one of the past by the next evaluation.
    const evaluated = envSteps === of.kept?.envSteps ? of.kept.evaluated : await frontAt(of, envSteps);
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
