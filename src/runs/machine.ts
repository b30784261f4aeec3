/** Tells what machine this is. */
import { availableParallelism, cpus } from 'node:os';
import { isObject } from '../files/index.js';
import type { Machine } from './run-files.js';

/** The machine that this process runs on, with the name of the GPU that it trains on. */
export function thisMachine(gpu?: string): Machine {
  return { cpu: cpus().at(0)?.model.trim() ?? 'unknown', cores: availableParallelism(), gpu: gpu ?? null };
}

/** Whether a value from a file is one. */
export function isMachine(value: unknown): value is Machine {
  if (!isObject(value)) return false;
  const { cpu, cores, gpu } = value;
  return typeof cpu === 'string' && Number.isSafeInteger(cores) && (gpu === null || typeof gpu === 'string');
}
