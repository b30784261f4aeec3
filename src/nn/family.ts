/**
 * Policy families: functions from a preference to the parameters of a network. The paper's method (parameter fusion),
 * its ablations and its rivals are families and differ only here; learners are written once, against the interface.
 */
import type { Random } from '../random/index.js';
import { constant, float32, ShapeError } from '../tensor/index.js';
import type { Operand, Spec, Tensor } from '../tensor/index.js';
import { featureColumns, generate, hypernetwork, linearOfRows, mapLayers } from './hypernetwork.js';
import type { HypernetworkOptions, HypernetworkParameters } from './hypernetwork.js';
import type { LayerParameters, Network, Parameters } from './mlp.js';

/** What a family trains: a base network, a hypernetwork, or both. */
export type FamilyParameters<T> = {
  readonly base?: Parameters<T>;
  readonly hyper?: HypernetworkParameters<T>;
};

/** The parameters of a network at each preference, and the network with them. */
export interface Family {
  /** Its name: fused, generated, added, conditioned, independent, or that of one's own. */
  readonly kind: string;
  readonly network: Network;
  readonly specs: FamilyParameters<Spec>;
  init(random: Random): FamilyParameters<Float32Array>;
  /**
   * The network's parameters at preferences [G, objectives]: with a leading axis of G, or without one where they
   * are the same for all.
   */
  at(parameters: FamilyParameters<Tensor>, preferences: Tensor): Parameters<Tensor>;
  /**
   * The network on a batch of rows. Rows come in as many equal, contiguous groups as there are preferences, and each
   * group is served by the network of its preference: G = rows gives every row a network of its own.
   */
  apply(parameters: FamilyParameters<Tensor>, preferences: Tensor, rows: Tensor): Tensor;
}

/** theta1: the preference is only an input of the network. (PD-MORL) */
export function conditioned(network: Network): Family {
  return {
    kind: 'conditioned',
    network,
    specs: { base: network.specs },
    init: (random) => ({ base: network.init(random) }),
    at: ({ base }) => present(base),
    apply: ({ base }, preferences, rows) => {
      checkGroups(preferences.shape[0], rows.shape[0]);
      return network.apply(present(base), rows);
    },
  };
}

export type HyperOptions = Omit<HypernetworkOptions, 'target'>;

/** (1 - alpha) theta1 + alpha phi(w), where alpha may be a scalar of the graph. (PSL-MORL) */
export function fused(network: Network, alpha: Operand, options: HyperOptions): Family {
  if (typeof alpha === 'number' && !(alpha >= 0 && alpha <= 1)) {
    throw new RangeError(`alpha must lie in [0, 1], got ${alpha}`);
  }
  const base = typeof alpha === 'number' ? 1 - alpha : constant(1).sub(alpha);
  return withHypernetwork('fused', network, options, { base, generated: alpha });
}

/** phi(w). (ablation "gen") */
export function generated(network: Network, options: HyperOptions): Family {
  return withHypernetwork('generated', network, options, { generated: 1 });
}

/** theta1 + phi(w). (ablation "add") */
export function added(network: Network, options: HyperOptions): Family {
  return withHypernetwork('added', network, options, { base: 1, generated: 1 });
}

/** base * theta1 + generated * phi(w): the general form of the three families above. */
export function withHypernetwork(
  kind: string,
  network: Network,
  options: HyperOptions,
  scale: { readonly base?: Operand | undefined; readonly generated: Operand },
): Family {
  const phi = hypernetwork({ ...options, target: network });
  const hasBase = scale.base !== undefined;
  /** The base network's share, where the family has one. */
  const share = (base: Parameters<Tensor> | undefined, layer: string): LayerParameters<Tensor> | undefined => {
    if (scale.base === undefined) return undefined;
    const { weight, bias } = present(base)[layer];
    return { weight: weight.mul(scale.base), bias: bias.mul(scale.base) };
  };
  const at: Family['at'] = ({ base, hyper }, preferences) => {
    const features = phi.featuresOf(present(hyper), preferences);
    return mapLayers(network.specs, (_, layer, part) =>
      generate(present(hyper).heads[layer][part], features, scale.generated, share(base, layer)?.[part]),
    );
  };
  return {
    kind,
    network,
    specs: { ...(hasBase && { base: network.specs }), hyper: phi.specs },
    init: (random) => ({ ...(hasBase && { base: network.init(random) }), hyper: phi.init(random) }),
    at,
    apply: (parameters, preferences, rows) => {
      // With one preference for each row, generating a network for each would take nearly all the time.
      if (preferences.shape[0] !== rows.shape[0]) return applyGrouped(network, at(parameters, preferences), rows);
      const hyper = present(parameters.hyper);
      const columns = featureColumns(phi.featuresOf(hyper, preferences), scale.generated);
      return network.forward(rows, (layer, signal) =>
        linearOfRows(hyper.heads[layer], columns, signal, share(parameters.base, layer)),
      );
    },
  };
}

/** One theta for each of some fixed preferences; another preference gets that of the nearest. (RA, key solutions) */
export function independent(network: Network, fixed: readonly (readonly number[])[]): Family {
  if (fixed.length === 0) throw new RangeError('independent: needs at least one fixed preference');
  const members = fixed.length;
  const at: Family['at'] = ({ base }, preferences) => {
    const [groups, objectives] = preferences.shape;
    const anchors = constant(fixed.flat(), [members, objectives]);
    const distance = preferences.reshape([groups, 1, objectives]).sub(anchors).square().sum(-1);
    const nearest = distance.argmin(-1);
    return mapLayers(present(base), (theta) => theta.gather(nearest));
  };
  return {
    kind: 'independent',
    network,
    specs: { base: mapLayers(network.specs, ({ shape }) => float32(members, ...shape)) },
    init: (random) => {
      const each = fixed.map(() => network.init(random));
      return {
        base: mapLayers(network.specs, (_, layer, part) => {
          const parts = each.map((theta) => theta[layer][part]);
          const all = new Float32Array(parts[0].length * members);
          parts.forEach((values, i) => all.set(values, i * values.length));
          return all;
        }),
      };
    },
    at,
    apply: (parameters, preferences, rows) => applyGrouped(network, at(parameters, preferences), rows),
  };
}

/** The network with parameters that were made by `Family.at`, on rows in as many groups. */
export function applyGrouped(network: Network, parameters: Parameters<Tensor>, rows: Tensor): Tensor {
  const { bias } = Object.values(parameters)[0];
  if (bias.rank === 1) return network.apply(parameters, rows);
  const [count, inputs] = rows.shape;
  const groups = bias.shape[0];
  checkGroups(groups, count);
  return network.apply(parameters, rows.reshape([groups, count / groups, inputs])).reshape([count, network.outputs]);
}

function checkGroups(groups: number, rows: number): void {
  if (rows % groups === 0) return;
  throw new ShapeError(`a batch of ${rows} rows cannot be served in ${groups} equal preference groups`);
}

/** Each preference as many times as its group has rows: [G, m] to [rows, m]. */
export function repeatForRows(preferences: Tensor, rows: number): Tensor {
  const [groups, objectives] = preferences.shape;
  return preferences
    .reshape([groups, 1, objectives])
    .broadcastTo([groups, rows / groups, objectives])
    .reshape([rows, objectives]);
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the parameters given are not those of this family');
  return part;
}
