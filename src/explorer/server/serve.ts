/** The web server of `psl explore`: the page, the files of its runs, and news of runs that still train. */
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { isChanged } from '../../runs/index.js';
import { CHANGED, EVENTS, RUN_LIST, type RunChanged, type RunList } from '../run-list.js';
import { pageFiles } from './page-files.js';
import { listRuns, runFile, stampOf, type ServedRun } from './runs.js';

export interface ServeOptions {
  /** Folder of the built page. */
  readonly page: string;
  readonly runs: readonly ServedRun[];
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
}

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** How much of a file is read at once: MuJoCo has ten million bytes, and each piece has its cost. */
const CHUNK_BYTES = 1 << 20;

/** How often runs are looked at while somebody watches. */
const WATCH_MS = 500;

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
export async function serve({ page, runs, host, port }: ServeOptions): Promise<Served> {
  // Requests are answered from these lists alone, so no path leads anywhere else.
  const files = new Map(Array.from(pageFiles(page), ([name, path]) => [`/${name}`, path]));
  const byId = new Map(runs.map((run) => [run.id, run]));
  const { runs: listed, modules } = listRuns(runs);
  const list: RunList = { live: true, runs: listed };
  const watcher = watch(runs);

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    setHeaders(response);
    const path = (request.url ?? '/').split(/[?#]/, 1)[0];
    if (!isOwnHost(request.headers.host, host)) refuse(response, 403, 'This host name is not served here.');
    else if (!['GET', 'HEAD'].includes(request.method ?? '')) refuse(response, 405, 'Only GET is answered.');
    else if (path === `/${RUN_LIST}`) sendText(response, '.json', JSON.stringify(list));
    else if (path === `/${EVENTS}`) watcher.add(response);
    else sendIfThere(response, path);
  };

  const sendIfThere = (response: ServerResponse, path: string): void => {
    const [, id, name] = /^\/runs\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const run = byId.get(id);
    const file = run === undefined ? files.get(path === '/' ? '/index.html' : path) : runFile(run, name);
    const text = modules.get(decoded(path));
    if (text !== undefined) sendText(response, '.js', text);
    else if (file === undefined) refuse(response, 404, 'There is no such file.');
    else if (run !== undefined && isChanged(run.folder, name))
      refuse(response, CHANGED, `${name} is not what was written.`);
    else sendFile(response, file, run === undefined && path.startsWith('/assets/'));
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
    close: () => {
      watcher.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
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

/** @param isHashed whether its name changes with its content */
function sendFile(response: ServerResponse, file: string, isHashed: boolean): void {
  response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
  if (isHashed) response.setHeader('Cache-Control', 'max-age=31536000, immutable');
  if (/\.worker-[^/]*\.js$/.test(file)) response.setHeader('Content-Security-Policy', WORKER_POLICY);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  const content = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  // A run can lose a file between two looks at it, and a page can leave in the middle of one.
  content.on('error', () => response.destroy());
  response.on('close', () => content.destroy());
  content.pipe(response);
}

/** Tells everyone who listens when a run has been written to. */
function watch(runs: readonly ServedRun[]) {
  const listeners = new Set<ServerResponse>();
  const stamps = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    for (const run of runs) {
      const stamp = stampOf(run);
      if (stamps.get(run.id) === stamp) continue;
      stamps.set(run.id, stamp);
      const message: RunChanged = { run: run.id };
      for (const response of listeners) response.write(`data: ${JSON.stringify(message)}\n\n`);
    }
  }

  return {
    add(response: ServerResponse): void {
      response.setHeader('Content-Type', 'text/event-stream');
      response.flushHeaders();
      // What changed before is for those who listen already: the new one has just begun to read.
      look();
      listeners.add(response);
      timer ??= setInterval(look, WATCH_MS);
      response.on('close', () => {
        listeners.delete(response);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    close: () => clearInterval(timer),
  };
}
