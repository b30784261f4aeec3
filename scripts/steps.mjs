// Shared by the scripts of this folder. Plain Node without dependencies, because it runs before they are installed.

import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {'inherit' | 'stderr' | 'capture'} Output 'capture' collects stdout and stderr together, in order. */
/** @typedef {{ code: number, output: string }} Result */

/**
 * Runs a program in the repository root.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Output} output
 * @returns {Promise<Result>}
 */
export function run(file, args, output) {
  return new Promise((resolve, reject) => {
    const sink = output === 'capture' ? 'pipe' : output === 'stderr' ? 2 : 'inherit';
    // Only the plain name `npm` needs a shell, and only on Windows, where it is a batch file.
    const shell = file === 'npm' && process.platform === 'win32';
    const child = spawn(file, args, { cwd: root, shell, stdio: ['inherit', sink, output === 'capture' ? 'pipe' : 2] });
    let text = '';
    const collect = (/** @type {Buffer} */ chunk) => (text += chunk.toString());
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: text }));
  });
}

/**
 * Runs npm itself: the one that started this script, where there is one.
 * @param {readonly string[]} args
 * @param {Output} output
 */
export function npm(args, output) {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') ? run(process.execPath, [path, ...args], output) : run('npm', args, output);
}

/**
 * Runs one of package.json's scripts, so that each tool's command line is written down once.
 * @param {string} name
 * @param {Output} output
 * @param {readonly string[]} args
 */
export function npmScript(name, output, args = []) {
  return npm(['run', '--silent', name, ...(args.length > 0 ? ['--', ...args] : [])], output);
}

/** Whether the dependencies are missing or older than package-lock.json. npm writes the second file as it installs. */
export function installNeeded() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs;
}

/**
 * @param {Output} output
 * @returns {Promise<Result>}
 */
export async function install(output) {
  if (!installNeeded()) return { code: 0, output: '' };
  return npm(['ci', '--no-audit', '--no-fund'], output);
}

/**
 * Installs and builds what is out of date and ends the process where that fails. Writes to stderr alone, so that stdout
 * belongs to the program that runs next.
 */
export async function prepare() {
  for (const step of [install, (/** @type {Output} */ output) => npmScript('build', output)]) {
    const { code } = await step('stderr');
    if (code !== 0) process.exit(code);
  }
}

/** @param {number} start a time from performance.now() */
export function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}
