import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { softwareGpu } from './scripts/software-gpu.mjs';

/**
 * What the processes of the tests, and those that they start, find in their environment: a GPU in software, and none of the
 * certificates that every process of Node otherwise reads as it begins, for a tenth of a second. Only npm needs those.
 * In Node 20 V8 also optimises later; Node 22 and 24 have no such flag.
 */
Object.assign(process.env, softwareGpu());
if (process.env.NODE_EXTRA_CA_CERTS !== undefined) {
  process.env.CERTIFICATES_FOR_NPM = process.env.NODE_EXTRA_CA_CERTS;
  delete process.env.NODE_EXTRA_CA_CERTS;
}
if (process.versions.node.startsWith('20.')) {
  const early = JSON.stringify(fileURLToPath(new URL('test/support/late-optimisation.cjs', import.meta.url)));
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require ${early}`;
}

/** Tests of what happens within a time have the machine to themselves. */
const measuring = ['test/rollout.test.ts'];

/** Tests below a folder of src whose text matches. */
const testsWith = (text: RegExp, folder: string) =>
  readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', folder, name).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && text.test(readFileSync(path, 'utf8')));

/**
 * Where tests register environments or replace modules, which they may do in these folders, each file has a process of its own.
 * So has each of commands, which keep something for as long as they run, and of the page's state.
 */
const registering = [
  ...['envs', 'rollout', 'training'].flatMap((folder) => testsWith(/\bregister\(|\bimportEnvs\(|\bvi\.mock\(/, folder)),
  ...testsWith(/'\.\/state\.js'|\bvi\.|\bglobalThis\b/, 'explorer/page'),
  'src/cli/**/*.test.ts',
];

/** What takes longest begins first, so that no core waits in the end for one that began last; vitest itself goes by size. */
const longest = ['resume', 'explorer-page', 'tensor/gpu', 'gpu-training', 'fuzz', 'resume-exact', 'every-environment'];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    // Native addons (onnxruntime-node) are safer in a process of their own than in a worker thread.
    pool: 'forks',
    setupFiles: ['test/support/properties.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on an idle machine; on a busy one the second that is the default may pass before.
    expect: { poll: { timeout: 100_000 } },
    // One more than the smallest machine has cores: tests often wait, for the disk and for processes that they start.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: [...registering, 'test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: measuring,
          sequence: { groupOrder: 0 },
        },
      },
      // All other tests of single modules share processes, which saves half of their time.
      {
        extends: true,
        test: {
          name: 'modules',
          include: ['src/**/*.test.ts'],
          exclude: registering,
          isolate: false,
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
