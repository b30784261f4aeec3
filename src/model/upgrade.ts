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

/** A description of format 1 as one of the newest format, which is still to be checked. */
export function upgraded(old: Entries, tensors: Tensors): Entries {
  const { algorithm, actionSpace } = old;
  const { family, alpha } = isRecord(old.settings) ? old.settings : {};
  // The policy of TD3 and PPO is its actor, that of Q-learning the network of the values.
  const root = [...tensors.keys()].some((name) => name.startsWith('actor.')) ? 'actor' : 'online';
  const returns = tensors.get(RETURNS);
  const isPpo = returns !== undefined || algorithm === 'psl-ppo';
  const isDiscrete = isRecord(actionSpace) && actionSpace.kind === 'discrete';

  const base = (name: string, share: number) => ({ base: { tensors: name, share } });
  const generated = (share: number) => ({
    generated: { tensors: `${root}.hyper`, share, layers: sizesOf(tensors, `${root}.hyper.trunk`) },
  });
  const parameters = (): Entries => {
    if (returns !== undefined) {
      return { ...base(`${root}.base`, 1), members: { count: returns.shape[0], returns: RETURNS } };
    }
    switch (family) {
      // Envelope Q-learning has one network and no family.
      case undefined:
        return base(root, 1);
      case 'conditioned':
        return base(`${root}.base`, 1);
      case 'generated':
        return generated(1);
      case 'added':
        return { ...base(`${root}.base`, 1), ...generated(1) };
      case 'fused':
        if (typeof alpha !== 'number')
          throw new RangeError(`${DESCRIPTION_FILE} lacks an alpha for the family "fused"`);
        return { ...base(`${root}.base`, 1 - alpha), ...generated(alpha) };
      default:
        throw new RangeError(`${DESCRIPTION_FILE} has the family ${shown(family)}, which no version knows`);
    }
  };
  const described = parameters();
  const { tensors: network } = (described.base ?? { tensors: `${root}.hyper.heads` }) as { readonly tensors: string };

  return {
    ...old,
    format: MODEL_FORMAT,
    // What is continuous now was called a box.
    actionSpace:
      isRecord(actionSpace) && actionSpace.kind === 'box' ? { ...actionSpace, kind: 'continuous' } : actionSpace,
    policy: {
      inputs: returns === undefined ? ['observation', 'preference'] : ['observation'],
      layers: sizesOf(tensors, network),
      activation: isPpo ? 'tanh' : 'relu',
      output: isPpo ? (isDiscrete ? 'categorical' : 'normal') : isDiscrete ? 'values' : 'tanh',
      parameters: { family: returns === undefined ? (family ?? 'conditioned') : 'members', ...described },
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
