// Loaded before a program: kills it, as `kill -9` would, at the file operation of a number. KILL_AT is that number and
// KILL_IN the folder whose files count. A write that is hit is torn: half of it reaches the file.

import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.KILL_AT);
const folder = String(process.env.KILL_IN);
let operations = 0;
/** Files that were opened in the folder. @type {Set<unknown>} */
const open = new Set();

/** @param {unknown} target @param {() => void} [tear] */
function count(target, tear) {
  if (!open.has(target) && !(typeof target === 'string' && target.startsWith(folder))) return;
  operations++;
  if (operations !== at) return;
  tear?.();
  process.kill(process.pid, 'SIGKILL');
}

/** @param {unknown} content */
const half = (content) => {
  const bytes = Buffer.from(/** @type {string} */ (content));
  return bytes.subarray(0, bytes.length >> 1);
};

/** @typedef {(...args: unknown[]) => unknown} Call */

/** @param {Record<string, Call>} owner @param {string} name @param {(original: Call, args: unknown[]) => unknown} wrapper */
function wrap(owner, name, wrapper) {
  const original = owner[name].bind(owner);
  owner[name] = (...args) => wrapper(original, args);
}

const sync = /** @type {Record<string, Call>} */ (/** @type {unknown} */ (fs));
for (const name of ['fsyncSync', 'renameSync', 'rmSync', 'linkSync', 'mkdirSync']) {
  wrap(sync, name, (original, args) => {
    count(args[0]);
    return original(...args);
  });
}
wrap(sync, 'openSync', (original, args) => {
  count(args[0]);
  const file = original(...args);
  if (String(args[0]).startsWith(folder)) open.add(file);
  return file;
});
wrap(sync, 'closeSync', (original, args) => {
  open.delete(args[0]);
  return original(...args);
});
wrap(sync, 'writeFileSync', (original, args) => {
  count(args[0], () => original(args[0], half(args[1])));
  return original(...args);
});

const later = /** @type {Record<string, Call>} */ (/** @type {unknown} */ (promises));
wrap(later, 'rename', (original, args) => {
  count(args[0]);
  return original(...args);
});
wrap(later, 'open', async (original, args) => {
  count(args[0]);
  const handle = /** @type {import('node:fs/promises').FileHandle} */ (await original(...args));
  const methods = /** @type {Record<string, Call>} */ (/** @type {unknown} */ (handle));
  wrap(methods, 'writeFile', (write, [content]) => {
    count(args[0], () => fs.writeSync(handle.fd, half(content)));
    return write(content);
  });
  wrap(methods, 'sync', (flush) => {
    count(args[0]);
    return flush();
  });
  return handle;
});
syncBuiltinESMExports();

// How many there were, for whoever wants to kill it later at one of the last.
process.on('exit', () => process.stderr.write(`file operations: ${operations}\n`));
