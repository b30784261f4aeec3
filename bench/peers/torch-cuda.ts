import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Figures that td3_step_cuda.py prints. */
export interface TorchGraphFigures {
  readonly version: string;
  /** Of the step as published, and of the recommended one. */
  readonly figures: readonly StepFigures[];
  readonly recommended: readonly StepFigures[];
}

interface StepFigures {
  readonly replicas: number;
  readonly criticMs: number;
  readonly actorMs: number;
}

/** The script lies in the sources, or where PSL_BENCH_PEERS says: a machine may have only the built program. */
function scriptPath(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.slice(0, here.lastIndexOf(join('dist', 'bench')));
  return join(process.env.PSL_BENCH_PEERS ?? join(root, 'bench', 'peers'), 'td3_step_cuda.py');
}

/** PyTorch's times on this GPU, or undefined where there is no PyTorch with CUDA. */
export async function measureTorchGraph(
  replicas: readonly number[],
  seconds: number,
): Promise<TorchGraphFigures | undefined> {
  if (!existsSync(scriptPath())) return undefined;
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      await run(python, ['-c', 'import torch; assert torch.cuda.is_available()']);
    } catch {
      continue;
    }
    const flags = ['--replicas', replicas.join(), '--seconds', String(seconds)];
    const { stdout } = await run(python, [scriptPath(), ...flags]);
    return JSON.parse(stdout) as TorchGraphFigures;
  }
  return undefined;
}
