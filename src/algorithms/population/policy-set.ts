/**
 * A finite set of policies that each were trained for one task, with what each achieves. A preference is answered by the
 * member whose return is worth most at it.
 */
import { mapLayers } from '../../nn/hypernetwork.js';
import { applyGrouped, mlp, type FamilyParameters, type Parameters as NetworkParameters } from '../../nn/index.js';
import { float32, int32, State, step } from '../../tensor/index.js';
import type { Device, Spec, Tensor, Values } from '../../tensor/index.js';
import { describePolicy } from '../description.js';
import { RowPrograms, type Acting, type Problem } from '../learner.js';
import { normalised, normaliserSpecs } from '../normaliser.js';
import { actionDistribution } from '../ppo/action-distribution.js';

/** What a state entry with the returns of the members is called. */
export const MEMBER_RETURNS = 'members.returns';

/** Entries of a set have a leading axis over its members. */
export interface PolicySet extends Acting {
  readonly members: number;
  /** Deterministic actions for rows of observations, each of a member of its own. Overwritten by the next call. */
  actAs(observations: Float32Array, members: Int32Array): Promise<Values>;
}

export interface PolicySetOptions {
  readonly problem: Problem;
  readonly device: Device;
  readonly members: number;
  /** Hidden layers of each policy. */
  readonly hidden: readonly number[];
}

/** A policy of a set: entries of a learner's state by name, and its return. */
export interface Member {
  readonly policy: ReadonlyMap<string, Values>;
  readonly returns: readonly number[];
}

export function isPolicySet(acting: Acting): acting is PolicySet {
  return 'members' in acting;
}

/** A set whose policies are still to be written into its state. */
export function policySet({ problem, device, members, hidden }: PolicySetOptions): PolicySet {
  const { observation, objectives } = problem;
  const distribution = actionDistribution(problem.actionSpace);
  const network = mlp({ inputs: observation, hidden, outputs: distribution.outputs, activation: 'tanh' });
  const wide = ({ shape }: Spec): Spec => float32(members, ...shape);
  const { mean, scale } = normaliserSpecs(observation);
  const specs = {
    actor: { base: mapLayers(network.specs, wide) } satisfies FamilyParameters<Spec>,
    observations: { mean: wide(mean), scale: wide(scale) },
  };
  const returns = { members: { returns: float32(members, objectives) } };

  type Parts = {
    readonly actor: { readonly base: NetworkParameters<Tensor> };
    readonly observations: { readonly mean: Tensor; readonly scale: Tensor };
  };
  /** Each row through the network of its own member. */
  const actions = ({ actor, observations }: Parts, s: Tensor, member: Tensor): Tensor => {
    const own = { mean: observations.mean.gather(member), scale: observations.scale.gather(member) };
    const theta = mapLayers(actor.base, (entry) => entry.gather(member));
    return distribution.best(applyGrouped(network, theta, normalised(s, own)));
  };

  const act = (rows: number) =>
    step({
      state: { ...specs, ...returns },
      inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
      body: (state, { s, w }) => {
        const best = w.matmul(state.members.returns, { transB: true }).argmax(1);
        return { outputs: { action: actions(state, s, best) } };
      },
    });
  const actAs = (rows: number) =>
    step({
      state: specs,
      inputs: { s: float32(rows, observation), member: int32(rows) },
      body: (state, { s, member }) => ({ outputs: { action: actions(state, s, member) } }),
    });

  const state = new State(device);
  for (const [layer, parts] of Object.entries(specs.actor.base)) {
    state.declare(`actor.base.${layer}.weight`, parts.weight);
    state.declare(`actor.base.${layer}.bias`, parts.bias);
  }
  state.declare('observations.mean', specs.observations.mean);
  state.declare('observations.scale', specs.observations.scale);
  state.declare(MEMBER_RETURNS, returns.members.returns);
  const byPreference = new RowPrograms(state, act);
  const byMember = new RowPrograms(state, actAs);

  return {
    members,
    state,
    policy: state.names,
    describe: () =>
      describePolicy({
        network,
        parameters: {
          family: 'members',
          base: { tensors: 'actor.base', share: 1 },
          members: { count: members, returns: MEMBER_RETURNS },
        },
        output: distribution.kind,
        isNormalised: true,
        seesPreference: false,
      }),
    act: async (s, w) => {
      const program = await byPreference.of(w.length / objectives);
      return (await program.run({ s, w })).action;
    },
    actAs: async (s, member) => {
      const program = await byMember.of(member.length);
      return (await program.run({ s, member })).action;
    },
    diagnostics: () => ({}),
    save: () => null,
    load: () => undefined,
    dispose: async () => {
      await Promise.all([byPreference.dispose(), byMember.dispose()]);
    },
  };
}

/** Writes policies and their returns into a set of as many members. */
export function fillPolicySet(set: PolicySet, members: readonly Member[]): void {
  members.forEach(({ policy, returns }, i) => {
    for (const [name, values] of policy) set.state.write(name, values, i * values.length);
    set.state.write(MEMBER_RETURNS, Float32Array.from(returns), i * returns.length);
  });
}
