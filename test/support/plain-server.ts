import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** A web server that knows nothing of the explorer. */
export async function plainServer(root: string): Promise<{ server: Server; address: string }> {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
  };
  const server = createServer((request, response) => {
    const path = join(root, request.url === '/' ? 'index.html' : request.url!.split('?')[0]);
    const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isThere ? 200 : 404, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' });
    response.end(isThere ? readFileSync(path) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
