import { fileURLToPath } from 'node:url';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

const below = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Has a browser fetch what the page asks for later at once, while it still reads the page's own script. */
function fetchedEarly(): Plugin {
  const link = (name: string, attrs: HtmlTagDescriptor['attrs']): HtmlTagDescriptor => {
    return { tag: 'link', attrs: { ...attrs, crossorigin: true, href: `./${name}` }, injectTo: 'head' };
  };
  return {
    name: 'fetched-early',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) =>
        Object.keys(bundle ?? {}).flatMap((name) => {
          if (name.endsWith('.woff2')) return [link(name, { rel: 'preload', as: 'font', type: 'font/woff2' })];
          return /(?:page|robot-view)-[^/]*\.js$/.test(name) ? [link(name, { rel: 'modulepreload' })] : [];
        }),
    },
  };
}

// Builds the page of `psl explore`, as a part of `npm run build`.
export default defineConfig({
  root: below('src/explorer/page'),
  // Relative, so that an exported page works in any folder of a web server.
  base: './',
  // Of what it warns, only that MuJoCo asks for a module of Node where it runs in Node.
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [fetchedEarly()],
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
