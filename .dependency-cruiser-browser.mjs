// What runs in a browser, checked by `npm run layers`. A bundle has other files in place of those that package.json names
// under "browser", so these are left out here, and the files in their place are looked at.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';

/** @type {unknown} */
const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
const { browser } = /** @type {{ readonly browser: Readonly<Record<string, string>> }} */ (manifest);

/** @param {string} path of a built file */
const source = (path) => `^${path.replace('./dist/', '').replace('.js', '')}[.]ts$`;

/** @param {string} name @param {string} comment @param {readonly string[]} path */
const withoutNode = (name, comment, path) => ({
  name,
  comment: `${comment}, however indirectly, imports Node's built-in modules.`,
  severity: 'error',
  from: { path },
  to: { path: `^(?:node:)?(?:${builtinModules.join('|')})$`, reachable: true },
});

export default {
  forbidden: [
    withoutNode('page-runs-in-browser', "Nothing that the explorer's page loads", ['^src/explorer/(?:page|train)/']),
    withoutNode('training-runs-in-browser', 'Nothing that a training needs', [
      '^src/training/',
      '^src/runs/train-in-memory[.]ts$',
    ]),
    withoutNode('in-browser', 'Nothing that takes the place of what is for Node', Object.values(browser).map(source)),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Tests too, which nothing imports.
    exclude: { path: [...Object.keys(browser).map(source), '[.]test[.]ts$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
