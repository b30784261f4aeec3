/** What a finished run achieved and how it got there, for pictures and tables. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { frontOf } from '../fronts/index.js';
import type { ReturnsAt } from '../fronts/index.js';
import type { Run } from '../runs/index.js';

/** An evaluation while a run trained. */
export interface LearningPoint {
  readonly envSteps: number;
  /** Since the run began, or its share of them where several were trained together; null where nobody looked. */
  readonly seconds: number | null;
  readonly hypervolume: number;
}

export interface FrontAndCurve {
  /** Distinct non-dominated returns of what the run ended with, to six digits. */
  readonly front: readonly (readonly number[])[];
  readonly curve: readonly LearningPoint[];
}

export function frontAndCurveOf(run: Run, evaluated: ReturnsAt): FrontAndCurve {
  const { returns } = frontOf(evaluated);
  return {
    front: returns.map((point) => point.map((value) => Number(value.toPrecision(6)))),
    curve: curveOf(run),
  };
}

/** Empty where the run has none that can be read. */
function curveOf({ folder, protocol: { lockstep } }: Run): LearningPoint[] {
  try {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const { evaluations = [] } = JSON.parse(read('result.json')) as { evaluations?: Timed[] };
    const seconds = new Map(evaluations.map((timed) => [timed.envSteps, timed.seconds]));
    return read('metrics.jsonl')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { envSteps, score } = JSON.parse(line) as Measured;
        const after = seconds.get(envSteps);
        return {
          envSteps,
          seconds: after === undefined ? null : after / lockstep,
          hypervolume: score.hypervolume,
        };
      });
  } catch {
    return [];
  }
}

interface Timed {
  readonly envSteps: number;
  readonly seconds: number;
}

interface Measured {
  readonly envSteps: number;
  readonly score: { readonly hypervolume: number };
}
