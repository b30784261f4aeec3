// A thread of this benchmark: steps simulations in a bare loop, for as long as each message asks.

import { parentPort, workerData } from 'node:worker_threads';

import { prepareEnv } from '../../src/envs/index.js';
import type { Robot } from '../../src/envs/mujoco/robot.js';
import { modelOf, Simulation } from '../../src/envs/mujoco/simulation.js';

/** What robots do with random actions, for all that are compared: what a step costs depends on the pose. */
export interface Script {
  /** Of all robots, for each round. */
  readonly actions: readonly Float32Array[];
  /** The poses in which episodes begin, before each round. */
  readonly starts: readonly (readonly {
    readonly row: number;
    readonly qpos: Float64Array;
    readonly qvel: Float64Array;
  }[])[];
}

/** A round of the script with nothing but the simulation. */
export function bareRound(
  { actions, starts }: Script,
  simulations: readonly Simulation[],
  frameSkip: number,
): () => void {
  const width = actions[0].length / simulations.length;
  let round = 0;
  return () => {
    for (const { row, qpos, qvel } of starts[round]) {
      simulations[row].rewind();
      simulations[row].arrays.qpos.set(qpos);
      simulations[row].arrays.qvel.set(qvel);
    }
    simulations.forEach((simulation, row) => {
      const { ctrl } = simulation.arrays;
      for (let i = 0; i < width; i++) ctrl[i] = actions[round][row * width + i];
      simulation.step(frameSkip);
    });
    round = (round + 1) % actions.length;
  };
}

/** Calls a function for a while; returns calls per second. */
export async function rate(action: () => unknown, seconds: number): Promise<number> {
  const start = performance.now();
  let [calls, elapsed] = [0, 0];
  for (; elapsed < 1000 * seconds; elapsed = performance.now() - start, calls++) await action();
  return (1000 * calls) / elapsed;
}

/** What a thread is started with. */
export interface BareLoop {
  readonly env: string;
  readonly robot: Robot;
  readonly frameSkip: number;
  readonly environments: number;
  readonly script: Script;
}

if (parentPort !== null) {
  const port = parentPort;
  const { env, robot, frameSkip, environments, script } = workerData as BareLoop;
  await prepareEnv(env);
  const simulations = Array.from({ length: environments }, () => new Simulation(modelOf(robot, 'legacy'), []));
  const round = bareRound(script, simulations, frameSkip);
  round();
  port.on('message', (seconds: number) => {
    void rate(round, seconds).then((found) => port.postMessage(environments * found));
  });
  port.postMessage('ready');
}
