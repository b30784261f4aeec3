/**
 * How a network depends on the preference: the settings that choose a policy family, and the family that they stand
 * for. All learners share them.
 */
import { choice, integer, integers, number, refusal } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { conditioned, withHypernetwork } from '../nn/index.js';
import type { Family, Network } from '../nn/index.js';
import { constant, sizeOf, specsOf } from '../tensor/index.js';
import type { Operand } from '../tensor/index.js';
import { MOST_FEATURES, MOST_GENERATORS, WIDEST } from './limits.js';

/** The parameters of a network at preference w: base theta1 + generated phi(w), where phi is a hypernetwork. */
export interface FamilyDefinition {
  readonly name: string;
  /** What they are, for help. */
  readonly summary: string;
  /**
   * Shares of the base network and of what is generated; a family has one of them or both.
   * @param alpha the setting of that name: a number, or a scalar of the graph where replicas differ in it
   */
  shares(alpha: Operand): { readonly base?: Operand; readonly generated?: Operand };
}

const families: FamilyDefinition[] = [
  {
    name: 'fused',
    summary: '(1-alpha) base + alpha phi(w)',
    shares: (alpha) => ({
      base: typeof alpha === 'number' ? 1 - alpha : constant(1).sub(alpha),
      generated: alpha,
    }),
  },
  { name: 'generated', summary: 'phi(w)', shares: () => ({ generated: 1 }) },
  { name: 'added', summary: 'base + phi(w)', shares: () => ({ base: 1, generated: 1 }) },
  { name: 'conditioned', summary: 'base alone', shares: () => ({ base: 1 }) },
];

/** Adds a policy family: from then on it is a value of the setting `family` of every learner that has one. */
export function registerFamily(definition: FamilyDefinition): void {
  const { name } = definition;
  if (!/^[\w-]+$/.test(name) || familyNames().includes(name)) {
    throw new RangeError(`name is "${name}", but must be a word that is not the name of a family yet.`);
  }
  const { base, generated } = definition.shares(0.5);
  if (base === undefined && generated === undefined) {
    throw new RangeError(`shares of "${name}" are none, but must have a base, what is generated, or both.`);
  }
  // Model files state them as numbers.
  for (const alpha of [0, 0.5, 1]) {
    const shares: Readonly<Record<string, Operand | undefined>> = definition.shares(alpha);
    for (const [part, share] of Object.entries(shares)) {
      if (share === undefined || Number.isFinite(share)) continue;
      throw new RangeError(refusal(`shares.${part} of "${name}" at alpha ${alpha}`, share, 'a finite number'));
    }
  }
  if (generated === undefined && base !== 1) {
    throw new RangeError(`share of the base of "${name}" must be 1 where nothing is generated.`);
  }
  families.push(definition);
}

export function familyNames(): string[] {
  return families.map(({ name }) => name);
}

function familyNamed(name: string): FamilyDefinition {
  const family = families.find((entry) => entry.name === name);
  if (family === undefined)
    throw new RangeError(`family is "${name}", but must be one of: ${familyNames().join(', ')}.`);
  return family;
}

/** How a network depends on the preference: settings of every learner. */
export const familyFields = {
  family: {
    ...choice(familyNames(), {
      network: true,
      default: 'fused',
      about: 'Parameters at preference w: (1-alpha) base + alpha phi(w), phi(w), base + phi(w), or base alone.',
      source: 'paper, eq. of parameter fusion and ablations',
    }),
    // Those that are registered later are values too.
    get allowed() {
      return familyNames();
    },
    accepts: (value: unknown): value is string => typeof value === 'string' && familyNames().includes(value),
  },
  alpha: number({
    network: true,
    default: 0.05,
    min: 0,
    max: 1,
    about: 'Share of the generated parameters in the fused family.',
    source: 'paper, hyperparameter tables',
  }),
  hyperHidden: integers({
    network: true,
    default: [128, 128],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the hypernetwork.',
    source: 'open in the paper; as Hyper-MORL',
  }),
  hyperFeatures: integer({
    network: true,
    default: 10,
    min: 1,
    max: MOST_FEATURES,
    about: 'Features of the preference before the linear output layer of the hypernetwork.',
    source: 'open in the paper; as Hyper-MORL',
  }),
} as const;

/** @param alpha where it is not the same for all replicas of a program */
export function makeFamily(
  config: ConfigOf<typeof familyFields>,
  network: Network,
  objectives: number,
  alpha: Operand = config.alpha,
): Family {
  const { base, generated } = familyNamed(config.family).shares(alpha);
  if (generated === undefined) return conditioned(network);
  const count = countOf(network);
  const most = Math.floor(MOST_GENERATORS / count);
  if (config.hyperFeatures > most) {
    throw new RangeError(
      refusal('hyperFeatures', config.hyperFeatures, `at most ${most} for policies of ${count} parameters`),
    );
  }
  const options = { objectives, hidden: config.hyperHidden, features: config.hyperFeatures };
  return withHypernetwork(config.family, network, options, { base, generated });
}

function countOf({ specs }: Network): number {
  return [...specsOf(specs).values()].reduce((sum, { shape }) => sum + sizeOf(shape), 0);
}

/** Shares of the base network and of what is generated, of which a family may lack one. */
export interface FamilyShares {
  readonly base?: number;
  readonly generated?: number;
}

/** The shares of a family where alpha is a number. */
export function sharesAt(name: string, alpha: number): FamilyShares {
  const { base, generated } = familyNamed(name).shares(alpha);
  return {
    ...(base !== undefined && { base: numberOf(base) }),
    ...(generated !== undefined && { generated: numberOf(generated) }),
  };
}

/** The shares in the parameters of a family, as model files state them. */
export function sharesOf(kind: string, alpha: number): Required<FamilyShares> {
  // That of populations is no setting.
  const { base = 0, generated = 0 } = kind === 'independent' ? { base: 1, generated: 1 } : sharesAt(kind, alpha);
  return { base, generated };
}

function numberOf(share: Operand): number {
  if (typeof share === 'number') return share;
  throw new TypeError('the shares of a family must be numbers where alpha is one.');
}
