/**
 * Reads models of format 1. They said how they were trained and not what their networks are, so a reader had to know every
 * algorithm. This is the only file that still does.
 */
import { DESCRIPTION_FILE, MODEL_FORMAT, WEIGHTS_FILE } from './description.js';
import { isRecord, shown } from './read-description.js';
import type { NamedTensor } from './safetensors.js';

type Entries = Readonly<Record<string, unknown>>;
type Tensors = ReadonlyMap<string, NamedTensor>;

const RETURNS = 'members.returns';
/** Where normalised observations were cut off. */
const LIMIT = 10;

/** What parameters are made of in each family: the share of the base network, and that of the hypernetwork. */
const sharesWith = (alpha: unknown) =>
  new Map<unknown, readonly [base: unknown, generated?: unknown]>([
    ['conditioned', [1]],
    ['generated', [undefined, 1]],
    ['added', [1, 1]],
    ['fused', [1 - Number(alpha), alpha]],
  ]);

/** A description of format 1 as one of the newest format, which is still to be checked. */
export function upgraded(old: Entries, tensors: Tensors): Entries {
  const { algorithm, settings, actionSpace } = old;
  const returns = tensors.get(RETURNS);
  // Envelope Q-learning has one network and no family.
  const { family, alpha } = isRecord(settings) ? settings : {};
  const kind = returns ? 'members' : family === undefined ? 'conditioned' : family;
  const shares = returns ? [1] : sharesWith(alpha).get(kind);
  if (!shares) throw new RangeError(`${DESCRIPTION_FILE} has the family ${shown(family)}, which no version knows`);
  const [base, generated] = shares;
  // The policy of TD3 and PPO is its actor, that of Q-learning the network of the values.
  const root = [...tensors.keys()].some((name) => name.startsWith('actor.')) ? 'actor' : 'online';
  const hyper = `${root}.hyper`;
  const network = returns || family !== undefined ? `${root}.base` : root;
  const space = isRecord(actionSpace) ? actionSpace : {};
  const isDiscrete = space.kind === 'discrete';
  const isPpo = returns || algorithm === 'psl-ppo';
  const parameters = {
    family: kind,
    ...(base !== undefined && { base: { tensors: network, share: base } }),
    ...(generated !== undefined && {
      generated: { tensors: hyper, share: generated, layers: sizesOf(tensors, `${hyper}.trunk`) },
    }),
    ...(returns && { members: { count: returns.shape[0], returns: RETURNS } }),
  };
  return {
    ...old,
    format: MODEL_FORMAT,
    // What is continuous now was called a box.
    actionSpace: { ...space, kind: space.kind === 'box' ? 'continuous' : space.kind },
    policy: {
      inputs: returns ? ['observation'] : ['observation', 'preference'],
      layers: sizesOf(tensors, base === undefined ? `${hyper}.heads` : network),
      activation: isPpo ? 'tanh' : 'relu',
      output: isPpo ? (isDiscrete ? 'categorical' : 'normal') : isDiscrete ? 'values' : 'tanh',
      parameters,
      ...(tensors.has('observations.mean') && {
        normalisation: { mean: 'observations.mean', scale: 'observations.scale', limit: LIMIT },
      }),
    },
  };
}

/** Units of the input and of each layer of a network, whose weights may have leading axes. */
function sizesOf(tensors: Tensors, name: string): number[] {
  const sizes: number[] = [];
  for (let i = 0; ; i++) {
    const weight = tensors.get(`${name}.layer${i}.weight`);
    if (weight === undefined) break;
    const [inputs, outputs] = weight.shape.slice(-2);
    if (i === 0) sizes.push(inputs);
    sizes.push(outputs);
  }
  if (sizes.length === 0) throw new RangeError(`${WEIGHTS_FILE} lacks "${name}.layer0.weight"`);
  return sizes;
}
