import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { onnxruntimeFile, PACKAGE_FILE } from './src/explorer/run-list.js';
import { mujocoFile } from './src/explorer/server/page-files.js';

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
      handler: (_, { bundle = {} }) => {
        const scripts = Object.values(bundle).flatMap((file) =>
          file.type === 'chunk' && /^(?:page|robot-view)$/.test(file.name) ? [file.fileName, ...file.imports] : [],
        );
        const fonts = Object.keys(bundle).filter((name) => name.endsWith('.woff2'));
        return [
          ...fonts.map((name) => link(name, { rel: 'preload', as: 'font', type: 'font/woff2' })),
          ...[...new Set(scripts)].map((name) => link(name, { rel: 'modulepreload' })),
        ];
      },
    },
  };
}

/** Takes the files that package.json has for browsers, as bundles of the package do, here of its sources. */
function forBrowsers(): Plugin {
  const source = (path: string) => below(path.replace('/dist/', '/').replace(/js$/, 'ts'));
  const { browser } = JSON.parse(readFileSync(below('package.json'), 'utf8')) as { browser: Record<string, string> };
  const replaced = new Map(Object.entries(browser).map((pair) => pair.map(source) as [string, string]));
  return {
    name: 'for-browsers',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      if (!id.startsWith('.')) return undefined;
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      return resolved === null ? undefined : replaced.get(resolved.id);
    },
  };
}

/** Leaves MuJoCo to its own package, from which the page's server takes it, instead of keeping a second copy of it. */
function withoutMujoco(): Plugin {
  return {
    name: 'without-mujoco',
    generateBundle: (_, bundle) => {
      Reflect.deleteProperty(bundle, mujocoFile().name);
    },
  };
}

/** Stores the WebAssembly of onnxruntime as `train/onnxruntime.ts` reads it. */
function packedOnnxruntime(quality: number): Plugin {
  const { version } = JSON.parse(readFileSync(below('node_modules/onnxruntime-web/package.json'), 'utf8')) as {
    version: string;
  };
  const name = onnxruntimeFile(version);
  return {
    name: 'packed-onnxruntime',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.names.includes('ort-wasm-simd-threaded.wasm')) continue;
        Reflect.deleteProperty(bundle, file.fileName);
        this.emitFile({ type: 'asset', fileName: `assets/${name}`, source: await packed(file.source, name, quality) });
      }
    },
  };
}

/** In Brotli; kept from build to build, since it takes a while. */
async function packed(wasm: string | Uint8Array, name: string, quality: number): Promise<Uint8Array> {
  const folder = below('node_modules/.cache/psl-morl');
  const kept = `${folder}/quality-${quality}-${name}`;
  if (existsSync(kept)) return readFileSync(kept);
  const content = await promisify(brotliCompress)(wasm, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  mkdirSync(folder, { recursive: true });
  // Another build may be at it too.
  const written = `${kept}.${process.pid}`;
  writeFileSync(written, content);
  renameSync(written, kept);
  return content;
}

const assetFileNames = ({ names }: { readonly names: readonly string[] }) =>
  names.includes('mujoco.wasm') ? mujocoFile().name : 'assets/[name]-[hash][extname]';

// Builds the page of `psl explore`, as a part of `npm run build`.
export default defineConfig(({ mode }) => ({
  root: below('src/explorer/page'),
  // Relative, so that an exported page works in any folder of a web server.
  base: './',
  // Of what it warns, only that MuJoCo asks for a module of Node where it runs in Node.
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [fetchedEarly(), forBrowsers(), withoutMujoco()],
  build: {
    outDir: below('dist/src/explorer/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The page may load nothing from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Beside the page, what modules of environments import as psl-morl, under a name that does not change.
      input: { index: below('src/explorer/page/index.html'), 'psl-morl': below('src/explorer/page/psl-morl.ts') },
      preserveEntrySignatures: 'exports-only',
      output: {
        assetFileNames,
        entryFileNames: ({ name }) => (name === 'psl-morl' ? PACKAGE_FILE : 'assets/[name]-[hash].js'),
      },
    },
    // three.js is one file of that size, loaded beside the page when there is a robot to draw.
    chunkSizeWarningLimit: 900,
  },
  worker: {
    format: 'es',
    // Quality 10 takes 15 to 20 s. 9 takes 3 s and makes a tenth more, which is of no account where the build is only tested.
    plugins: () => [forBrowsers(), withoutMujoco(), packedOnnxruntime(mode === 'tested' ? 9 : 10)],
    rolldownOptions: { output: { assetFileNames } },
  },
}));
