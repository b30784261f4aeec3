/** What a run was trained on, without which nobody can judge the time that it took. */
import { availableParallelism, cpus } from 'node:os';
import { isObject } from '../files/index.js';
import type { Device } from '../tensor/index.js';

export interface Machine {
  /** Model of the CPU. */
  readonly cpu: string;
  /** Cores that the process may use. */
  readonly cores: number;
  /** Name of the GPU; null where none was used. */
  readonly gpu: string | null;
}

/** The machine that this process runs on, with what it trains on. */
export function thisMachine({ gpu }: Pick<Device, 'gpu'>): Machine {
  return { cpu: cpus().at(0)?.model.trim() ?? 'unknown', cores: availableParallelism(), gpu: gpu ?? null };
}

/** Whether a value from a file is one. */
export function isMachine(value: unknown): value is Machine {
  if (!isObject(value)) return false;
  const { cpu, cores, gpu } = value;
  return typeof cpu === 'string' && Number.isSafeInteger(cores) && (gpu === null || typeof gpu === 'string');
}
