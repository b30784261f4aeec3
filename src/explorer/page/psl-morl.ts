/** What modules of environments find as `psl-morl` in a browser: what an environment can be written with, and no learner. */
export * from '../../envs/index.js';
export * from '../../pareto/index.js';
export * from '../../preferences/index.js';
export * from '../../random/index.js';
