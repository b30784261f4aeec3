/** The web server of `psl explore`: the page, the list of its runs, which follows their folders, and their files. */
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { createGzip } from 'node:zlib';
import { isChanged } from '../../runs/index.js';
import { CHANGED, RUN_LIST, type RunList } from '../run-list.js';
import { acceptsGzip, gzipCache, shrinks } from './compressed.js';
import type { PageModule } from './modules.js';
import { mujocoFile, pageFile, pageFiles } from './page-files.js';
import { listRuns, runFile, stateOf, type ServedRun } from './runs.js';

export interface ServeOptions {
  /** Folder of the built page. */
  readonly page: string;
  /** Finds the runs, each time that somebody asks for them. */
  readonly find: () => readonly ServedRun[] | Promise<readonly ServedRun[]>;
  /** Says how the sweeps stand whose runs those are, after they were found. */
  readonly sweeps?: () => readonly string[];
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
}

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** How much of a file is read at once: models have millions of bytes, and each piece has its cost. */
const CHUNK_BYTES = 1 << 20;

/** For how long the list of runs is taken to be as it was, however many pages ask for it. */
const FRESH_MS = 300;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Nothing from elsewhere, nothing inline. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// MuJoCo's bindings make functions from text, which only its worker may do: it has no document, and talks to this server
// alone.
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; connect-src 'self'";

/** Serves the page and the runs, and nothing else. */
export async function serve({ page, find, sweeps, host, port }: ServeOptions): Promise<Served> {
  // Requests are answered from these lists alone, so no path leads anywhere else.
  const files = new Map(Array.from(pageFiles(page), ([name, path]) => [`/${name}`, path]));
  const gzipped = gzipCache(pageFile);
  const look = onceIn(FRESH_MS, looker(find, sweeps));
  let looked = await look();
  // It is what a robot's first picture waits for.
  if (looked.list.runs.some(({ view }) => view === 'robot')) void gzipped(mujocoFile().path);

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    setHeaders(response);
    const path = (request.url ?? '/').split(/[?#]/, 1)[0];
    if (!isOwnHost(request.headers.host, host)) refuse(response, 403, 'This host name is not served here.');
    else if (!['GET', 'HEAD'].includes(request.method ?? '')) refuse(response, 405, 'Only GET is answered.');
    else if (path === `/${RUN_LIST}`) void sendList(response);
    else sendIfThere(response, path);
  };

  const sendList = async (response: ServerResponse): Promise<void> => {
    try {
      looked = await look();
      sendText(response, '.json', JSON.stringify(looked.list));
    } catch {
      refuse(response, 500, 'The runs cannot be listed.');
    }
  };

  const sendIfThere = (response: ServerResponse, path: string): void => {
    const [, id, name] = /^\/runs\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const run = looked.byId.get(id);
    const file = run === undefined ? files.get(path === '/' ? '/index.html' : path) : runFile(run, name);
    const text = looked.modules.get(decoded(path));
    if (text !== undefined) sendText(response, '.js', text);
    else if (file === undefined) refuse(response, 404, 'There is no such file.');
    else if (run !== undefined) sendRunFile(response, run, name, file);
    else void sendPageFile(response, file, path.startsWith('/assets/'), gzipped);
  };

  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const { port: actual } = server.address() as AddressInfo;
  const shownHost = isWildcard(host) ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${actual}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function setHeaders(response: ServerResponse): void {
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-cache');
}

/**
 * A page of another site can have its name point here, and would then be allowed to read the answers; its name is still
 * in the Host header. Where all addresses are served, the one that was typed is not known, but no address is a name.
 */
function isOwnHost(header: string | undefined, host: string): boolean {
  const name = (header ?? '').replace(/:\d*$/, '').toLowerCase();
  const address = name.replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || address === host.toLowerCase()) return true;
  return isWildcard(host) ? isIP(address) !== 0 : address === '127.0.0.1' || address === '::1';
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The name that a path stands for; what is no path stands for nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return '';
  }
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.statusCode = status;
  sendText(response, '.txt', `${sentence}\n`);
}

function sendText(response: ServerResponse, type: string, text: string): void {
  response.setHeader('Content-Type', TYPES[type] ?? 'text/plain; charset=utf-8');
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

function sendRunFile(response: ServerResponse, { folder }: ServedRun, name: string, path: string): void {
  if (isChanged(folder, name)) {
    refuse(response, CHANGED, `${name} is not what was written.`);
    return;
  }
  announce(response, path);
  if (response.req.method === 'HEAD') response.end();
  else sendStream(response, path);
}

/** @param isHashed whether its name changes with its content */
async function sendPageFile(
  response: ServerResponse,
  path: string,
  isHashed: boolean,
  gzipped: (path: string) => Promise<Buffer>,
): Promise<void> {
  announce(response, path);
  if (isHashed) response.setHeader('Cache-Control', 'max-age=31536000, immutable');
  if (/\.worker-[^/]*\.js$/.test(path)) response.setHeader('Content-Security-Policy', WORKER_POLICY);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    response.end(isCompressed(response) ? await gzipped(path) : pageFile(path));
  } catch {
    response.destroy();
  }
}

/** Says what kind of file is coming, and whether compressed. */
function announce(response: ServerResponse, path: string): void {
  response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
  if (!shrinks(path)) return;
  response.setHeader('Vary', 'Accept-Encoding');
  if (acceptsGzip(response.req.headers['accept-encoding'])) response.setHeader('Content-Encoding', 'gzip');
}

function isCompressed(response: ServerResponse): boolean {
  return response.hasHeader('Content-Encoding');
}

function sendStream(response: ServerResponse, path: string): void {
  const content = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  // A run can lose a file between two looks at it, and a page can leave in the middle of one.
  content.on('error', () => response.destroy());
  response.on('close', () => content.destroy());
  if (isCompressed(response)) content.pipe(createGzip()).pipe(response);
  else content.pipe(response);
}

/** Finds the runs, and what the page is told of them. */
function looker(find: ServeOptions['find'], sweeps: ServeOptions['sweeps']) {
  const modules = new Map<string, PageModule | undefined>();
  return async () => {
    const runs = await find();
    const { runs: listed, modules: texts } = listRuns(runs, modules);
    const list: RunList = {
      live: true,
      runs: listed.map((run, i) => ({ ...run, ...stateOf(runs[i]) })),
      ...(sweeps !== undefined && { sweeps: sweeps() }),
    };
    return { list, byId: new Map(runs.map((run) => [run.id, run])), modules: texts };
  };
}

/** What a function found is good for a while; those who ask meanwhile share it. */
function onceIn<T>(ms: number, look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  let at = -Infinity;
  return () => {
    if (found === undefined || performance.now() > at + ms) {
      found = look();
      at = performance.now();
    }
    return found;
  };
}
