/**
 * Policies as ONNX graphs, for any number of observations at a time: one for all preferences, and one for a single
 * preference, which is smaller and faster.
 */
import { GraphBuilder } from '../tensor/onnx/builder.js';
import { AS_NEAR, otherAnswers } from './answers.js';
import { observationSize } from './description.js';
import type { HiddenActivation, ModelDescription, ParametersDescription } from './description.js';
import type { Model } from './model.js';
import type { Layer, PlainPolicy } from './plain-policy.js';

/** The name of the dimension over rows. */
const ROWS = 'batch';

/** A linear layer in a graph: from a signal [batch, inputs] to one [batch, outputs]. */
type Linear = (signal: string) => string;

/** `(observation, preference) -> action`: the whole model, with a network of its own for every row. */
export function modelAsOnnx(model: Model): Uint8Array {
  const { description, tensors } = model;
  const { policy, objectives } = description;
  const { generated, members } = policy.parameters;
  const size = observationSize(policy, objectives.length);
  const graph = new GraphBuilder();
  const observation = graph.input('observation', [ROWS, size]);
  const preference = answered(graph, model, graph.input('preference', [ROWS, objectives.length]));
  const member = members && bestMember(graph, model, members, preference);
  const momentOf = (name: string): string => {
    const values = tensors.get(name)!;
    if (member === undefined) return graph.constant(values, [size], name);
    return graph.apply('Gather', [graph.constant(values, [members!.count, size], name), member]);
  };
  const { normalisation } = policy;
  const x = normalisation
    ? normalised(graph, observation, normalisation.limit, momentOf(normalisation.mean), momentOf(normalisation.scale))
    : observation;
  const input = policy.inputs.length === 1 ? x : graph.apply('Concat', [x, preference], { axis: 1 });
  const layers =
    generated === undefined ? baseLayers(graph, model, member) : generatedLayers(graph, model, generated, preference);
  const y = forward(graph, input, layers, policy.activation);
  putAction(graph, y, description, graph.apply('Unsqueeze', [preference, graph.integers(2)]));
  return graph.encode(`${description.env} policies`, metadataOf(description));
}

/** `(observation) -> action`: the network of the preference that a policy is at. */
export function policyAsOnnx({ model, preference, used, layers, moments }: PlainPolicy): Uint8Array {
  const { description } = model;
  const { policy, objectives } = description;
  const size = observationSize(policy, objectives.length);
  const graph = new GraphBuilder();
  const observation = graph.input('observation', [ROWS, size]);
  const x = moments
    ? normalised(
        graph,
        observation,
        moments.limit,
        graph.constant(moments.mean, [size]),
        graph.constant(moments.scale, [size]),
      )
    : observation;
  const seen = policy.inputs.length === 1 ? layers : withoutPreference(layers, used);
  const linear = seen.map((layer, i) => affine(graph, layer, `layer${i}`));
  const y = forward(graph, x, linear, policy.activation);
  putAction(graph, y, description, graph.constant(used, [used.length, 1]));
  const [asked, answering] = [preference, used].map((weights) => JSON.stringify(Array.from(weights)));
  return graph.encode(`${description.env} policy`, { ...metadataOf(description), preference: answering, asked });
}

/** The preference is an input that never changes, so its part of the first layer is a part of the bias. */
function withoutPreference([first, ...rest]: readonly Layer[], preference: ArrayLike<number>): Layer[] {
  const width = first.bias.length;
  const size = first.weight.length / width - preference.length;
  const bias = first.bias.map((value, j) => {
    return Array.from(preference).reduce((sum, w, k) => sum + w * first.weight[(size + k) * width + j], value);
  });
  return [{ weight: first.weight.subarray(0, size * width), bias }, ...rest];
}

/** The preference whose policy answers that of each row; preferences with answers of their own are passed on as they are. */
function answered(graph: GraphBuilder, model: Model, preference: string): string {
  const { policy, objectives } = model.description;
  const others = otherAnswers(model);
  if (policy.answers === undefined || others.every((other) => other === undefined)) return preference;
  const { count, asked: name } = policy.answers;
  const size = objectives.length;
  const table = graph.constant(model.tensors.get(name)!, [count, size], name);
  const between = graph.apply('Sub', [graph.apply('Unsqueeze', [preference, graph.integers(1)]), table]);
  const distances = graph.apply('ReduceSumSquare', [between, graph.integers(2)], { keepdims: 0 });
  const least = graph.apply('ReduceMin', [distances, graph.integers(1)], { keepdims: 1 });
  const limit = graph.apply('Mul', [least, graph.constant([AS_NEAR], [])]);
  // The first that is as near as the nearest.
  const isNear = graph.cast(graph.apply('LessOrEqual', [distances, limit]), 'int32');
  const row = graph.apply('ArgMax', [isNear], { axis: 1, keepdims: 0 });
  const ofRow = (values: ArrayLike<number>, width: number, title: string): string =>
    graph.apply('Gather', [graph.constant(values, [count, width], title), row]);
  const own = others.map((other) => (other === undefined ? 1 : 0));
  const used = Float32Array.from(others.flatMap((other) => Array.from(other ?? new Float32Array(size))));
  const kept = graph.apply('Mul', [preference, ofRow(own, 1, 'answers.own')]);
  return graph.apply('Add', [kept, ofRow(used, size, policy.answers.used)]);
}

/** Which member of a finite set of policies answers the preference of each row. */
function bestMember(
  graph: GraphBuilder,
  { description, tensors }: Model,
  { count, returns }: Required<ParametersDescription>['members'],
  preference: string,
): string {
  const table = graph.constant(tensors.get(returns)!, [count, description.objectives.length], returns);
  const utilities = graph.apply('Gemm', [preference, table], { transB: 1 });
  return graph.apply('ArgMax', [utilities], { axis: 1, keepdims: 0 });
}

/** The layers of a base network that is the same for all rows, or of each row's member where there are several. */
function baseLayers(graph: GraphBuilder, model: Model, member: string | undefined): Linear[] {
  const { layers: sizes, parameters } = model.description.policy;
  const { tensors: network, share } = parameters.base!;
  return sizes.slice(1).map((outputs, i): Linear => {
    const { weight, bias } = layerIn(model, network, i);
    const layer = { weight: scaled(weight, share), bias: scaled(bias, share) };
    if (member === undefined) return affine(graph, layer, `layer${i}`);
    const { count } = parameters.members!;
    const weights = graph.constant(layer.weight, [count, sizes[i], outputs], `layer${i}.weight`);
    const biases = graph.constant(layer.bias, [count, 1, outputs], `layer${i}.bias`);
    const [weightOfRow, biasOfRow] = [weights, biases].map((all) => graph.apply('Gather', [all, member]));
    return (signal) => {
      const rows = graph.apply('MatMul', [graph.apply('Unsqueeze', [signal, graph.integers(1)]), weightOfRow]);
      return graph.apply('Squeeze', [graph.apply('Add', [rows, biasOfRow]), graph.integers(1)]);
    };
  });
}

/**
 * The layers of networks that are generated for each row, without materialising them: with features f of a row's preference,
 * x (sum_k f_k U_k) + sum_k f_k b_k is sum_k f_k (x U_k + b_k), in which all rows share each U_k. The base network is added
 * to the last head, whose feature is always 1.
 */
function generatedLayers(
  graph: GraphBuilder,
  model: Model,
  { tensors: network, share, layers: trunk }: Required<ParametersDescription>['generated'],
  preference: string,
): Linear[] {
  const { layers: sizes, parameters } = model.description.policy;
  const { base } = parameters;
  const features = featuresOf(graph, model, `${network}.trunk`, trunk, preference);
  const columns = graph.apply('Unsqueeze', [graph.apply('Transpose', [features], { perm: [1, 0] }), graph.integers(2)]);
  const count = trunk[trunk.length - 1] + 1;
  return sizes.slice(1).map((outputs, i): Linear => {
    const heads = layerIn(model, `${network}.heads`, i);
    const own = base && layerIn(model, base.tensors, i);
    const fused = (part: keyof Layer): Float32Array => {
      const values = scaled(heads[part], share);
      const last = values.subarray(values.length - values.length / count);
      if (base && own) last.forEach((value, k) => (last[k] = value + base.share * own[part][k]));
      return values;
    };
    const weight = graph.constant(fused('weight'), [count, sizes[i], outputs], `layer${i}.weight`);
    const bias = graph.constant(fused('bias'), [count, 1, outputs], `layer${i}.bias`);
    return (signal) => {
      const rows = graph.apply('MatMul', [graph.apply('Unsqueeze', [signal, graph.integers(0)]), weight]);
      const terms = graph.apply('Mul', [graph.apply('Add', [rows, bias]), columns]);
      return graph.apply('ReduceSum', [terms, graph.integers(0)], { keepdims: 0 });
    };
  });
}

/** Features of the preferences and a 1 behind them, [batch, features + 1]: a column of zeros with a bias of 1. */
function featuresOf(
  graph: GraphBuilder,
  model: Model,
  network: string,
  sizes: readonly number[],
  preference: string,
): string {
  const layers = sizes.slice(1).map((outputs, i) => {
    const layer = layerIn(model, network, i);
    if (i < sizes.length - 2) return affine(graph, layer, `features${i}`);
    const weight = new Float32Array(sizes[i] * (outputs + 1));
    for (let row = 0; row < sizes[i]; row++) {
      weight.set(layer.weight.subarray(row * outputs, (row + 1) * outputs), row * (outputs + 1));
    }
    return affine(graph, { weight, bias: Float32Array.of(...layer.bias, 1) }, `features${i}`);
  });
  return forward(graph, preference, layers, 'relu');
}

function layerIn({ tensors }: Model, network: string, i: number): Layer {
  return { weight: tensors.get(`${network}.layer${i}.weight`)!, bias: tensors.get(`${network}.layer${i}.bias`)! };
}

function scaled(values: Float32Array, share: number): Float32Array {
  return values.map((value) => share * value);
}

function affine(graph: GraphBuilder, { weight, bias }: Layer, name: string): Linear {
  const w = graph.constant(weight, [weight.length / bias.length, bias.length], `${name}.weight`);
  const b = graph.constant(bias, [bias.length], `${name}.bias`);
  return (signal) => graph.apply('Gemm', [signal, w, b]);
}

function forward(graph: GraphBuilder, input: string, layers: readonly Linear[], activation: HiddenActivation): string {
  return layers.reduce((signal, linear, i) => {
    const sum = linear(signal);
    return i === layers.length - 1 ? sum : graph.apply(activation === 'tanh' ? 'Tanh' : 'Relu', [sum]);
  }, input);
}

function normalised(graph: GraphBuilder, observation: string, limit: number, mean: string, scale: string): string {
  const centred = graph.apply('Mul', [graph.apply('Sub', [observation, mean]), scale]);
  return graph.apply('Clip', [centred, graph.constant([-limit], []), graph.constant([limit], [])]);
}

/**
 * The outputs of a graph: the best action for each row, and what it was chosen by where actions are discrete.
 * @param preference as columns that utilities are the product with
 */
function putAction(
  graph: GraphBuilder,
  y: string,
  { actionSpace, objectives, policy }: ModelDescription,
  preference: string,
): void {
  if (actionSpace.kind === 'discrete') {
    const isValues = policy.output === 'values';
    const utilitiesOf = (): string => {
      const values = graph.apply('Reshape', [y, graph.integers(-1, actionSpace.n, objectives.length)]);
      return graph.apply('Squeeze', [graph.apply('MatMul', [values, preference]), graph.integers(2)]);
    };
    const scores = isValues ? utilitiesOf() : y;
    const best = graph.apply('ArgMax', [scores], { axis: 1, keepdims: 0 });
    graph.output('action', graph.cast(best, 'int32'), 'int32', [ROWS]);
    graph.output(isValues ? 'utilities' : 'scores', scores, 'float32', [ROWS, actionSpace.n]);
    return;
  }
  const size = actionSpace.low.length;
  const [low, high] = [actionSpace.low, actionSpace.high].map((bounds) => graph.constant(bounds, [size]));
  const actionOf = (): string => {
    if (policy.output === 'normal') return graph.apply('Min', [graph.apply('Max', [y, low]), high]);
    const range = [0, size, 1].map((value) => graph.integers(value));
    const mean = policy.output === 'tanh-normal' ? graph.apply('Slice', [y, ...range]) : y;
    return graph.apply('Mul', [graph.apply('Tanh', [mean]), high]);
  };
  graph.output('action', actionOf(), 'float32', [ROWS, size]);
}

function metadataOf({ env, algorithm, objectives, version }: ModelDescription): Record<string, string> {
  return {
    env,
    ...(algorithm !== undefined && { algorithm }),
    objectives: JSON.stringify(objectives),
    ...(version !== undefined && { version }),
  };
}
