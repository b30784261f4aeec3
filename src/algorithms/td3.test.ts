import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.js';
import { continuous, discrete } from '../envs/index.js';
import { Random } from '../random/index.js';
import { openDevice } from '../tensor/index.js';
import type { State, Values } from '../tensor/index.js';
import type { Batch, LearnerOptions, OffPolicyLearner, Problem } from './learner.js';
import { td3, td3Fields } from './td3.js';

// Everything that the learner computes is computed again here in plain numbers, row by row, as PD-MORL's program does.

const LIMITS = [2, 2, 4];
const OBSERVATION = 3;
const ACTIONS = LIMITS.length;
const OBJECTIVES = 2;
const ALPHA = 0.3;
const KEYS = [
  [3, 1],
  [1, 4],
  [2, 2],
];
const PROBLEM: Problem = {
  observation: OBSERVATION,
  actionSpace: continuous(
    LIMITS.map((limit) => -limit),
    LIMITS,
  ),
  objectives: OBJECTIVES,
  discount: 0.9,
  keys: KEYS,
};
const BATCH = 6;
const GROUPS = 3;

const opened: OffPolicyLearner[] = [];
afterEach(async () => {
  for (const learner of opened.splice(0)) await learner.dispose();
});

interface Making {
  readonly problem?: Problem;
  readonly device?: string;
  readonly replicas?: number;
  readonly batch?: number;
  readonly groups?: number;
  readonly variants?: LearnerOptions['variants'];
}

const SMALL = { hidden: [5], criticHidden: [6], hyperHidden: [4], hyperFeatures: 2, alpha: ALPHA };

async function learnerOf(settings: object = {}, making: Making = {}): Promise<OffPolicyLearner> {
  const { problem = PROBLEM, device = 'reference', replicas = 1, batch = BATCH, groups = GROUPS, variants } = making;
  const config = resolveConfig(td3Fields, SMALL, settings);
  const learner = await td3(config, {
    problem,
    device: await openDevice(device),
    replicas,
    batch,
    groups,
    ...(variants !== undefined && { variants }),
  });
  opened.push(learner);
  return learner;
}

/** A learner in a state in which nothing is alike: targets differ from what they follow, and biases are not zero. */
async function disturbed(settings: object = {}, making: Making = {}): Promise<OffPolicyLearner> {
  const learner = await learnerOf(settings, making);
  const replicas = making.replicas ?? 1;
  for (let replica = 0; replica < replicas; replica++) learner.initialise(new Random(5 + replica), replica);
  const { state } = learner;
  const moved = state.names.filter((name) => /^(?:actor|actorTarget|critics|criticTargets)\./.test(name));
  for (let replica = 0; replica < replicas; replica++) {
    if (state.names.includes('rewardScale')) state.load({ rewardScale: Float32Array.from(SCALE) }, replica);
    if (state.names.includes('rewardCentre')) state.load({ rewardCentre: Float32Array.from(CENTRE) }, replica);
    const random = new Random(55 + replica);
    for (const name of moved) {
      const values = await state.read(name);
      const size = values.length / replicas;
      const own = Float32Array.from(values.subarray(replica * size, (replica + 1) * size));
      state.write(
        name,
        own.map((value) => value + 0.4 * random.normal()),
        replica * size,
      );
    }
  }
  return learner;
}

/** Transitions and preferences that reach all branches of the formulas. */
function batchOf(seed: number, replicas = 1): Batch {
  const random = new Random(seed);
  const rows = replicas * BATCH;
  const normals = (width: number, deviation: number) => random.fillNormal(new Float32Array(rows * width), 0, deviation);
  const preferences = new Float32Array(replicas * GROUPS * OBJECTIVES);
  for (let at = 0; at < preferences.length; at += 2) {
    preferences[at] = random.uniform();
    preferences[at + 1] = 1 - preferences[at];
  }
  return {
    observation: normals(OBSERVATION, 1),
    action: normals(ACTIONS, 1),
    reward: normals(OBJECTIVES, 2),
    next: normals(OBSERVATION, 1),
    terminal: Float32Array.from({ length: rows }, (_, row) => Number(row % 3 === 1)),
    preferences,
  };
}

type Entries = ReadonlyMap<string, number[]>;

async function entriesOf(state: State): Promise<Entries> {
  const entries = new Map<string, number[]>();
  for (const name of state.names) entries.set(name, Array.from(await state.read(name)));
  return entries;
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const clip = (x: number, limit: number) => Math.min(limit, Math.max(-limit, x));
const rowOf = (values: ArrayLike<number>, row: number, width: number): number[] =>
  Array.from({ length: width }, (_, i) => values[row * width + i]);

/** Mean zero and deviation one. */
function standardised(values: readonly number[]): number[] {
  const centre = mean(values);
  const deviation = Math.sqrt(mean(values.map((x) => (x - centre) ** 2)) + 1e-5);
  return values.map((x) => (x - centre) / deviation);
}

/** A network on one row: its layers are the entries under a name. */
function network(entries: Entries, name: string, x: readonly number[], isNormalised = false): number[] {
  const isHere = (layer: number) => entries.has(`${name}.layer${layer}.weight`);
  let signal = [...x];
  for (let layer = 0; isHere(layer); layer++) {
    const weight = entries.get(`${name}.layer${layer}.weight`)!;
    const bias = entries.get(`${name}.layer${layer}.bias`)!;
    const isLast = !isHere(layer + 1);
    const sums = bias.map((b, j) => signal.reduce((total, value, k) => total + value * weight[k * bias.length + j], b));
    signal = isLast ? sums : (isNormalised ? standardised(sums) : sums).map((sum) => Math.max(0, sum));
  }
  return signal;
}

/** A network of one residual block on one row. */
function residual(entries: Entries, name: string, x: readonly number[]): number[] {
  const layer = (part: string, signal: readonly number[]) => {
    const bias = entries.get(`${name}.${part}.bias`)!;
    const weight = entries.get(`${name}.${part}.weight`)!;
    return bias.map((b, j) => signal.reduce((total, value, k) => total + value * weight[k * bias.length + j], b));
  };
  const start = layer('input', x);
  const wide = layer('expand0', standardised(start)).map((sum) => Math.max(0, sum));
  const change = layer('contract0', wide);
  return layer('output', standardised(start.map((value, i) => value + change[i])));
}

type FamilyName = 'fused' | 'generated' | 'added' | 'conditioned';
const FAMILIES: readonly FamilyName[] = ['fused', 'generated', 'added', 'conditioned'];
const SHARES = {
  fused: { base: 1 - ALPHA, generated: ALPHA },
  generated: { base: 0, generated: 1 },
  added: { base: 1, generated: 1 },
  conditioned: { base: 1, generated: 0 },
} as const;

/** The parameters of the actor at a preference: theta(w), from the entries that hold the base and phi. */
function actorAt(entries: Entries, family: FamilyName, names: { base: string; hyper: string }, w: readonly number[]) {
  const shares = SHARES[family];
  const features = shares.generated === 0 ? [] : [...network(entries, `${names.hyper}.trunk`, w), 1];
  const theta = new Map<string, number[]>();
  for (const part of ['layer0.weight', 'layer0.bias', 'layer1.weight', 'layer1.bias']) {
    const base = entries.get(`${names.base}.${part}`)?.map((x) => shares.base * x);
    const head = entries.get(`${names.hyper}.heads.${part}`) ?? [];
    const size = base?.length ?? head.length / features.length;
    const values = Array.from({ length: size }, (_, i) => {
      const generated = features.reduce((sum, f, k) => sum + f * head[k * size + i], 0);
      return (base?.[i] ?? 0) + shares.generated * generated;
    });
    theta.set(`theta.${part}`, values);
  }
  return theta;
}

interface Settings {
  readonly family: FamilyName;
  readonly target: 'base' | 'full';
  readonly criticAngle: number;
  readonly actorAngle: number;
  readonly saturation: number;
  readonly saturationFrom: number;
  readonly error: 'smooth-l1' | 'squared';
  readonly criticNorm: 'none' | 'layer' | 'residual';
  readonly rewardScale: boolean;
  readonly rewardCentre: boolean;
  readonly atoms: number;
}
const DEFAULTS: Settings = {
  family: 'fused',
  target: 'base',
  criticAngle: 1,
  actorAngle: 10,
  saturation: 0,
  saturationFrom: 0,
  error: 'smooth-l1',
  criticNorm: 'none',
  rewardScale: false,
  rewardCentre: false,
  atoms: 0,
};

/** The size of returns that rewards are divided by, where they are. */
const SCALE = [2, 0.5];
const scaleOf = ({ rewardScale }: Settings) => (rewardScale ? SCALE : [1, 1]);
/** What critics say is measured from this. */
const CENTRE = [1.5, -0.75];
const centreOf = ({ rewardCentre }: Settings) => (rewardCentre ? CENTRE : [0, 0]);
/** Q in the environment's units. */
const inUnits = (q: readonly number[], settings: Settings) =>
  times(q, scaleOf(settings)).map((x, k) => x + centreOf(settings)[k]);
const times = (a: readonly number[], b: readonly number[]) => a.map((x, i) => x * b[i]);
/** Whatever utilities are compared with must be in the environment's units, up to a common factor. */
const relative = (settings: Settings) => scaleOf(settings).map((x) => x / Math.max(...scaleOf(settings)));

/** From -5 to 5. */
const atomsOf = (count: number) => Array.from({ length: count }, (_, i) => (10 * i) / (count - 1) - 5);
const softmax = (logits: readonly number[]) => {
  const odds = logits.map((logit) => Math.exp(logit));
  return odds.map((value) => value / odds.reduce((sum, x) => sum + x, 0));
};
/** For each objective what the critic chooses between. */
const logitsOf = (raw: readonly number[], atoms: number) =>
  Array.from({ length: OBJECTIVES }, (_, k) => raw.slice(k * atoms, (k + 1) * atoms));
/** The values of a critic's outputs. */
const valuesOf = (raw: readonly number[], { atoms }: Settings) =>
  atoms === 0 ? [...raw] : logitsOf(raw, atoms).map((logits) => dot(softmax(logits), atomsOf(atoms)));
const criticOf = (entries: Entries, name: string, x: readonly number[], settings: Settings) =>
  settings.criticNorm === 'residual'
    ? residual(entries, name, x)
    : network(entries, name, x, settings.criticNorm === 'layer');

/** Cross entropy of a critic's choice against a normal distribution around the target, cut into bins. */
function crossEntropy(logits: readonly number[], target: number): number {
  const atoms = atomsOf(logits.length);
  const width = atoms[1] - atoms[0];
  const below = (x: number) => {
    const z = (x - clip(target, 5)) / (0.75 * width);
    return 0.5 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));
  };
  const mass = atoms.map((atom) => below(atom + width / 2) - below(atom - width / 2));
  const share = mass.map((x) => x / mass.reduce((sum, y) => sum + y, 0));
  return -dot(
    share,
    softmax(logits).map((p) => Math.log(p)),
  );
}

const rawAction = (theta: Entries, s: readonly number[], w: readonly number[]) => network(theta, 'theta', [...s, ...w]);
const bounded = (raw: readonly number[]) => raw.map((x, i) => LIMITS[i] * Math.tanh(x));

/** I(w) for two objectives: on a line between the key vectors, each divided by its length. */
function directionAt(keys: readonly number[][], norm: 'l1' | 'l2', [first]: readonly number[]): number[] {
  const unit = keys.map((key) => {
    const length = norm === 'l2' ? Math.hypot(...key) : key.reduce((sum, x) => sum + Math.abs(x), 0);
    return key.map((x) => x / length);
  });
  // In the order (1, 0), (0, 1), (1/2, 1/2).
  const [from, to, share] = first < 0.5 ? [unit[1], unit[2], 2 * first] : [unit[2], unit[0], 2 * first - 1];
  return from.map((x, k) => (1 - share) * x + share * to[k]);
}

function degreesBetween(a: readonly number[], b: readonly number[]): number {
  const cosine = dot(a, b) / (Math.hypot(...a) * Math.hypot(...b));
  return (180 / Math.PI) * Math.acos(Math.min(0.9999, Math.max(0, cosine)));
}

/** The group of a row is a run of neighbours. */
const preferenceOf = (batch: Batch, row: number) =>
  rowOf(batch.preferences, Math.floor((row * GROUPS) / BATCH), OBJECTIVES);

/** What the critics should say, as published, for each row, and what was met on the way there. */
function targetsOf(entries: Entries, batch: Batch, noise: ArrayLike<number>, settings: Settings) {
  const { family, target } = settings;
  const names = { base: 'actorTarget.base', hyper: target === 'full' ? 'actorTarget.hyper' : 'actor.hyper' };
  const met = { first: [] as boolean[], atLimit: [] as boolean[] };
  const targets = Array.from({ length: BATCH }, (_, row) => {
    const w = preferenceOf(batch, row);
    const s2 = rowOf(batch.next, row, OBSERVATION);
    const chosen = bounded(rawAction(actorAt(entries, family, names, w), s2, w));
    const a2 = chosen.map((x, i) => clip(x + noise[row * ACTIONS + i], LIMITS[i]));
    met.atLimit.push(...a2.map((x, i) => Math.abs(x) === LIMITS[i]));
    const [one, two] = ['first', 'second'].map((twin) =>
      valuesOf(criticOf(entries, `criticTargets.${twin}`, [...s2, ...w, ...a2], settings), settings),
    );
    const units = times(w, relative(settings));
    met.first.push(dot(units, one) <= dot(units, two));
    const next = dot(units, one) <= dot(units, two) ? one : two;
    const goesOn = 1 - batch.terminal[row];
    const [scale, centre, after] = [scaleOf(settings), centreOf(settings), inUnits(next, settings)];
    return rowOf(batch.reward, row, OBJECTIVES).map(
      (r, k) => (r + PROBLEM.discount * goesOn * after[k] - centre[k]) / scale[k],
    );
  });
  return { targets, met };
}

/** The loss of the critics as published, with what they say themselves. */
function criticLoss(entries: Entries, targets: readonly number[][], batch: Batch, settings: Settings) {
  const said = { errors: [] as number[], degrees: [] as number[], gaps: [] as number[] };
  let loss = 0;
  for (let row = 0; row < BATCH; row++) {
    const w = preferenceOf(batch, row);
    const x = [...rowOf(batch.observation, row, OBSERVATION), ...w, ...rowOf(batch.action, row, ACTIONS)];
    const scale = scaleOf(settings);
    const raw = ['first', 'second'].map((twin) => criticOf(entries, `critics.${twin}`, x, settings));
    const [one, two] = raw.map((outputs) => valuesOf(outputs, settings));
    said.gaps.push(Math.abs(dot(times(w, scale), one) - dot(times(w, scale), two)));
    for (const [i, q] of [one, two].entries()) {
      const errors = q.map((value, k) => Math.abs(value - targets[row][k]));
      const sizes =
        settings.atoms > 0
          ? logitsOf(raw[i], settings.atoms).map((logits, k) => crossEntropy(logits, targets[row][k]))
          : errors.map((e) => (settings.error === 'squared' ? e ** 2 : e < 1 ? 0.5 * e ** 2 : e - 0.5));
      const angle = degreesBetween(directionAt(KEYS, 'l2', w), inUnits(q, settings));
      // A mean over the batch and the objectives for each critic; both are added.
      loss += (mean(sizes) + settings.criticAngle * angle) / BATCH;
      if (q === one) said.errors.push(...times(errors, scale));
      said.degrees.push(angle);
    }
  }
  return { loss, ...said };
}

function actorLoss(entries: Entries, batch: Batch, settings: Settings, keys = KEYS, norm: 'l1' | 'l2' = 'l2'): number {
  const losses: number[] = [];
  for (let row = 0; row < BATCH; row++) {
    const w = preferenceOf(batch, row);
    const s = rowOf(batch.observation, row, OBSERVATION);
    const theta = actorAt(entries, settings.family, { base: 'actor.base', hyper: 'actor.hyper' }, w);
    const raw = rawAction(theta, s, w);
    const excess = raw.map((action) => Math.max(0, Math.abs(action) - settings.saturationFrom));
    const x = [...s, ...w, ...bounded(raw)];
    const said = valuesOf(criticOf(entries, 'critics.first', x, settings), settings);
    const angle = degreesBetween(directionAt(keys, norm, w), inUnits(said, settings));
    losses.push(
      -dot(w, times(said, relative(settings))) +
        settings.actorAngle * angle +
        settings.saturation * dot(excess, excess),
    );
  }
  return mean(losses);
}

/** Central differences of a loss in all entries under a name. */
function gradientOf(entries: Entries, under: string, loss: (entries: Entries) => number): Map<string, number[]> {
  const step = 1e-6;
  const gradient = new Map<string, number[]>();
  for (const [name, values] of entries) {
    if (!name.startsWith(`${under}.`)) continue;
    const changed = (i: number, by: number) => loss(new Map(entries).set(name, values.with(i, values[i] + by)));
    gradient.set(
      name,
      values.map((_, i) => (changed(i, step) - changed(i, -step)) / (2 * step)),
    );
  }
  return gradient;
}

const lengthOf = (gradient: ReadonlyMap<string, readonly number[]>) => Math.hypot(...[...gradient.values()].flat());

/** The noise that a learner draws for its target action. */
function noiseOf(random: Random, limit: number, deviation = 0.2): Float32Array {
  const drawn = random.clone().fillNormal(new Float32Array(BATCH * ACTIONS), 0, deviation);
  return drawn.map((x) => clip(x, limit));
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-4): void {
  expect(actual.length).toBe(expected.length);
  const apart = expected.map((value, i) => Math.abs(value - actual[i]) / (1 + Math.abs(value)));
  expect(Math.max(...apart)).toBeLessThan(tolerance);
}

/** The first moments of Adam after one update are a tenth of the clipped gradient. */
async function expectGradient(state: State, moments: string, gradient: Map<string, number[]>, scale: number) {
  for (const [name, values] of gradient) {
    const moment = await state.read(name.replace(/^\w+/, `${moments}.m`));
    expectClose(
      moment,
      values.map((g) => 0.1 * scale * g),
      2e-4,
    );
  }
}

const last = (learner: OffPolicyLearner, name: string): number => learner.diagnostics()[name][0];
const isChanged = (before: Entries, after: Entries, under: string) =>
  [...before].some(([name, values]) => name.startsWith(`${under}.`) && values.join() !== after.get(name)!.join());

describe('an update of the critics', () => {
  const variants: [what: string, settings: Partial<Settings> & { clip?: number; criticHidden?: number[] }][] = [
    ['as published', {}],
    ['with the square of the paper', { error: 'squared' }],
    ['without the angle', { criticAngle: 0 }],
    ['with half of the angle', { criticAngle: 0.5 }],
    ['with a gradient that is clipped', { clip: 0.5 }],
    ['with normalised hidden layers', { criticNorm: 'layer' }],
    ['with residual blocks', { criticNorm: 'residual', criticHidden: [4, 4] }],
    ['with rewards divided by their scale', { rewardScale: true }],
    ['with values from a centre', { rewardScale: true, rewardCentre: true }],
    ['with critics that classify', { rewardScale: true, atoms: 5 }],
    ['with all of these and no angle', { criticNorm: 'layer', rewardScale: true, atoms: 5, criticAngle: 0 }],
    ['of the generated family', { family: 'generated' }],
    ['of the added family', { family: 'added' }],
    ['of the conditioned family', { family: 'conditioned' }],
    ['of the fused family, with a slow copy of everything', { target: 'full' }],
    ['of the generated family, with a slow copy of everything', { family: 'generated', target: 'full' }],
    ['of the added family, with a slow copy of everything', { family: 'added', target: 'full' }],
    ['of the conditioned family, with a slow copy of everything', { family: 'conditioned', target: 'full' }],
  ];

  it.each(variants)('%s descends the loss as it is written down', async (_, { clip: norm = 1000, ...changes }) => {
    const settings = { ...DEFAULTS, ...changes };
    const learner = await disturbed({ ...settings, clip: norm, targetNoiseLimit: 0.25, criticLearningRate: 0.01 });
    const { state } = learner;
    const before = await entriesOf(state);
    const [batch, random] = [batchOf(3), new Random(9)];
    const noise = noiseOf(random, 0.25);
    await learner.learn(batch, { progress: 0, update: 1, random: [random] });

    // A conditioned actor has no phi: its target is a slow copy of all there is, whatever is asked for.
    const formula = settings.family === 'conditioned' ? { ...settings, target: 'full' as const } : settings;
    const { targets } = targetsOf(before, batch, noise, formula);
    const { loss, errors, gaps } = criticLoss(before, targets, batch, formula);
    expect(last(learner, 'criticLoss')).toBeCloseTo(loss, 3);
    expect(last(learner, 'tdError')).toBeCloseTo(mean(errors), 4);
    expect(last(learner, 'twinGap')).toBeCloseTo(mean(gaps), 4);
    // The target is a constant to the gradient.
    const gradient = gradientOf(before, 'critics', (moved) => criticLoss(moved, targets, batch, formula).loss);
    // Reported as it was before clipping.
    const length = lengthOf(gradient);
    expect(last(learner, 'criticGradient') / length).toBeCloseTo(1, 3);
    if (norm < 1) expect(length).toBeGreaterThan(norm);
    await expectGradient(state, 'criticAdam', gradient, Math.min(1, norm / length));

    // Adam's first step is as long as the learning rate, against the gradient.
    const after = await entriesOf(state);
    for (const [name, values] of gradient) {
      values.forEach((g, i) => {
        if (Math.abs(g) > 1e-3) expect(after.get(name)![i] - before.get(name)![i]).toBeCloseTo(-0.01 * Math.sign(g), 4);
      });
    }
    expect(isChanged(before, after, 'actor')).toBe(false);
  });

  it('goes through all branches of its formulas in the tests above', async () => {
    const entries = await entriesOf((await disturbed()).state);
    const [batch, noise] = [batchOf(3), noiseOf(new Random(9), 0.25)];
    const { targets, met } = targetsOf(entries, batch, noise, DEFAULTS);
    const { errors, degrees } = criticLoss(entries, targets, batch, DEFAULTS);
    const both = (cases: readonly boolean[]) => new Set(cases).size === 2;
    expect(both(met.first)).toBe(true);
    expect(both(met.atLimit)).toBe(true);
    expect(both(errors.map((size) => size < 1))).toBe(true);
    expect(both(degrees.map((angle) => angle < 90))).toBe(true);
    expect(both(Array.from(noise, (x) => Math.abs(x) === 0.25))).toBe(true);
  });

  describe.each(['reference', 'cpu'])('with critics that always say the same, on %s', (device) => {
    /** Q1 = (3, 4), Q2 = (0.6, 1.6), Q1' = (5, 1), Q2' = (1, 7), whatever they see. */
    async function constantCritics(settings: object): Promise<OffPolicyLearner> {
      const learner = await learnerOf(settings, { device, batch: 2, groups: 2 });
      learner.initialise(new Random(1), 0);
      for (const name of learner.state.names.filter((each) => /^critic(?:s|Targets)\./.test(each))) {
        learner.state.write(name, (await learner.state.read(name)).fill(0));
      }
      const biases = { 'critics.first': [3, 4], 'critics.second': [0.6, 1.6] };
      const targets = { 'criticTargets.first': [5, 1], 'criticTargets.second': [1, 7] };
      for (const [name, bias] of Object.entries({ ...biases, ...targets })) {
        learner.state.write(`${name}.layer1.bias`, Float32Array.from(bias));
      }
      return learner;
    }
    const two = {
      ...batchOf(1),
      observation: new Float32Array(2 * OBSERVATION),
      next: new Float32Array(2 * OBSERVATION),
      action: new Float32Array(2 * ACTIONS),
      reward: Float32Array.of(0.5, 0, 1, 2),
      preferences: Float32Array.of(1, 0, 0, 1),
    };
    const context = () => ({ progress: 0, update: 1, random: [new Random(1)] });

    it('takes the worse twin for each preference, and nothing after the end', async () => {
      const learner = await constantCritics({ criticAngle: 0, actorAngle: 0 });
      await learner.learn({ ...two, terminal: Float32Array.of(0, 1) }, context());
      // At (1, 0) the second is worse: y = (0.5, 0) + 0.9 (1, 7) = (1.4, 6.3). The other row ends: y = (1, 2).
      // Q1 - y = (1.6, -2.3), (2, 2): sizes 1.1, 1.8, 1.5, 1.5. Q2 - y = (-0.8, -4.7), (-0.4, -0.4): 0.32, 4.2, 0.08, 0.08.
      expect(last(learner, 'criticLoss')).toBeCloseTo(5.9 / 4 + 4.68 / 4, 5);
      expect(last(learner, 'tdError')).toBeCloseTo((1.6 + 2.3 + 2 + 2) / 4, 5);
      expect(last(learner, 'twinGap')).toBeCloseTo((2.4 + 2.4) / 2, 5);
      expect(last(learner, 'meanQ')).toBeCloseTo(3.5, 5);
    });

    it('takes the first twin where both have the same utility', async () => {
      const learner = await constantCritics({ criticAngle: 0, actorAngle: 0 });
      learner.state.write('criticTargets.second.layer1.bias', Float32Array.of(5, 7));
      await learner.learn({ ...two, terminal: Float32Array.of(0, 1) }, context());
      // y = (0.5, 0) + 0.9 (5, 1) = (5, 0.9). Q1 - y = (-2, 3.1), (2, 2): 1.5, 2.6, 1.5, 1.5.
      // Q2 - y = (-4.4, 0.7), (-0.4, -0.4): 3.9, 0.245, 0.08, 0.08.
      expect(last(learner, 'criticLoss')).toBeCloseTo(7.1 / 4 + 4.305 / 4, 5);
    });

    it('measures the angle in degrees, from 0.81 to 90', async () => {
      const loss = async (criticAngle: number, keys: readonly number[][]) => {
        const learner = await constantCritics({ criticAngle, actorAngle: 1 });
        learner.keys![0].offer(keys);
        await learner.learn({ ...two, terminal: Float32Array.of(1, 1) }, context());
        return last(learner, 'criticLoss');
      };
      // Of higher utility than what there was at (1, 0) and (0, 1), where the rows are.
      const along = [
        [30, 40],
        [30, 40],
        [30, 40],
      ];
      const across = [
        [1e5, -75000],
        [-1e6, 75e4],
        [3, 4],
      ];
      const plain = await loss(0, along);
      // Q1 points exactly there: acos(0.9999). Q2 = (0.6, 1.6): acos(8.2 / (5 sqrt(2.92))).
      const second = (180 / Math.PI) * Math.acos(8.2 / (5 * Math.sqrt(2.92)));
      expect((await loss(1, along)) - plain).toBeCloseTo(0.8102 + second, 3);
      expect((await loss(2, along)) - plain).toBeCloseTo(2 * (0.8102 + second), 3);
      // At (1, 0) the direction is (4, -3): at right angles to Q1, and more than that to Q2. At (0, 1) it is (-4, 3).
      const other = (180 / Math.PI) * Math.acos(2.4 / (5 * Math.sqrt(2.92)));
      expect((await loss(1, across)) - plain).toBeCloseTo((90 + 90) / 2 + (90 + other) / 2, 3);
    });
  });
});

describe('an update of the actor', () => {
  const variants: [what: string, settings: Partial<Settings> & { clip?: number }][] = [
    ...FAMILIES.map((family): [string, Partial<Settings>] => [`of the ${family} family`, { family }]),
    ['without the angle', { actorAngle: 0 }],
    ['with the angle alone in its loss, and none for the critics', { criticAngle: 0 }],
    ['that keeps actions off their limits', { saturation: 0.1 }],
    ['that keeps actions off their limits alone', { saturation: 10, saturationFrom: 0.5 }],
    [
      'judged by normalised critics that classify, of scaled rewards',
      { criticNorm: 'layer', rewardScale: true, atoms: 5 },
    ],
    ['judged by critics whose values are from a centre', { rewardScale: true, rewardCentre: true }],
    ['with a gradient that is clipped', { clip: 0.5 }],
  ];

  it.each(variants)('%s descends the loss as it is written down', async (_, { clip: norm = 1e5, ...changes }) => {
    const settings = { ...DEFAULTS, ...changes };
    const learner = await disturbed({ ...settings, clip: norm, policyDelay: 1, learningRate: 0.01, tau: 0.25 });
    const { state } = learner;
    const before = await entriesOf(state);
    const batch = batchOf(3);
    await learner.learn(batch, { progress: 0, update: 1, random: [new Random(9)] });
    const after = await entriesOf(state);

    // It is judged by the first critic as that is after its own update.
    const judged: Entries = new Map(
      [...before].map(([name, own]) => [name, /^actor\./.test(name) ? own : after.get(name)!]),
    );
    const loss = actorLoss(judged, batch, settings);
    expect(last(learner, 'actorLoss')).toBeCloseTo(loss, 3);
    const gradient = gradientOf(judged, 'actor', (moved) => actorLoss(moved, batch, settings));
    const length = lengthOf(gradient);
    expect(last(learner, 'actorGradient') / length).toBeCloseTo(1, 3);
    if (norm < 1) expect(length).toBeGreaterThan(norm);
    await expectGradient(state, 'actorAdam', gradient, Math.min(1, norm / length));
    for (const [name, values] of gradient) {
      values.forEach((g, i) => {
        if (Math.abs(g * Math.min(1, norm / length)) < 1e-3) return;
        expect(after.get(name)![i] - before.get(name)![i]).toBeCloseTo(-0.01 * Math.sign(g), 4);
      });
    }
  });

  it('counts the actions that are nearly at their limit', async () => {
    const learner = await disturbed({ policyDelay: 1 });
    const entries = await entriesOf(learner.state);
    const batch = batchOf(3);
    await learner.learn(batch, { progress: 0, update: 1, random: [new Random(9)] });
    const isNear: boolean[] = [];
    for (let row = 0; row < BATCH; row++) {
      const w = preferenceOf(batch, row);
      const theta = actorAt(entries, 'fused', { base: 'actor.base', hyper: 'actor.hyper' }, w);
      for (const x of rawAction(theta, rowOf(batch.observation, row, OBSERVATION), w))
        isNear.push(Math.abs(Math.tanh(x)) > 0.97);
    }
    expect(new Set(isNear).size).toBe(2);
    expect(last(learner, 'saturated')).toBeCloseTo(mean(isNear.map(Number)), 6);
  });

  it('follows key solutions that were replaced, divided by their L1 norm', async () => {
    const learner = await disturbed({ policyDelay: 1, criticAngle: 0 });
    const better = [KEYS[0], [2, 9], [5, 1]];
    expect(learner.keys![0].offer(better)).toBe(2);
    const before = await entriesOf(learner.state);
    const batch = batchOf(3);
    await learner.learn(batch, { progress: 0, update: 1, random: [new Random(9)] });
    const after = await entriesOf(learner.state);
    const judged: Entries = new Map(
      [...before].map(([name, own]) => [name, /^actor\./.test(name) ? own : after.get(name)!]),
    );
    const loss = actorLoss(judged, batch, DEFAULTS, better, 'l1');
    expect(loss).not.toBeCloseTo(actorLoss(judged, batch, DEFAULTS, better, 'l2'), 1);
    expect(last(learner, 'actorLoss')).toBeCloseTo(loss, 3);
  });
});

describe('targets', () => {
  /** Which parts of the state move in which update. */
  async function movements(settings: object, updates: number): Promise<Record<string, number[]>> {
    const learner = await disturbed(settings);
    const moved: Record<string, number[]> = { actor: [], actorTarget: [], critics: [], criticTargets: [] };
    for (let update = 1; update <= updates; update++) {
      const before = await entriesOf(learner.state);
      await learner.learn(batchOf(update), { progress: 0, update, random: [new Random(update)] });
      const after = await entriesOf(learner.state);
      for (const [part, when] of Object.entries(moved)) if (isChanged(before, after, part)) when.push(update);
    }
    return moved;
  }
  const all = [1, 2, 3, 4, 5, 6];

  it('move with the actor alone, every so many updates', async () => {
    const moved = await movements({ policyDelay: 3, targetCritics: 'actor' }, 6);
    expect(moved).toEqual({ actor: [3, 6], actorTarget: [3, 6], critics: all, criticTargets: [3, 6] });
  });

  it('of the critics can move with every update', async () => {
    const moved = await movements({ policyDelay: 3, targetCritics: 'step' }, 6);
    expect(moved).toEqual({ actor: [3, 6], actorTarget: [3, 6], critics: all, criticTargets: all });
  });

  it.each(['step', 'actor'])(
    'of the critics follow what the critics have become, by tau: %s',
    async (targetCritics) => {
      const learner = await disturbed({ targetCritics, policyDelay: 1, tau: 0.25 });
      const before = await entriesOf(learner.state);
      await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
      const after = await entriesOf(learner.state);
      for (const name of [...before.keys()].filter((each) => each.startsWith('criticTargets.'))) {
        const source = after.get(name.replace('criticTargets', 'critics'))!;
        expectClose(
          after.get(name)!,
          before.get(name)!.map((t, i) => 0.75 * t + 0.25 * source[i]),
          1e-6,
        );
      }
    },
  );

  it.each(FAMILIES.flatMap((family) => ['base', 'full'].map((target): [FamilyName, string] => [family, target])))(
    'of the actor, %s, %s: what is copied follows what the actor has become, by tau',
    async (family, target) => {
      const learner = await disturbed({ family, target, policyDelay: 1, tau: 0.25 });
      const before = await entriesOf(learner.state);
      await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
      const after = await entriesOf(learner.state);
      const copied = [...before.keys()].filter((name) => name.startsWith('actorTarget.'));
      const parts = [...new Set(copied.map((name) => name.split('.')[1]))].sort();
      const all = { fused: ['base', 'hyper'], added: ['base', 'hyper'], generated: ['hyper'], conditioned: ['base'] };
      // Without a base the target is the current phi; without phi there is but the base to copy.
      const base = { fused: ['base'], added: ['base'], generated: [], conditioned: ['base'] };
      expect(parts).toEqual((target === 'full' ? all : base)[family]);
      for (const name of copied) {
        const source = after.get(name.replace('actorTarget', 'actor'))!;
        expectClose(
          after.get(name)!,
          before.get(name)!.map((t, i) => 0.75 * t + 0.25 * source[i]),
          1e-6,
        );
      }
    },
  );

  it('begin as copies', async () => {
    const learner = await learnerOf({ target: 'full' });
    learner.initialise(new Random(1), 0);
    const entries = await entriesOf(learner.state);
    for (const [name, values] of entries) {
      if (name.startsWith('actorTarget.')) expect(values).toEqual(entries.get(name.replace('actorTarget', 'actor')));
      if (name.startsWith('criticTargets.'))
        expect(values).toEqual(entries.get(name.replace('criticTargets', 'critics')));
    }
    const twins = ['first', 'second'].map((twin) => entries.get(`critics.${twin}.layer0.weight`));
    expect(twins[0]).not.toEqual(twins[1]);
  });
});

describe('acting', () => {
  const random = new Random(21);
  const rows = 4;
  const s = random.fillNormal(new Float32Array(rows * OBSERVATION), 0, 1);
  const w = Float32Array.of(1, 0, 0.25, 0.75, 0.5, 0.5, 0, 1);

  it.each(FAMILIES)('by a %s policy follows its formula, as does what the critic expects', async (family) => {
    const learner = await disturbed({ family });
    const entries = await entriesOf(learner.state);
    const actions = Array.from({ length: rows }, (_, row) => {
      const own = rowOf(w, row, OBJECTIVES);
      const theta = actorAt(entries, family, { base: 'actor.base', hyper: 'actor.hyper' }, own);
      return bounded(rawAction(theta, rowOf(s, row, OBSERVATION), own));
    });
    expectClose(await learner.act(s, w), actions.flat(), 1e-5);
    expectClose(
      await learner.expected!(s, w),
      actions.map((action, row) => {
        const own = rowOf(w, row, OBJECTIVES);
        return dot(own, network(entries, 'critics.first', [...rowOf(s, row, OBSERVATION), ...own, ...action]));
      }),
      1e-5,
    );
  });

  it('explores with noise in proportion to each limit, within the limits', async () => {
    const learner = await learnerOf({ exploration: 0.1 });
    const generator = new Random(4);
    const noise = generator.clone();
    const action = Float32Array.of(0.3, -1.9, 3.9);
    const seen = [new Set<number>(), new Set<number>(), new Set<number>()];
    for (let i = 0; i < 200; i++) {
      const explored = learner.explore(action, 0, generator, 0, 0) as Float32Array;
      expect([...explored]).toEqual(
        LIMITS.map((limit, k) => Math.fround(clip(action[k] + 0.1 * limit * noise.normal(), limit))),
      );
      explored.forEach((x, k) => seen[k].add(x));
    }
    expect([seen[0].has(2), seen[1].has(-2), seen[2].has(4)]).toEqual([false, true, true]);
    expect(Math.max(...seen[2])).toBe(4);
  });

  it('explores with less and less noise where it is to fall', async () => {
    const learner = await learnerOf({ exploration: 0.1, finalExploration: 0.25 });
    for (const [progress, share] of [
      [0, 1],
      [0.5, 0.625],
      [1, 0.25],
    ]) {
      const explored = learner.explore([0, 0, 0], progress, new Random(4), 0, 0) as Float32Array;
      const noise = new Random(4);
      LIMITS.forEach((limit, k) => expect(explored[k]).toBeCloseTo(share * 0.1 * limit * noise.normal(), 6));
    }
  });

  it('explores with noise of another size in each episode where it is spread, and in no episode with more than that', async () => {
    const learner = await learnerOf({ exploration: 0.1, explorationSpread: 1 });
    const sizes = Array.from({ length: 400 }, (_, episode) => {
      // What the noise is made of is known behind the number that is drawn for the size of it.
      const generator = new Random(episode);
      const size = 2 * generator.clone().uniform();
      const noise = generator.clone();
      noise.uniform();
      for (let step = 0; step < 2; step++) {
        const explored = learner.explore([0, 0, 0], 0, generator, 0, 1) as Float32Array;
        LIMITS.forEach((limit, k) => {
          expect(explored[k]).toBeCloseTo(clip(size * 0.1 * limit * noise.normal(), limit), 6);
        });
      }
      learner.earn!(new Float64Array(2 * OBJECTIVES), Uint8Array.of(0, 1));
      return size;
    });
    expect(Math.min(...sizes)).toBeLessThan(0.1);
    expect(Math.max(...sizes)).toBeGreaterThan(1.9);
  });

  it('explores with noise that follows that of the step before, and begins anew with an episode', async () => {
    const learner = await learnerOf({ exploration: 0.1, explorationCorrelation: 0.8 });
    for (const episode of [1, 2]) {
      const generator = new Random(episode);
      const draws = generator.clone();
      let noise = LIMITS.map(() => draws.normal());
      for (let step = 0; step < 3; step++) {
        const explored = learner.explore([0, 0, 0], 0, generator, 0, 1) as Float32Array;
        LIMITS.forEach((limit, k) => expect(explored[k]).toBeCloseTo(clip(0.1 * limit * noise[k], limit), 6));
        noise = noise.map((before) => 0.8 * before + 0.6 * draws.normal());
      }
      learner.earn!(new Float64Array(2 * OBJECTIVES), Uint8Array.of(0, 1));
    }
  });

  it('can do without noise', async () => {
    const learner = await learnerOf({ exploration: 0 });
    expect(learner.explore(Float32Array.of(1, 2, -4), 0, random, 0, 0)).toEqual(Float32Array.of(1, 2, -4));
  });
});

describe('normalised observations', () => {
  /** The second number never changes, and the third hardly does. */
  const seen = Array.from({ length: 12 }, (_, i) => [3 + 2 * Math.sin(7 * i), -5, 1e-4 * i]);
  const moments = [0, 1, 2].map((k) => {
    const column = seen.map((row) => row[k]);
    const centre = mean(column);
    return { centre, deviation: Math.max(0.01, Math.sqrt(mean(column.map((x) => (x - centre) ** 2)))) };
  });
  const normalised = (row: readonly number[]) =>
    row.map((x, k) => clip((x - moments[k].centre) / moments[k].deviation, 10));

  it('are scaled by the mean and deviation of all that was observed, and cut off at 10', async () => {
    const [learner, plain] = [await disturbed({ normalise: true }), await disturbed()];
    for (const [from, to] of [
      [0, 5],
      [5, 12],
    ]) {
      learner.observe!(Float32Array.from(seen.slice(from, to).flat()));
    }
    expectClose(
      await learner.state.read('observations.mean'),
      moments.map(({ centre }) => centre),
      1e-6,
    );
    expectClose(
      await learner.state.read('observations.scale'),
      moments.map(({ deviation }) => 1 / deviation),
      1e-5,
    );

    const rows = [
      [4, -5.05, 0.02],
      [900, -5, -0.3],
    ];
    expect(rows.map(normalised)[1]).toEqual([10, 0, -10]);
    const w = Float32Array.of(0.25, 0.75, 1, 0);
    const scaled = Float32Array.from(rows.flatMap(normalised));
    const given = Float32Array.from(rows.flat());
    expectClose((await learner.act(given, w)).slice(), Array.from(await plain.act(scaled, w)), 1e-4);
    expectClose((await learner.expected!(given, w)).slice(), Array.from(await plain.expected!(scaled, w)), 1e-4);

    // And where it learns: this and the next observations of a batch.
    const batch = batchOf(3);
    const rowsOf = (values: Float32Array) =>
      Float32Array.from(Array.from({ length: BATCH }, (_, row) => normalised(rowOf(values, row, OBSERVATION))).flat());
    const context = () => ({ progress: 0, update: 10, random: [new Random(9)] });
    await learner.learn(batch, context());
    await plain.learn({ ...batch, observation: rowsOf(batch.observation), next: rowsOf(batch.next) }, context());
    for (const name of ['criticLoss', 'criticGradient', 'actorLoss', 'actorGradient']) {
      expectClose(learner.diagnostics()[name], Array.from(plain.diagnostics()[name]), 1e-3);
    }
  });

  it('pass as they are before any was observed', async () => {
    const [learner, plain] = [await disturbed({ normalise: true }), await disturbed()];
    const s = Float32Array.of(0.5, -9, 3);
    const w = Float32Array.of(0.5, 0.5);
    expectClose((await learner.act(s, w)).slice(), Array.from(await plain.act(s, w)), 1e-6);
  });

  it('belong to the policy, unlike what only learns', async () => {
    const parts = (learner: OffPolicyLearner) => [...new Set(learner.policy.map((name) => name.split('.')[0]))].sort();
    expect(parts(await learnerOf({ normalise: true }))).toEqual(['actor', 'observations']);
    expect(parts(await learnerOf())).toEqual(['actor']);
  });
});

describe('replicas', () => {
  it('are as many learners as if each were alone', async () => {
    const settings = { normalise: true, policyDelay: 2, targetCritics: 'step', saturation: 0.1 };
    const both = await disturbed(settings, { replicas: 2 });
    const offers = [
      [[9, 1], KEYS[1], KEYS[2]],
      [KEYS[0], [1, 9], [9, 1]],
    ];
    const seen = new Random(8).fillNormal(new Float32Array(2 * 5 * OBSERVATION), 1, 2);
    const batches = [1, 2, 3, 4].map((seed) => batchOf(seed, 2));
    const part = <A extends Values>(values: A, replica: number): A => {
      const size = values.length / 2;
      return values.slice(replica * size, (replica + 1) * size) as A;
    };
    const own = (batch: Batch, replica: number): Batch => ({
      observation: part(batch.observation, replica),
      action: part(batch.action, replica),
      reward: part(batch.reward, replica),
      next: part(batch.next, replica),
      terminal: part(batch.terminal, replica),
      preferences: part(batch.preferences, replica),
    });

    both.observe!(seen);
    offers.forEach((offer, replica) => both.keys![replica].offer(offer));
    const random = [new Random(31), new Random(32)];
    for (const [i, batch] of batches.entries()) await both.learn(batch, { progress: 0, update: i + 1, random });

    for (const replica of [0, 1]) {
      const alone = await learnerOf(settings);
      const begun = await disturbed(settings, { replicas: 2 });
      for (const name of alone.state.names) alone.state.write(name, part(await begun.state.read(name), replica));
      alone.observe!(part(seen, replica));
      alone.keys![0].offer(offers[replica]);
      const generator = new Random(31 + replica);
      for (const [i, batch] of batches.entries()) {
        await alone.learn(own(batch, replica), { progress: 0, update: i + 1, random: [generator] });
      }
      for (const name of alone.state.names) {
        expectClose(part(await both.state.read(name), replica), Array.from(await alone.state.read(name)), 1e-5);
      }
      for (const [name, values] of Object.entries(both.diagnostics())) {
        expectClose([values[replica]], [alone.diagnostics()[name][0]], 1e-4);
      }
      const [s, w] = [part(batches[0].observation, replica), part(batches[0].preferences, replica)];
      const few = s.slice(0, 3 * OBSERVATION);
      const twice = (values: Float32Array) => Float32Array.from([...values, ...values]);
      const actions = part(await both.act(twice(few), twice(w)), replica);
      expectClose(actions, Array.from(await alone.act(few, w)), 1e-5);
    }
  });
});

describe('replicas that differ in settings', () => {
  const VARIED = [
    { learningRate: 0.01, alpha: 0.3, tau: 0.1, targetNoise: 0.2, saturation: 0, averaging: 0.5, exploration: 0.1 },
    { learningRate: 0.001, alpha: 0.1, tau: 0.2, targetNoise: 0.4, saturation: 0.1, averaging: 0.1, exploration: 0.3 },
  ];
  const COMMON = { criticNorm: 'layer', policyDelay: 2, targetCritics: 'step' };

  it('learn and act as each would with its settings alone', async () => {
    const both = await disturbed(COMMON, { replicas: 2, variants: VARIED });
    const batches = [1, 2, 3, 4].map((seed) => batchOf(seed));
    const twice = (values: Float32Array) => Float32Array.from([...values, ...values]);
    const doubled = (batch: Batch) =>
      Object.fromEntries(
        Object.entries(batch).map(([name, values]) => [name, twice(values as Float32Array)]),
      ) as unknown as Batch;
    const alone = [];
    for (const [replica, settings] of VARIED.entries()) {
      const learner = await learnerOf({ ...COMMON, ...settings });
      for (const name of learner.state.names) {
        const values = await both.state.read(name);
        learner.state.write(name, values.slice((replica * values.length) / 2, ((replica + 1) * values.length) / 2));
      }
      alone.push(learner);
    }
    const random = [new Random(31), new Random(32)];
    for (const [i, batch] of batches.entries()) {
      await both.learn(doubled(batch), { progress: 0.5, update: i + 1, random });
    }
    for (const [replica, learner] of alone.entries()) {
      const generator = new Random(31 + replica);
      for (const [i, batch] of batches.entries()) {
        await learner.learn(batch, { progress: 0.5, update: i + 1, random: [generator] });
      }
      const part = (values: Values) => values.slice((replica * values.length) / 2, ((replica + 1) * values.length) / 2);
      for (const name of learner.state.names) {
        expectClose(part(await both.state.read(name)), Array.from(await learner.state.read(name)), 1e-5);
      }
      const [s, w] = [batches[0].observation.slice(0, 3 * OBSERVATION), batches[0].preferences];
      expectClose(part(await both.act(twice(s), twice(w))), Array.from(await learner.act(s, w)), 1e-5);
      const explored = [both, learner].map((each) => each.explore([0, 0, 0], 0, new Random(1), replica, replica));
      const expected = learner === alone[0] ? 0.1 : 0.3;
      expect(explored[0]).toEqual(
        Float32Array.from(
          LIMITS,
          (
            (noise) => (limit: number) =>
              expected * limit * noise.normal()
          )(new Random(1)),
        ),
      );
      const [shared, own] = [both.describe(replica), learner.describe(0)];
      expect(shared).toEqual(own);
    }
  });
});

describe('the average of the actor', () => {
  it('is the actor itself in a replica without one, beside others that have one', async () => {
    const both = await learnerOf(
      { policyDelay: 1 },
      { replicas: 2, variants: [{ averaging: 0 }, { averaging: 0.25 }] },
    );
    const alone = await learnerOf({ policyDelay: 1 });
    for (const learner of [both, alone]) learner.initialise(new Random(3), 0);
    both.initialise(new Random(4), 1);
    const twice = (values: Float32Array) => Float32Array.from([...values, ...values]);
    const batch = batchOf(3);
    const doubled = Object.fromEntries(
      Object.entries(batch).map(([name, values]) => [name, twice(values as Float32Array)]),
    ) as unknown as Batch;
    await both.learn(doubled, { progress: 0, update: 1, random: [new Random(9), new Random(10)] });
    await alone.learn(batch, { progress: 0, update: 1, random: [new Random(9)] });
    const [s, w] = [batch.observation.slice(0, 3 * OBSERVATION), batch.preferences];
    const actions = await both.act(twice(s), twice(w));
    expectClose(actions.slice(0, actions.length / 2), Array.from(await alone.act(s, w)), 1e-5);
  });

  it('is what acts and is kept, follows the actor slowly, and leaves experience to the actor itself', async () => {
    const learner = await learnerOf({ averaging: 0.25, policyDelay: 1, learningRate: 0.05 });
    learner.initialise(new Random(3), 0);
    const before = await entriesOf(learner.state);
    await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
    const after = await entriesOf(learner.state);
    for (const [name, values] of after) {
      if (!name.startsWith('average.')) continue;
      const own = after.get(name.replace('average', 'actor'))!;
      const start = before.get(name)!;
      expect(start).toEqual(before.get(name.replace('average', 'actor')));
      expectClose(
        values,
        start.map((x, i) => x + 0.25 * (own[i] - x)),
        1e-6,
      );
    }
    expect(learner.policy.every((name) => name.startsWith('average.'))).toBe(true);
    const [s, w] = [batchOf(1).observation.slice(0, OBSERVATION), Float32Array.of(0.5, 0.5)];
    const acted = Array.from(await learner.act(s, w));
    const behaved = Array.from(await learner.behave!(s, w));
    expect(acted).not.toEqual(behaved);
    for (const [name, values] of after) {
      if (name.startsWith('actor.')) learner.state.write(name.replace('actor', 'average'), Float32Array.from(values));
    }
    expect(Array.from(await learner.act(s, w))).toEqual(behaved);
  });
});

describe('step sizes', () => {
  it('fall linearly to their last share', async () => {
    const stepAt = async (progress: number) => {
      const learner = await learnerOf({ criticLearningRate: 0.01, finalLearningRate: 0.2 });
      learner.initialise(new Random(3), 0);
      const name = 'critics.first.layer1.bias';
      const before = await learner.state.read(name);
      const start = before.slice();
      await learner.learn(batchOf(3), { progress, update: 1, random: [new Random(9)] });
      return Math.abs((await learner.state.read(name))[0] - start[0]);
    };
    expect(await stepAt(0)).toBeCloseTo(0.01, 5);
    expect(await stepAt(0.5)).toBeCloseTo(0.006, 5);
    expect(await stepAt(1)).toBeCloseTo(0.002, 5);
  });
});

describe('a learner that is saved', () => {
  it('goes on in another exactly as if nothing had happened', async () => {
    const settings = { normalise: true, policyDelay: 2, rewardScale: true, atoms: 5, averaging: 0.1 };
    // Not on the reference device, whose numbers have more digits than can be read.
    const device = 'cpu:1';
    const [one, other] = [await disturbed(settings, { device }), await learnerOf(settings, { device })];
    const seen = (seed: number) => new Random(seed).fillNormal(new Float32Array(5 * OBSERVATION), 1, 2);
    const goOn = async (learner: OffPolicyLearner, update: number) => {
      learner.observe!(seen(update));
      learner.earn!(Float64Array.of(update, -1, 0.5, update), Uint8Array.of(0, Number(update === 2)));
      learner.keys![0].offer([[2 + update, 0], KEYS[1], KEYS[2]]);
      await learner.learn(batchOf(update), { progress: 0, update, random: [new Random(update)] });
    };
    const numbers = (learner: OffPolicyLearner) =>
      Object.entries(learner.diagnostics()).map(([name, values]) => [name, values[0]]);
    await goOn(one, 1);
    await goOn(one, 2);
    for (const name of one.state.names) other.state.write(name, await one.state.read(name));
    other.load(structuredClone(one.save()));
    expect(numbers(other)).toEqual(numbers(one));
    expect(other.keys![0].save()).toEqual(one.keys![0].save());
    for (const learner of [one, other]) {
      await goOn(learner, 3);
      await goOn(learner, 4);
    }
    expect(await entriesOf(other.state)).toEqual(await entriesOf(one.state));
    expect(numbers(other)).toEqual(numbers(one));
  });
});

describe('td3 refuses', () => {
  const refusal = (changes: Partial<Problem>, settings: object = {}) =>
    learnerOf(settings, { problem: { ...PROBLEM, ...changes } }).then(
      () => 'nothing',
      (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
    );

  it('actions whose bounds are not alike on both sides', async () => {
    expect(await refusal({ actionSpace: continuous([-1, -2], [1, 3]) })).toBe(
      'RangeError: td3 needs actions between -x and x, but action 1 is between -2 and 3.',
    );
    expect(await refusal({ actionSpace: continuous([-Infinity], [Infinity]) })).toMatch(
      /but action 0 is between -Infinity and/,
    );
  });

  it('to classify returns of any size', async () => {
    expect(await refusal({}, { atoms: 101 })).toBe(
      'RangeError: atoms needs rewardScale=true: they cover returns of size one.',
    );
    expect(await refusal({}, { atoms: 1, rewardScale: true })).toBe(
      'RangeError: atoms is 1, but must be 0 or at least 2.',
    );
  });

  it('residual critics whose layers are not alike', async () => {
    expect(await refusal({}, { criticNorm: 'residual', criticHidden: [6, 5] })).toBe(
      'RangeError: criticHidden is "6,5", but must have at least one layer, and layers that are alike, with criticNorm=residual.',
    );
  });

  it('discrete actions', async () => {
    expect(await refusal({ actionSpace: discrete(3) })).toBe('RangeError: td3 needs continuous actions.');
  });

  it.each([
    { criticAngle: 1, actorAngle: 0 },
    { criticAngle: 0, actorAngle: 10 },
  ])('an angle without key solutions: %o', async (settings) => {
    expect(await refusal({ keys: undefined }, settings)).toMatch(
      /^RangeError: criticAngle and actorAngle need key solutions/,
    );
  });

  it('nothing where there are no keys and no angle either', async () => {
    const learner = await learnerOf({ criticAngle: 0, actorAngle: 0 }, { problem: { ...PROBLEM, keys: undefined } });
    expect(learner.keys).toBeUndefined();
  });
});
