import { defineConfig } from 'vitest/config';

import { softwareGpu } from './scripts/software-gpu.mjs';

// The tests run in processes of their own, which find a GPU in software through this.
Object.assign(process.env, softwareGpu());

/** Tests of what happens within a time, or of how much memory is used: they have the machine to themselves. */
const measuring = ['test/faults.test.ts', 'test/rollout.test.ts', 'test/tensor/memory.test.ts'];

export default defineConfig({
  test: {
    // Native addons (onnxruntime-node) are safer in a process of their own than in a worker thread.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: measuring,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: measuring, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
