import { spawn } from 'node:child_process';

export interface GpuWatch {
  /** The last that was heard of the GPU. */
  latest(): { readonly percent: number; readonly megabytes: number } | undefined;
  /** Stops watching; how busy the GPU was on average, in percent, or null where nothing could be seen. */
  close(): number | null;
}

/** Looks at the GPU once a second through NVIDIA's own tool, where that is there. */
export function watchGpu(): GpuWatch {
  const query = ['--query-gpu=utilization.gpu,memory.used', '--format=csv,noheader,nounits', '-l', '1'];
  const tool = spawn('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] });
  const seen: { readonly percent: number; readonly megabytes: number }[] = [];
  // Without it there is nothing to see, and no reason to end.
  tool.on('error', () => undefined);
  tool.stdout.on('data', (text: Buffer) => {
    for (const line of text.toString().trim().split('\n')) {
      const [percent, megabytes] = line.split(',').map(Number);
      if (Number.isFinite(percent)) seen.push({ percent, megabytes });
    }
  });
  return {
    latest: () => seen.at(-1),
    close: () => {
      tool.kill();
      return seen.length === 0 ? null : seen.reduce((sum, { percent }) => sum + percent, 0) / seen.length;
    },
  };
}
