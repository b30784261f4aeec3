/** What model files say about the networks of learners. */
import type { ParametersDescription, PolicyDescription } from '../model/index.js';
import type { Family, Network, Parameters } from '../nn/index.js';
import type { Spec } from '../tensor/index.js';
import { sharesOf } from './family-fields.js';
import { OBSERVATION_LIMIT } from './normaliser.js';

/** The state has moments under `observations` where it normalises them. */
export type DescribedPolicy = Pick<PolicyDescription, 'output' | 'parameters'> & {
  readonly network: Network;
  readonly isNormalised?: boolean;
  /** Whether the network sees the preference beside the observation, which it does by default. */
  readonly seesPreference?: boolean;
};

export function describePolicy(policy: DescribedPolicy): PolicyDescription {
  const { network, output, parameters, isNormalised = false, seesPreference = true } = policy;
  return {
    inputs: seesPreference ? ['observation', 'preference'] : ['observation'],
    layers: sizesOf(network.specs),
    activation: network.activation,
    output,
    parameters,
    ...(isNormalised && {
      normalisation: { mean: 'observations.mean', scale: 'observations.scale', limit: OBSERVATION_LIMIT },
    }),
  };
}

/**
 * Of a family whose parameters are under a name in the state.
 * @param alpha the share of what is generated, where the family is fused
 */
export function describeFamily({ kind, specs }: Family, name: string, alpha: number): ParametersDescription {
  const shares = sharesOf(kind, alpha);
  return {
    family: kind,
    ...(specs.base !== undefined && { base: { tensors: `${name}.base`, share: shares.base } }),
    ...(specs.hyper !== undefined && {
      generated: { tensors: `${name}.hyper`, share: shares.generated, layers: sizesOf(specs.hyper.trunk) },
    }),
  };
}

/** Units of the input and of each layer. */
function sizesOf(layers: Parameters<Spec>): number[] {
  const weights = Object.values(layers).map(({ weight }) => weight.shape);
  return [weights[0][0], ...weights.map(([, outputs]) => outputs)];
}
