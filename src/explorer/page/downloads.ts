/** What a person can take away from the page. */
import { frontPlot } from '../../plots/index.js';
import { constant, leaf } from '../../tensor/tensor.js';
import type { Tensor } from '../../tensor/tensor.js';
import { exportOnnx } from '../../tensor/onnx/export.js';
import { policyOf, readModel, type Policy } from '../policy.js';
import { activePane, front, preferences, run } from './state.js';

export const DOWNLOADS: Readonly<Record<string, () => void | Promise<void>>> = {
  'Policy at this preference (ONNX)': async () => {
    const policy = await currentPolicy();
    save('policy.onnx', onnxOf(policy, preferences.value[activePane.value]), 'application/octet-stream');
  },
  'Policy at this preference (JSON)': async () => {
    const policy = await currentPolicy();
    save('policy.json', JSON.stringify(jsonOf(policy, preferences.value[activePane.value])), 'application/json');
  },
  'Front (CSV)': () => save('front.csv', csvOf(), 'text/csv'),
  'Front (SVG)': () => save('front.svg', svgOf(), 'image/svg+xml'),
  'Front (PNG)': async () => save('front.png', await pngOf(svgOf()), 'image/png'),
};

async function currentPolicy(): Promise<Policy> {
  const { url } = run.value!;
  const [description, weights] = await Promise.all([
    fetch(`${url}model.json`).then((response): Promise<unknown> => response.json()),
    fetch(`${url}model.safetensors`).then((response) => response.arrayBuffer()),
  ]);
  const policy = policyOf(readModel(description, new Uint8Array(weights)));
  policy.prefer(preferences.value[activePane.value]);
  return policy;
}

/** One observation in, one action out: the network of this preference alone, for any ONNX runtime. */
function onnxOf({ model, layers, observations }: Policy, asked: readonly number[]): Uint8Array {
  const { actionSpace, objectives, activation, squashed, choice, members } = model;
  // A policy of a finite set does not see what it was chosen by.
  const preference = members === undefined ? asked : [];
  const size = layers[0].weight.length / layers[0].bias.length - preference.length;
  const observation = leaf('observation', [1, size]);
  const seen =
    observations === undefined
      ? observation
      : observation
          .sub(constant(observations.mean, [size]))
          .mul(constant(observations.scale, [size]))
          .clamp(-10, 10);
  // The preference is an input that never changes, so its part of the first layer is a part of the bias.
  const [first, ...rest] = layers;
  const width = first.bias.length;
  const bias = first.bias.map((value, j) => {
    return preference.reduce((sum, weight, k) => sum + weight * first.weight[(size + k) * width + j], value);
  });
  const own = { weight: first.weight.subarray(0, size * width), bias };
  const output = [own, ...rest].reduce((signal: Tensor, layer, i) => {
    const outputs = layer.bias.length;
    const weight = constant(layer.weight, [layer.weight.length / outputs, outputs]);
    const sum = signal.matmul(weight).add(constant(layer.bias, [outputs]));
    if (i === layers.length - 1) return sum;
    return activation === 'tanh' ? sum.tanh() : sum.relu();
  }, seen);
  if (actionSpace.kind === 'continuous') {
    const [low, high] = [actionSpace.low, actionSpace.high].map((bound) => constant(bound, [bound.length]));
    const action = squashed ? output.tanh().mul(high) : output.maximum(low).minimum(high);
    return exportOnnx({ observation }, { action }, { name: `${model.env} policy` });
  }
  const scores =
    choice === 'score'
      ? output
      : output
          .reshape([1, actionSpace.n, objectives])
          .mul(constant(preference, [objectives]))
          .sum(-1);
  const action = scores.argmax(1);
  return exportOnnx({ observation }, { action }, { name: `${model.env} policy` });
}

function jsonOf({ model, layers, observations }: Policy, preference: readonly number[]) {
  const { env, algorithm, actionSpace, activation, squashed, choice, members } = model;
  const ofChoices =
    choice === 'score'
      ? 'a score for each action; take the action of the largest'
      : 'values [actions, objectives]; take the action whose values times the preference are largest';
  return {
    env,
    algorithm,
    preference,
    input: `the observation, normalised where there is a mean${members === undefined ? ', then the preference' : ''}`,
    output:
      actionSpace.kind === 'continuous'
        ? `the action, as ${squashed ? 'tanh(output) times the limits' : 'the output cut off at the limits'}`
        : ofChoices,
    actionSpace,
    observations: observations && { mean: [...observations.mean], scale: [...observations.scale], limit: 10 },
    hiddenActivation: activation,
    layers: layers.map(({ weight, bias }) => ({ weight: rows(weight, bias.length), bias: [...bias] })),
  };
}

function rows(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
}

function csvOf(): string {
  const names = run.value!.env.objectives.map(({ name }) => name);
  const { preferences: at, returns } = front.value;
  const header = [...names, ...names.map((name) => `preference ${name}`)];
  return [header, ...returns.map((point, i) => [...point, ...at[i]])].map((cells) => `${cells.join(',')}\n`).join('');
}

/** The picture that psl front draws. */
function svgOf(): string {
  const { env, algorithm, name, returnDiscount } = run.value!;
  const { preferences: at, returns } = front.value;
  return frontPlot({
    title: `${env.id}: Pareto front of ${algorithm}`,
    subtitle: name,
    objectives: env.objectives.map(({ name: objective, unit }) =>
      unit === undefined ? objective : `${objective} (${unit})`,
    ),
    points: returns,
    preferences: at,
    trueFront: env.knownFront?.(returnDiscount),
  });
}

async function pngOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    // Sharp also on screens with small pixels.
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be drawn.')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

function save(name: string, content: string | Uint8Array | Blob, type: string): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${run.value!.id}-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
