/**
 * A learner of one's own: Q-learning with vectors whose target does not take the best next action but an average over all
 * of them, the better ones with larger weights (as soft Q-learning does). The preference decides what is better.
 *
 * usage: npx psl train deep-sea-treasure --import ./examples/learners/soft-q.ts --algo soft-q
 */
import * as psl from 'psl-morl';
import type { FamilyParameters, Tensor } from 'psl-morl';

psl.registerAlgorithm({
  name: 'soft-q',
  kind: 'off-policy',
  summary: 'Q-learning with a soft maximum, over a policy family',
  actions: ['discrete'],
  fields: {
    ...psl.familyFields,
    hidden: psl.integers({ default: [64, 64], min: 1, network: true, about: 'Hidden layers of the Q-network.' }),
    learningRate: psl.number({ default: 1e-3, above: 0, about: 'Step size of Adam.' }),
    tau: psl.number({ default: 0.005, above: 0, max: 1, about: 'Speed of the target network.' }),
    temperature: psl.number({ default: 0.1, above: 0, about: 'How far from the maximum the target is.' }),
    ...psl.epsilonFields({ start: 0.8, end: 0.05, decay: 0.75, source: 'as psl-ddqn' }),
  },

  async create(config, options) {
    const { hidden, learningRate, tau, temperature } = config;
    const { observation, objectives, discount } = options.problem;
    const actions = psl.discreteActions('soft-q', options.problem);
    const network = psl.mlp({ inputs: observation + objectives, hidden, outputs: actions * objectives });
    const family = psl.makeFamily(config, network, objectives);
    const transitions = psl.transitionsFor(options);

    /** Q of every action with the parameters of the rows' preferences: [rows, actions, objectives]. */
    const valuesOf = (theta: FamilyParameters<Tensor>, w: Tensor, s: Tensor) =>
      family
        .apply(theta, w, psl.concat([s, psl.repeatForRows(w, s.shape[0])], 1))
        .reshape([s.shape[0], actions, objectives]);
    const utilities = (q: Tensor, w: Tensor) => q.mul(psl.eachAction(w, q.shape[0])).sum(-1);

    const update = psl.step({
      state: { ...transitions.state, online: family.specs, target: family.specs, adam: psl.adamSpecs(family.specs) },
      inputs: { ...transitions.inputs, w: psl.float32(options.groups, objectives) },
      body: (state, { w, ...inputs }) => {
        const { s, a, r, s2, terminal } = transitions.of(state, inputs);
        const next = valuesOf(state.target, w, s2);
        const utility = utilities(next, w);
        const weight = utility.sub(utility.max(1, true)).div(temperature).exp();
        const share = weight.div(weight.sum(1, true)).reshape([options.batch, actions, 1]);
        const future = next.mul(share).sum(1).mul(psl.constant(1).sub(terminal));
        const error = psl.pick(valuesOf(state.online, w, s), a).sub(r.add(future.mul(discount)).stopGradient());
        const loss = error.square().mean();
        const gradients = psl.grad(loss, state.online);
        const { parameters: online, state: adam } = psl.adam(state.online, gradients, state.adam, { learningRate });
        return { state: { online, adam, target: psl.softUpdate(state.target, online, tau) }, outputs: { loss } };
      },
    });
    const { state, programs } = await psl.compileUpdates({ update }, options);
    const exploration = new psl.EpsilonGreedy(config, actions);
    const parameters = psl.describeFamily(family, 'online', config.alpha);

    return psl.replayLearner(options, {
      state,
      transitions,
      updates: [programs.update],
      policy: ['online'],
      describe: () => psl.describePolicy({ network, parameters, output: 'values' }),
      initialise(random, replica) {
        const online = family.init(random);
        state.load({ online, target: online }, replica);
      },
      act: (rows) =>
        psl.step({
          state: { online: family.specs },
          inputs: { s: psl.float32(rows, observation), w: psl.float32(rows, objectives) },
          body: ({ online }, { s, w }) => ({ outputs: { action: utilities(valuesOf(online, w, s), w).argmax(1) } }),
        }),
      explore: (action, progress, random, _, env) => exploration.action(action[0], progress, random, env),
      learn: (run, w) => run(programs.update, { w }),
    });
  },
});
