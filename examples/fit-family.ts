/**
 * One model, a whole family of functions: trains a hypernetwork so that the network it generates at preference
 * w = (w1, w2) is the function w1 sin(3x) + w2 cos(2x), and checks it at preferences it was never shown.
 *
 * usage: node examples/fit-family.ts (Node 22.18 and newer), or in a clone node dist/examples/fit-family.js [seed]
 */
import { adam, adamSpecs, compile, float32, fused, grad, mlp, Random, step } from 'psl-morl';

const [groups, rows, updates] = [8, 256, 3000];
const target = (w1: number, x: number): number => w1 * Math.sin(3 * x) + (1 - w1) * Math.cos(2 * x);

const network = mlp({ inputs: 1, hidden: [32, 32], outputs: 1, activation: 'tanh' });
const family = fused(network, 0.5, { objectives: 2, hidden: [64], features: 8 });

const train = step({
  state: { family: family.specs, adam: adamSpecs(family.specs) },
  inputs: { w: float32(groups, 2), x: float32(rows, 1), y: float32(rows, 1), rate: float32() },
  body: (state, { w, x, y, rate }) => {
    const loss = family.apply(state.family, w, x).sub(y).square().mean();
    const next = adam(state.family, grad(loss, state.family), state.adam, { learningRate: rate });
    return { state: { family: next.parameters, adam: next.state }, outputs: { loss } };
  },
});
const predict = step({
  state: { family: family.specs },
  inputs: { w: float32(groups, 2), x: float32(rows, 1) },
  body: (state, { w, x }) => ({ outputs: { y: family.apply(state.family, w, x) } }),
});

const seed = Number(process.argv[2] ?? 1);
const random = new Random(seed);
const trainer = await compile(train);
const predictor = await compile(predict, { state: trainer.state });
trainer.state.load({ family: family.init(random) });

const w = new Float32Array(groups * 2);
const x = new Float32Array(rows);
const y = new Float32Array(rows);
/** Rows come in equal groups, one preference each. */
function fill(preference: (group: number) => number): void {
  for (let g = 0; g < groups; g++) w.set([preference(g), 1 - preference(g)], 2 * g);
  random.fillUniform(x, -2, 2);
  for (let i = 0; i < rows; i++) y[i] = target(w[2 * Math.floor((i * groups) / rows)], x[i]);
}

const start = performance.now();
console.log(
  `fitting one hypernetwork to w1 sin(3x) + w2 cos(2x) for all w: ${updates} updates of ${rows}, seed ${seed}`,
);
for (let i = 1; i <= updates; i++) {
  // Every preference but those of the check: tenths are left out.
  const drawn = Array.from({ length: groups }, () => (random.integer(10) + 0.2 + 0.6 * random.uniform()) / 10);
  fill((g) => drawn[g]);
  const rate = Float32Array.of(3e-3 * (1 - (0.95 * i) / updates));
  const { loss } = await trainer.run({ w, x, y, rate });
  if (i % 500 === 0) {
    const perSecond = Math.round((1000 * i) / (performance.now() - start));
    console.log(`  update ${String(i).padStart(5)}  error ${loss[0].toExponential(2)}  ${perSecond} updates/s`);
  }
}

let squares = 0;
fill((g) => (g + 1) / 10);
const { y: predicted } = await predictor.run({ w, x });
for (let i = 0; i < rows; i++) squares += (predicted[i] - y[i]) ** 2;
const rms = Math.sqrt(squares / rows);
console.log(`at the preferences 0.1, 0.2, ... 0.8, which it was never shown: root mean square error ${rms.toFixed(4)}`);
const passed = rms < 0.05;
console.log(passed ? 'passed: below 0.05' : 'FAILED: should be below 0.05');
process.exitCode = passed ? 0 : 1;
