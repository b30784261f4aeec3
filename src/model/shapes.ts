/** Whether the parts of a model file fit together: it may be damaged, or made by somebody else. */
import type { Space } from '../envs/index.js';

interface Part {
  readonly length: number;
}
interface LayerSizes {
  readonly weight: Part;
  readonly bias: Part;
}

/** What of a model has a size. */
export interface ModelSizes {
  readonly actionSpace: Space;
  readonly objectives: number;
  readonly choice: 'values' | 'score';
  readonly base?: readonly LayerSizes[];
  readonly hyper?: { readonly trunk: readonly LayerSizes[]; readonly heads: readonly LayerSizes[] };
  readonly observations?: { readonly mean: Part; readonly scale: Part };
  readonly members?: { readonly count: number; readonly returns: Part };
}

/** Throws a RangeError, to complete "the model ...", unless all sizes fit together. */
export function checkSizes({ actionSpace, objectives, choice, base, hyper, observations, members }: ModelSizes): void {
  if (objectives < 2) throw new RangeError(`has ${objectives} objectives, but must have at least 2`);
  const ofChoice = choice === 'values' ? objectives : 1;
  const actions = actionSpace.kind === 'continuous' ? actionSpace.high.length : actionSpace.n * ofChoice;
  const isSpace =
    actionSpace.kind === 'discrete'
      ? Number.isSafeInteger(actionSpace.n) && actionSpace.n > 0
      : actions > 0 &&
        actionSpace.low.length === actions &&
        [...actionSpace.low, ...actionSpace.high].every(Number.isFinite);
  if (!isSpace) throw new RangeError('has a model.json whose action space is none');

  const copies = members?.count ?? 1;
  const isSet = Number.isSafeInteger(copies) && copies > 0;
  if (!isSet || (members !== undefined && members.returns.length !== copies * objectives)) {
    throw new RangeError('has returns that do not fit its members');
  }
  const known = base && sizesOf('its network', base, copies);
  if (hyper !== undefined) {
    const trunk = sizesOf('its hypernetwork', hyper.trunk, 1);
    if (trunk[0] !== objectives)
      throw new RangeError(`has a hypernetwork for ${trunk[0]} objectives, not ${objectives}`);
    const generated = sizesOf('its generated network', hyper.heads, trunk[trunk.length - 1] + 1);
    if (known !== undefined && known.join() !== generated.join()) {
      throw new RangeError(`has a network of sizes ${known.join('-')} and generates one of ${generated.join('-')}`);
    }
    checkNetwork(generated);
  }
  if (known !== undefined) checkNetwork(known);

  function checkNetwork(sizes: readonly number[]): void {
    const outputs = sizes[sizes.length - 1];
    if (outputs !== actions) throw new RangeError(`has ${outputs} outputs, but its actions need ${actions}`);
    const seen = members === undefined ? sizes[0] - objectives : sizes[0];
    if (seen < 1) throw new RangeError('has a network that sees no observation');
    const { mean = { length: seen * copies }, scale = mean } = observations ?? {};
    if (mean.length !== seen * copies || scale.length !== seen * copies) {
      throw new RangeError(`has moments of ${mean.length / copies} numbers, but its network sees ${seen}`);
    }
  }
}

/**
 * The inputs of the first layer and the outputs of each.
 * @param copies how many networks, or rows that one is made of, are kept in each array
 */
function sizesOf(what: string, layers: readonly LayerSizes[], copies: number): number[] {
  const sizes: number[] = [];
  for (const { weight, bias } of layers) {
    const outputs = bias.length / copies;
    const inputs = weight.length / bias.length;
    if (!Number.isInteger(outputs) || !Number.isInteger(inputs) || outputs < 1 || inputs < 1) {
      throw new RangeError(`has a layer of ${what} with ${weight.length} weights for ${bias.length} biases`);
    }
    if (sizes.length === 0) sizes.push(inputs);
    else if (inputs !== sizes[sizes.length - 1]) {
      throw new RangeError(
        `has a layer of ${what} with ${inputs} inputs behind one with ${sizes[sizes.length - 1]} outputs`,
      );
    }
    sizes.push(outputs);
  }
  return sizes;
}
