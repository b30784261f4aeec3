/** Fits a small network on any device; a browser loads this file to fit it on its own GPU. */
import type { Device } from '../../src/tensor/device.js';
import { grad } from '../../src/tensor/grad.js';
import { compileFor } from '../../src/tensor/program.js';
import { float32 } from '../../src/tensor/shape.js';
import { step } from '../../src/tensor/step.js';
import { openGpu } from '../../src/tensor/webgpu/device.js';

const fitting = step({
  state: { hidden: float32(2, 16), output: float32(16, 1) },
  inputs: { x: float32(32, 2), y: float32(32, 1) },
  body: (state, { x, y }) => {
    const loss = x.matmul(state.hidden).tanh().matmul(state.output).sub(y).square().mean();
    const gradients = grad(loss, state);
    return {
      state: {
        hidden: state.hidden.sub(gradients.hidden.mul(0.2)),
        output: state.output.sub(gradients.output.mul(0.2)),
      },
      outputs: { loss },
    };
  },
});

/** The losses of some steps; all numbers come from a formula. */
export async function fit(device: Device, steps: number): Promise<number[]> {
  const wave = (length: number, pace: number): Float32Array =>
    Float32Array.from({ length }, (_, i) => Math.sin(pace * (i + 1)));
  const program = await compileFor(device, fitting);
  program.state.load({ hidden: wave(32, 1.7), output: wave(16, 2.3) });
  const x = wave(64, 0.7);
  const y = Float32Array.from({ length: 32 }, (_, i) => x[2 * i] * x[2 * i + 1]);
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push((await program.run({ x, y })).loss[0]);
  return losses;
}

/** The same on the GPU of this machine, with its description. */
export async function fitOnGpu(steps: number): Promise<{ readonly losses: number[]; readonly description: string }> {
  const device = await openGpu();
  return { losses: await fit(device, steps), description: device.description };
}
