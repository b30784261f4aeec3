import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Figures that td3_step.py prints. */
export interface TorchFigures {
  readonly version: string;
  readonly threads: number;
  readonly criticStepMs: number;
  readonly actorStepMs: number;
}

/** This folder holds JavaScript when it runs; the script stays in the sources. */
function scriptPath(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.slice(0, here.lastIndexOf(join('dist', 'bench')));
  return join(root, 'bench', 'peers', 'td3_step.py');
}

/** A Python with PyTorch, or undefined. Debian's own is looked at too, where another `python3` comes first. */
export async function findTorch(): Promise<string | undefined> {
  if (!existsSync(scriptPath())) return undefined;
  for (const python of ['python3', '/usr/bin/python3', 'python']) {
    try {
      await run(python, ['-c', 'import torch']);
      return python;
    } catch {
      // Not there, or without torch: try the next.
    }
  }
  return undefined;
}

/** One measurement with the given number of threads, for torch and for the BLAS below it. */
export async function measureTorch(python: string, seconds: number, threads: number): Promise<TorchFigures> {
  const count = String(threads);
  const { stdout } = await run(python, [scriptPath(), '--seconds', String(seconds), '--threads', count], {
    env: { ...process.env, OMP_NUM_THREADS: count, OPENBLAS_NUM_THREADS: count },
  });
  return { threads, ...(JSON.parse(stdout) as Omit<TorchFigures, 'threads'>) };
}
