// The layering of the program, checked by `npm run layers`.

import { builtinModules } from 'node:module';

const TEST = '[.]test[.]ts$';

const LOWEST = [
  'random',
  'text',
  'config',
  'tensor',
  'nn',
  'pareto',
  'preferences',
  'envs',
  'model',
  'replay',
  'rollout',
];

/**
 * For each folder of src/ the other folders that it may import.
 * @type {Record<string, readonly string[]>}
 */
const MAY_IMPORT = {
  random: [],
  text: [],
  files: [],
  typescript: [],
  config: ['text'],
  tensor: [],
  nn: ['tensor', 'random'],
  pareto: [],
  plots: [],
  preferences: ['random'],
  envs: ['random', 'text', 'pareto'],
  model: ['envs', 'preferences', 'tensor'],
  fronts: ['random', 'files', 'config', 'envs', 'pareto'],
  replay: ['random', 'preferences'],
  rollout: ['text', 'typescript', 'envs', 'model', 'nn', 'tensor', 'random', 'preferences', 'pareto'],
  algorithms: LOWEST,
  training: [...LOWEST, 'fronts', 'algorithms'],
  runs: [
    'files',
    'typescript',
    'config',
    'envs',
    'preferences',
    'model',
    'fronts',
    'plots',
    'replay',
    'rollout',
    'algorithms',
    'training',
  ],
  experiments: [
    'random',
    'text',
    'files',
    'tensor',
    'nn',
    'envs',
    'preferences',
    'fronts',
    'plots',
    'algorithms',
    'training',
    'runs',
  ],
  sweeps: ['text', 'files', 'config', 'fronts', 'training', 'runs', 'experiments'],
  explorer: [...LOWEST, 'files', 'typescript', 'plots', 'fronts', 'training', 'runs'],
  cli: [
    ...LOWEST,
    'files',
    'typescript',
    'fronts',
    'algorithms',
    'plots',
    'training',
    'runs',
    'experiments',
    'sweeps',
    'explorer',
  ],
};
const FOLDERS = Object.keys(MAY_IMPORT);

/** Everything may import this file: it holds one constant and imports nothing. */
const VERSION = '^src/version[.]ts$';

/** What of the package acts with a trained model, as `psl-morl/policy`. */
const POLICY = '^src/policy[.]ts$';

/** @param {readonly string[]} folders */
const inside = (folders) => `^src/(?:${folders.join('|')})/`;

/** The part of the explorer that a browser loads. */
const PAGE = '^src/explorer/(?:page|train)/';

/** The subpaths of the package for browsers; of `tensor` and `nn` only a bundle is without Node, which a test packs. */
const ENTRIES = '^src/(?:policy|(?:pareto|preferences|envs)/index)[.]ts$';

const BACKENDS = '(?:reference|onnx|webgpu)';

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    forbid('no-circular', 'No circular imports, not even of types alone.', {}, { circular: true }),
    forbid('no-unresolvable', 'Every import must lead to a file or package.', {}, { couldNotResolve: true }),
    forbid(
      'no-undeclared-package',
      'A package that is imported must be named in package.json.',
      {},
      // An optional peer is found among what belongs to no package too, because of peerDependenciesMeta.
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),

    ...FOLDERS.map((folder) =>
      forbid(
        `layer-${folder}`,
        `src/${folder} may import: ${MAY_IMPORT[folder].join(', ') || 'no other folder'}.`,
        { path: `^src/${folder}/` },
        {
          path: '^src/',
          pathNot: [
            inside([folder, ...MAY_IMPORT[folder]]),
            VERSION,
            ...(folder === 'cli' ? ['^src/index[.]ts$'] : []),
          ],
        },
      ),
    ),
    forbid(
      'layer-index',
      'src/index.ts may import everything except the command line.',
      { path: '^src/index[.]ts$' },
      { path: '^src/', pathNot: [inside(FOLDERS.filter((folder) => folder !== 'cli')), VERSION] },
    ),
    forbid(
      'layer-policy',
      'src/policy.ts may import src/model.',
      { path: POLICY },
      { path: '^src/', pathNot: inside(['model']) },
    ),
    forbid(
      'layer-unknown',
      'A new file or folder directly in src/ must be given its place in .dependency-cruiser.mjs first.',
      {
        path: '^src/',
        pathNot: [inside(FOLDERS), '^src/index([.]test)?[.]ts$', POLICY, '^src/version([.]test)?[.]ts$'],
      },
      {},
    ),
    forbid(
      'src-stands-alone',
      'src never imports benchmarks, tests, scripts or examples.',
      { path: '^src/', pathNot: TEST },
      { path: '^(?:bench|test|scripts|examples)/' },
    ),
    forbid(
      'unit-tests-stand-alone',
      'Of the folders beside src its tests import only the toy environment, which itself imports nothing.',
      { path: `^src/.*${TEST}` },
      { path: '^(?:bench|test|scripts|examples)/', pathNot: '^test/support/toy[.]mjs$' },
    ),
    forbid('not-to-test', 'Nothing imports a test file.', {}, { path: TEST }),
    forbid(
      'not-to-dev-dependency',
      'Only tests, benchmarks (which measure peers), the page, which is bundled, and what checks, or makes the bundle, the pictures, the site and the file for review, may import development dependencies.',
      {
        path: '^(?:src|scripts|examples)/',
        pathNot: [TEST, PAGE, '^scripts/(?:api|bundle|explorer-pictures|layers|site-pages)[.]mjs$'],
      },
      // Optional peers are installed for development too.
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    ),

    forbid(
      'compiled-from-typescript',
      'What is compiled imports no JavaScript of this repository, which the build leaves out.',
      { path: '^(?:src|bench|examples)/.*[.]ts$', pathNot: [TEST, PAGE] },
      { path: '^(?:src|bench|examples|scripts|test)/.*[.]m?js$' },
    ),

    forbid(
      'tensor-without-backends',
      'Of the files directly in src/tensor only devices.ts knows the backends. (Tests may compare them.)',
      { path: '^src/tensor/[^/]+[.]ts$', pathNot: ['^src/tensor/devices[.]ts$', TEST] },
      { path: `^src/tensor/${BACKENDS}/` },
    ),
    forbid(
      'backends-apart',
      'Tensor backends do not import each other. (Tests may compare them.)',
      { path: `^src/tensor/(${BACKENDS})/`, pathNot: TEST },
      { path: `^src/tensor/${BACKENDS}/`, pathNot: '^src/tensor/$1/' },
    ),
    forbid(
      'learners-without-registry',
      'Learners know nothing of the registry that lists them.',
      { path: '^src/algorithms/', pathNot: ['^src/algorithms/(?:registry|index)[.]ts$', TEST] },
      { path: '^src/algorithms/(?:registry|index)[.]ts$' },
    ),
    forbid(
      'learners-without-populations',
      'A population is trained by a learner, which knows nothing of it.',
      {
        path: '^src/algorithms/',
        pathNot: ['^src/algorithms/(?:registry|index)[.]ts$', '^src/algorithms/population/'],
      },
      { path: '^src/algorithms/population/' },
    ),
    forbid(
      'off-policy-without-ppo',
      'Learners with a replay share nothing with PPO but the files directly in src/algorithms.',
      {
        path: '^src/algorithms/',
        pathNot: ['^src/algorithms/(?:registry|index)[.]ts$', '^src/algorithms/(?:ppo|population)/'],
      },
      { path: '^src/algorithms/ppo/' },
    ),
    forbid(
      'training-without-disk',
      'A training knows no files: src/runs keeps what it tells of itself. (Tests may read some.)',
      { path: '^src/training/', pathNot: TEST },
      { path: '^(?:fs|path)(?:/|$)' },
    ),
    forbid(
      'pipeline-without-experiments',
      'The pipeline of experiments knows none of them: each is a folder, and only index.ts lists them.',
      { path: '^src/experiments/[^/]+[.]ts$', pathNot: '^src/experiments/index[.]ts$' },
      { path: '^src/experiments/[^/]+/' },
    ),
    forbid(
      'experiments-apart',
      'Experiments do not import each other.',
      { path: '^src/experiments/([^/]+)/' },
      { path: '^src/experiments/[^/]+/', pathNot: '^src/experiments/$1/' },
    ),
    forbid(
      'runs-in-browser',
      "These folders also run in a browser, so they import none of Node's built-in modules. (Tests may.)",
      {
        path: inside(['random', 'text', 'config', 'envs', 'pareto', 'preferences', 'plots', 'tensor', 'nn', 'model']),
        pathNot: ['^src/tensor/onnx/', '^src/tensor/devices[.]ts$', '^src/plots/png[.]ts$', TEST],
      },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'entries-run-in-browser',
      "Nothing that these subpaths of the package load, however indirectly, imports Node's built-in modules.",
      { path: ENTRIES },
      { path: `^(?:${builtinModules.join('|')})$`, reachable: true },
    ),
    forbid(
      'page-without-server',
      "The explorer's page and its server share only the files directly in src/explorer.",
      { path: PAGE },
      { path: '^src/explorer/(?:server/|index[.]ts$)' },
    ),
    forbid(
      'onnxruntime-in-one-place',
      'ONNX Runtime is used only through src/tensor/onnx. (The page brings its own, the benchmark measures it bare, tests read files with it.)',
      { pathNot: ['^src/tensor/onnx/', '^src/explorer/train/', '^bench/engine/', '^test/'] },
      { path: 'onnxruntime-(?:node|common|web)' },
    ),
    forbid(
      'plots-without-png',
      'Only png.ts in src/plots needs Node and the native canvas; the other files there do not import it.',
      { path: '^src/plots/', pathNot: ['^src/plots/png[.]ts$', TEST] },
      { path: '^src/plots/png[.]ts$' },
    ),
    forbid(
      'canvas-in-one-place',
      'The native canvas is used only through src/plots/png.ts. (Tests may read pictures with it.)',
      { pathNot: ['^src/plots/png[.]ts$', TEST] },
      { path: '@napi-rs/canvas' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:site|dist|runs|coverage|test-artefacts|[.]git)(?:/|$)' },
    // Imports of types alone count too: a layer that needs another's types depends on it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
