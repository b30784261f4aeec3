/**
 * PPO with vector values over a policy family: PSL-MORL (fused, generated, added) and its conditioned rival, and plain
 * PPO for tasks of one preference each (independent), which is what populations are made of. Only the actor belongs to
 * the family, pi(s, w; theta(w)); the critic V(s, w) in R^m takes the preference as an input. In a task neither network
 * sees a preference.
 */
import { choice, integer, integers, number } from '../../config/index.js';
import type { ConfigOf } from '../../config/index.js';
import type { StateValue } from '../../envs/index.js';
import { countRows } from '../../model/index.js';
import { adam, adamSpecs, clipByGlobalNorm, conditioned, mlp, repeatForRows } from '../../nn/index.js';
import type { Family, Initialiser } from '../../nn/index.js';
import { compile, concat, constant, float32, grad, int32, RowPrograms, sizeOf, step } from '../../tensor/index.js';
import type { Tensor, Values } from '../../tensor/index.js';
import { describeFamily, describePolicy } from '../description.js';
import { familyFields, makeFamily } from '../family-fields.js';
import { decayedRate } from '../decay.js';
import { loadDiagnostics, loadTensors, replicaPart, saveDiagnostics, saveTensors } from '../learner.js';
import type { Diagnostics, OnPolicyLearner, OnPolicyOptions, Rollout } from '../learner.js';
import { WIDEST } from '../limits.js';
import { normalised, normaliserSpecs } from '../normaliser.js';
import { REPLAY } from '../state-names.js';
import { actionDistribution } from './action-distribution.js';
import { shuffledRows } from './minibatches.js';
import { fillTable, tableColumns } from './rollout-table.js';
import { PpoStatistics } from './statistics.js';

export const ppoFields = {
  hidden: integers({
    network: true,
    default: [64, 64],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the actor, with tanh.',
    source: 'PG-MORL',
  }),
  criticHidden: integers({
    network: true,
    default: [64, 64],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the critic, with tanh.',
    source: 'PG-MORL',
  }),
  learningRate: number({
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam at the start, for all networks.',
    source: 'PG-MORL',
  }),
  finalLearningRate: number({
    default: 0,
    min: 0,
    max: 1,
    about: 'Share of the step size that is left at the end of training; it falls linearly.',
    source: 'PG-MORL',
  }),
  adamEpsilon: number({ default: 1e-5, above: 0, about: 'Epsilon of Adam.', source: 'PG-MORL' }),
  epochs: integer({ default: 10, min: 1, about: 'Times that a rollout is gone through.', source: 'PG-MORL' }),
  lambda: number({
    default: 0.95,
    min: 0,
    max: 1,
    about: 'Generalised advantage estimation, for each objective: 0 looks one step ahead, 1 to the end of the rollout.',
    source: 'PG-MORL',
  }),
  ratioClip: number({
    default: 0.2,
    above: 0,
    about: 'How far the probability of an action, and a value, may move from that of the rollout.',
    source: 'PG-MORL',
  }),
  valueLoss: number({
    default: 0.5,
    min: 0,
    about: 'Weight of the error of the values in the loss.',
    source: 'PG-MORL',
  }),
  entropy: number({ default: 0, min: 0, about: 'Weight of the entropy of the policy in the loss.', source: 'PG-MORL' }),
  clip: number({ default: 0.5, above: 0, about: 'Largest global norm of a gradient.', source: 'PG-MORL' }),
  stepLimit: choice(['masked', 'bootstrapped'], {
    default: 'masked',
    about: 'Learn nothing from a step that the step limit cut off, or look beyond it with the value of where it led.',
    source: 'PG-MORL: masked',
  }),
} as const;

/** With the settings that say how the actor depends on the preference. */
export const familyPpoFields = { ...familyFields, ...ppoFields } as const;

/** Populations have an actor for each task instead, and none of the settings of families. */
export type PpoConfig = ConfigOf<typeof ppoFields> &
  (ConfigOf<typeof familyFields> | { readonly family: 'independent' });

/** Programs that bootstrap truncated steps are compiled for multiples of so many rows. */
const CUT_ROWS = 32;

export async function ppo(
  config: PpoConfig,
  { problem, device, replicas, batch, groups, environments, horizon }: OnPolicyOptions,
): Promise<OnPolicyLearner> {
  const { observation, objectives, discount } = problem;
  const distribution = actionDistribution(problem.actionSpace);
  const { outputs, size: actions } = distribution;
  const isTask = config.family === 'independent';
  const rows = environments * horizon;
  const inputs = isTask ? observation : observation + objectives;
  const network = (hidden: readonly number[], outputs: number) =>
    mlp({ inputs, hidden, outputs, activation: 'tanh', initialiser: ORTHOGONAL });
  const family: Family =
    'alpha' in config
      ? makeFamily(config, network(config.hidden, outputs), objectives)
      : conditioned(network(config.hidden, outputs));
  const critic = network(config.criticHidden, objectives);
  const learned = { actor: family.specs, spread: distribution.spread, critic: critic.specs };
  const observations = normaliserSpecs(observation);

  /** The inputs of the networks, for rows in as many equal groups as there are preferences. */
  const input = (seen: Tensor, w: Tensor): Tensor =>
    isTask ? seen : concat([seen, repeatForRows(w, seen.shape[0])], 1);

  const sizes = { observation, actions, objectives, environments, horizon, replicas };
  const tableOptions = { ...sizes, discount, lambda: config.lambda };
  const columns = tableColumns(tableOptions);
  const width = columns.reduce((sum, size) => sum + size);

  const update = step({
    state: { ...learned, adam: adamSpecs(learned), [REPLAY]: float32(rows, width) },
    inputs: { slots: int32(batch), w: float32(groups, objectives), learningRate: float32() },
    body: ({ adam: moments, [REPLAY]: rollout, ...theta }, { slots, w, learningRate }) => {
      const [seen, action, oldValues, returns, ...numbers] = rollout.gather(slots).split(1, columns);
      const [oldLogProbability, advantage] = numbers.map((column) => column.reshape([batch]));
      const x = input(seen, w);
      const output = family.apply(theta.actor, w, x);
      const change = distribution.logProbability(action, output, theta.spread).sub(oldLogProbability);
      const ratio = change.exp();
      const near = ratio.clamp(1 - config.ratioClip, 1 + config.ratioClip);
      const policyLoss = ratio.mul(advantage).minimum(near.mul(advantage)).mean().neg();

      const values = critic.apply(theta.critic, x);
      const nearValues = oldValues.add(values.sub(oldValues).clamp(-config.ratioClip, config.ratioClip));
      const valueLoss = values.sub(returns).square().maximum(nearValues.sub(returns).square()).mean().mul(0.5);

      let loss = policyLoss.add(valueLoss.mul(config.valueLoss));
      if (config.entropy > 0) loss = loss.sub(distribution.entropy(output, theta.spread).mul(config.entropy));
      const { gradients, norm } = clipByGlobalNorm(grad(loss, theta), config.clip);
      const updated = adam(theta, gradients, moments, { learningRate, epsilon: config.adamEpsilon });
      return {
        state: { ...updated.parameters, adam: updated.state },
        outputs: {
          policyLoss,
          valueLoss,
          gradient: norm,
          divergence: ratio.sub(1).sub(change).mean(),
          clipped: constant(config.ratioClip).less(ratio.sub(1).abs()).toFloat().mean(),
          ...distribution.width(output, theta.spread),
        },
      };
    },
  });

  /** Values and log-probabilities of a rollout under the policy and the critic that it was made with. */
  const assess = step({
    // Observations come normalised. The moments are declared all the same, so that the state has them from the beginning.
    state: { ...learned, observations },
    inputs: {
      seen: float32(environments * (horizon + 1), observation),
      w: float32(environments, objectives),
      action: float32(environments * (horizon + 1), actions),
    },
    body: ({ actor, spread, critic: theta }, { seen, w, action }) => {
      const x = input(seen, w);
      return {
        outputs: {
          values: critic.apply(theta, x),
          logProbability: distribution.logProbability(action, family.apply(actor, w, x), spread),
        },
      };
    },
  });

  const act = (count: number) =>
    step({
      state: { observations, actor: family.specs },
      inputs: { s: float32(count, observation), w: float32(count, objectives) },
      body: (state, { s, w }) => {
        const output = family.apply(state.actor, w, input(normalised(s, state.observations), w));
        return { outputs: { action: distribution.best(output) } };
      },
    });

  const distribute = (count: number) =>
    step({
      state: { actor: family.specs, spread: distribution.spread },
      inputs: { seen: float32(count, observation), w: float32(count, objectives) },
      body: ({ actor, spread }, { seen, w }) => ({
        outputs: { output: family.apply(actor, w, input(seen, w)), ...distribution.drawInputs(spread) },
      }),
    });

  const judge = (count: number) =>
    step({
      state: { critic: critic.specs },
      inputs: { seen: float32(count, observation), w: float32(count, objectives) },
      body: ({ critic: theta }, { seen, w }) => ({ outputs: { values: critic.apply(theta, input(seen, w)) } }),
    });

  const updater = await compile(update, { device, replicas });
  const { state } = updater;
  const assessor = await compile(assess, { replicas, state });
  const actors = new RowPrograms(state, act);
  const distributors = new RowPrograms(state, distribute);
  const judges = new RowPrograms(state, judge);
  const statistics = Array.from({ length: replicas }, (_, r) => {
    return new PpoStatistics(state, r, { observation, objectives, environments, discount });
  });
  const table = new Float32Array(replicas * rows * width);
  const slots = new Int32Array(replicas * batch);
  const preferencesOfBatch = new Float32Array(replicas * groups * objectives);
  const learningRate = new Float32Array(replicas);
  let sampled = new Float32Array(0);
  let last: Diagnostics = {};

  /** For each replica, the values of the observations that its truncated steps led to, by the row of the step. */
  async function valuesBeyond({ cut, preferences }: Rollout): Promise<((row: number) => Float32Array)[]> {
    const most = Math.max(...cut.map(({ length }) => length));
    if (most === 0) return cut.map(() => () => new Float32Array(objectives));
    const count = Math.ceil(most / CUT_ROWS) * CUT_ROWS;
    const seen = new Float32Array(replicas * count * observation);
    const w = new Float32Array(replicas * count * objectives);
    cut.forEach((steps, r) => {
      steps.forEach(({ row, seen: observed }, i) => {
        seen.set(observed, (r * count + i) * observation);
        const child = r * environments + Math.floor(row / horizon);
        w.set(preferences.subarray(child * objectives, (child + 1) * objectives), (r * count + i) * objectives);
      });
    });
    const { values } = await (await judges.of(count)).run({ seen, w });
    return cut.map((steps, r) => {
      const copy = replicaPart(values as Float32Array, r, replicas).slice();
      const byRow = new Map(steps.map(({ row }, i) => [row, copy.subarray(i * objectives, (i + 1) * objectives)]));
      return (row) => byRow.get(row)!;
    });
  }

  /** Writes the table that all epochs learn from to the device. */
  async function prepare(rollout: Rollout): Promise<void> {
    const { seen, preferences: w } = rollout;
    // As many rows as there are observations; the last one of each environment has no action.
    const action = new Float32Array(replicas * environments * (horizon + 1) * actions);
    for (let child = 0; child < replicas * environments; child++) {
      const taken = rollout.action.subarray(child * horizon * actions, (child + 1) * horizon * actions);
      action.set(taken, child * (horizon + 1) * actions);
    }
    const outputsOfRollout = await assessor.run({ seen, w, action });
    const assessed = {
      values: outputsOfRollout.values.slice() as Float32Array,
      logProbabilities: outputsOfRollout.logProbability.slice() as Float32Array,
      beyond: config.stepLimit === 'bootstrapped' ? await valuesBeyond(rollout) : undefined,
    };
    fillTable(table, rollout, assessed, statistics, tableOptions);
    state.write(REPLAY, table);
  }

  return {
    state,
    policy: state.names.filter((name) => /^(?:actor|observations)\./.test(name)),
    describe: () =>
      describePolicy({
        network: family.network,
        parameters: describeFamily(family, 'actor', 'alpha' in config ? config.alpha : 0),
        output: distribution.kind,
        seesPreference: !isTask,
        isNormalised: true,
      }),
    initialise: (random, replica) => {
      state.load({ actor: family.init(random), critic: critic.init(random) }, replica);
      for (const name of state.names.filter((entry) => /^(?:adam|spread)\./.test(entry))) {
        const size = sizeOf(state.spec(name).shape) / replicas;
        state.write(name, new Float32Array(size), replica * size);
      }
      statistics[replica].reset();
    },
    observe: (all) => statistics.forEach((one, r) => one.observe(replicaPart(all, r, replicas))),
    see: (all) => {
      const out = new Float32Array(all.length);
      statistics.forEach((one, r) => one.see(replicaPart(all, r, replicas), replicaPart(out, r, replicas)));
      return out;
    },
    sample: async (seen, w, random) => {
      const program = await distributors.of(w.length / (replicas * objectives));
      const { output, ...drawInputs }: Readonly<Record<string, Values>> = await program.run({ seen, w });
      const size = (output.length / outputs) * actions;
      if (sampled.length !== size) sampled = new Float32Array(size);
      random.forEach((generator, r) => {
        const inputsOfReplica = Object.fromEntries(
          Object.entries(drawInputs).map(([name, values]) => [name, replicaPart(values, r, replicas)]),
        );
        const actionsOfReplica = replicaPart(sampled, r, replicas);
        distribution.draw(replicaPart(output, r, replicas), inputsOfReplica, generator, actionsOfReplica);
      });
      return sampled;
    },
    act: async (s, w) => {
      const program = await actors.of(countRows(s, w, problem) / replicas);
      return (await program.run({ s, w })).action;
    },
    expected: async (s, w) => {
      const program = await judges.of(w.length / (replicas * objectives));
      const seen = new Float32Array(s.length);
      statistics.forEach((one, r) => one.see(replicaPart(s, r, replicas), replicaPart(seen, r, replicas)));
      const { values } = await program.run({ seen, w });
      return Float32Array.from({ length: w.length / objectives }, (_, row) => {
        const { returns } = statistics[Math.floor((row * objectives * replicas) / w.length)];
        let utility = 0;
        for (let k = 0; k < objectives; k++) {
          utility += w[row * objectives + k] * returns.deviation(k) * values[row * objectives + k];
        }
        return utility;
      });
    },
    learn: async (rollout, { progress, random }) => {
      await prepare(rollout);
      learningRate.fill(decayedRate(config, progress));
      const together = isTask ? 1 : batch / groups;
      const batches = rows / batch;
      for (let epoch = 0; epoch < config.epochs; epoch++) {
        const orders = random.map((generator) => shuffledRows(generator, { environments, horizon, together }));
        for (let b = 0; b < batches; b++) {
          orders.forEach((order, r) => {
            const rowsOfBatch = order.subarray(b * batch, (b + 1) * batch);
            slots.set(rowsOfBatch, r * batch);
            for (let g = 0; g < groups; g++) {
              const child = r * environments + Math.floor(rowsOfBatch[(g * batch) / groups] / horizon);
              const preference = rollout.preferences.subarray(child * objectives, (child + 1) * objectives);
              preferencesOfBatch.set(preference, (r * groups + g) * objectives);
            }
          });
          const isLast = epoch === config.epochs - 1 && b === batches - 1;
          const inputs = { slots, w: preferencesOfBatch, learningRate };
          const reported: Readonly<Record<string, Values>> = await updater.run(inputs, isLast ? {} : { read: [] });
          // Copies: the program writes its next outputs into the same arrays.
          if (isLast)
            last = Object.fromEntries(Object.entries(reported).map(([name, values]) => [name, values.slice()]));
        }
      }
      return config.epochs * batches;
    },
    saveReplica: async (replica) => ({
      tensors: await saveTensors(state, replica),
      rest: statistics[replica].save(),
    }),
    loadReplica: (replica, { tensors, rest }, { goesOn = false, isElsewhere = false } = {}) => {
      loadTensors(state, replica, tensors);
      if (goesOn) statistics[replica].load(rest);
      else statistics[replica].takeOver(rest, isElsewhere);
    },
    diagnostics: () => last,
    save: () => ({ diagnostics: saveDiagnostics(last), statistics: statistics.map((one) => one.save()) }),
    load: (saved) => {
      const { diagnostics, statistics: all } = saved as Readonly<Record<string, StateValue>>;
      last = loadDiagnostics(diagnostics);
      statistics.forEach((one, r) => one.load((all as readonly StateValue[])[r]));
    },
    dispose: async () => {
      await Promise.all([updater, assessor, actors, distributors, judges].map((program) => program.dispose()));
      state.dispose();
    },
  };
}

/** Hidden layers with the gain that keeps signals alike; the last ones with 1, as published. */
const ORTHOGONAL: Initialiser = { kind: 'orthogonal', gain: Math.SQRT2, outputGain: 1 };
