import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const below = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Builds the page of `psl explore`, as a part of `npm run build`.
export default defineConfig({
  root: below('src/explorer/page'),
  // Relative, so that an exported page works in any folder of a web server.
  base: './',
  // Of what it warns, only that MuJoCo asks for a module of Node where it runs in Node.
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: below('dist/src/explorer/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The page may load nothing from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // three.js is one file of that size, loaded beside the page when there is a robot to draw.
    chunkSizeWarningLimit: 900,
  },
  worker: { format: 'es' },
});
