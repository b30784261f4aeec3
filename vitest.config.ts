import { defineConfig } from 'vitest/config';

import { softwareGpu } from './scripts/software-gpu.mjs';

// The tests run in processes of their own, which find a GPU in software through this.
Object.assign(process.env, softwareGpu());

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // Native addons (onnxruntime-node) are safer in a process of their own than in a worker thread.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
