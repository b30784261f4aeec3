import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'site/', 'runs/', 'coverage/', 'test-artefacts/']),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      // Both projects by name, which takes a tenth less time than to look for them.
      parserOptions: {
        project: ['./tsconfig.json', './src/explorer/page/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // TypeScript resolves every name itself, in .mjs files too (they are type-checked).
      'no-undef': 'off',
      // Index arithmetic often proves that a lookup succeeds where the type checker cannot see it.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Numbers and booleans print plainly in a template; only objects and undefined are mistakes.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `while (true)` is the clearest form of an environment or solver loop that leaves in its middle.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // `() => doIt()` is a fine callback even when doIt returns nothing.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A leading underscore marks a parameter that an interface requires and this implementation does not need.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // These folders also run in a browser. Imports of Node's modules are caught by the layering check, its globals here.
    files: [
      'src/{random,text,config,envs,pareto,preferences,plots,tensor,nn}/**/*.ts',
      'src/explorer/*.ts',
      'src/explorer/page/**/*.{ts,tsx}',
    ],
    ignores: [
      'src/tensor/onnx/**',
      'src/tensor/devices.ts',
      'src/tensor/webgpu/dawn.ts',
      'src/plots/png.ts',
      '**/*.test.ts',
    ],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'setImmediate'] },
  },
);
