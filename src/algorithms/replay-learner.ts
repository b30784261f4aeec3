/**
 * What all off-policy learners share: acting for any number of rows, running the updates of a batch, reporting
 * diagnostics, saving and disposing. The file of each learner has only its settings and formulas.
 */
import type { StateValue } from '../envs/index.js';
import { countRows } from '../model/index.js';
import { compile, RowPrograms } from '../tensor/index.js';
import type { Program, State, Step, Values } from '../tensor/index.js';
import type { HostState } from './host-state.js';
import { loadDiagnostics, loadTensors, saveDiagnostics, saveTensors } from './learner.js';
import type { LearnerOptions, UpdateContext, OffPolicyLearner } from './learner.js';
import { Reports } from './reports.js';
import type { Transitions } from './transitions.js';

/** A step for a number of rows of observations `s`, each with its preference `w`. */
export type RowStep<O extends string> = (rows: number) => Step<Step['state'], Step['inputs'], O>;

/**
 * Runs an update on the transitions of a batch, with inputs of its own.
 * @param report whether it reports its diagnostics; by default as the context says
 */
export type RunUpdate = (program: Program, inputs: Readonly<Record<string, Values>>, report?: boolean) => Promise<void>;

/** What a learner's own file provides. */
export interface LearnerParts extends Pick<
  OffPolicyLearner,
  'describe' | 'initialise' | 'explore' | 'observe' | 'earn' | 'keys'
> {
  readonly state: State;
  readonly transitions: Transitions;
  /** The programs that change the state. */
  readonly updates: readonly Program[];
  /** Prefixes of the state entries that make up the policy. */
  readonly policy: readonly string[];
  /** Deterministic actions. */
  readonly act: RowStep<'action'>;
  /** What to explore from, where it is not what `act` gives. */
  readonly behave?: RowStep<'action'>;
  /** The utility that the critic expects. */
  readonly expect?: RowStep<'utility'>;
  /** Makes the updates of a batch, whose preferences are `w`. */
  learn(run: RunUpdate, w: Float32Array, context: UpdateContext): Promise<void>;
  readonly host?: Readonly<Record<string, HostState | undefined>>;
}

/** Compiles the updates of a learner, all on one state. */
export async function compileUpdates<U extends Readonly<Record<string, Step>>>(
  updates: U,
  { device, replicas }: LearnerOptions,
): Promise<{ readonly state: State; readonly programs: { readonly [K in keyof U]: Program<U[K]> } }> {
  let state: State | undefined;
  const programs: Record<string, Program> = {};
  for (const [name, update] of Object.entries(updates)) {
    programs[name] = await compile(update, { device, replicas, ...(state !== undefined && { state }) });
    ({ state } = programs[name]);
  }
  return { state: state!, programs: programs as { readonly [K in keyof U]: Program<U[K]> } };
}

export function replayLearner({ problem, replicas }: LearnerOptions, parts: LearnerParts): OffPolicyLearner {
  const { state, transitions, updates, host = {} } = parts;
  const { describe, initialise, explore, observe, earn, keys } = parts;
  const reports = new Reports();
  const replays = transitions.replays(state);
  const programs: { dispose(): Promise<void> }[] = [...updates];

  function answers<O extends string>(makeStep: RowStep<O>, output: O) {
    const steps = new RowPrograms(state, makeStep);
    programs.push(steps);
    return async (s: Float32Array, w: Float32Array): Promise<Values> => {
      const program = await steps.of(countRows(s, w, problem) / replicas);
      return (await program.run({ s, w }))[output];
    };
  }

  const expected = parts.expect && answers(parts.expect, 'utility');
  return {
    state,
    policy: state.names.filter((name) => parts.policy.some((start) => name.startsWith(`${start}.`))),
    describe,
    initialise,
    act: answers(parts.act, 'action'),
    ...(parts.behave !== undefined && { behave: answers(parts.behave, 'action') }),
    explore,
    learn: async (batch, context) => {
      const transitionInputs = transitions.feed(batch);
      const run: RunUpdate = (program, inputs, report = context.report ?? true) =>
        reports.run(program, { ...transitionInputs, ...inputs }, report);
      await parts.learn(run, batch.preferences, context);
    },
    ...(observe !== undefined && { observe }),
    ...(earn !== undefined && { earn }),
    ...(replays !== undefined && { replays }),
    settled: () => reports.settled(),
    ...(expected !== undefined && { expected: async (s, w) => (await expected(s, w)) as Float32Array }),
    ...(keys !== undefined && { keys }),
    diagnostics: () => reports.latest,
    save: () => ({
      diagnostics: saveDiagnostics(reports.latest),
      ...Object.fromEntries(Object.entries(host).flatMap(([name, part]) => (part ? [[name, part.save()]] : []))),
    }),
    load: (saved) => {
      const record = saved as Readonly<Record<string, StateValue>>;
      // Learners that keep nothing else used to save their diagnostics alone.
      reports.restore(loadDiagnostics('diagnostics' in record ? record.diagnostics : record));
      for (const [name, part] of Object.entries(host)) part?.load(record[name]);
    },
    saveReplica: async (replica) => ({
      tensors: await saveTensors(state, replica),
      rest: Object.fromEntries(
        Object.entries(host).flatMap(([name, part]) => {
          return part?.saveReplica === undefined ? [] : [[name, part.saveReplica(replica)]];
        }),
      ),
    }),
    loadReplica: (replica, { tensors, rest }, { isElsewhere = false } = {}) => {
      loadTensors(state, replica, tensors);
      const record = rest as Readonly<Record<string, StateValue>>;
      // What this learner keeps and the other one did not begins anew.
      for (const [name, part] of Object.entries(host)) {
        if (Object.hasOwn(record, name)) part?.loadReplica?.(replica, record[name], isElsewhere);
      }
    },
    dispose: async () => {
      await Promise.all(programs.map((program) => program.dispose()));
      state.dispose();
    },
  };
}
