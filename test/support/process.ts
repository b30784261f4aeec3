import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/node/cli/main.js', import.meta.url));

/**
 * Runs `psl`, as it was built, in a process of its own.
 * @param interruptAt a text on standard error at which Ctrl-C is pressed, once
 */
export async function pslProcess(args: readonly string[], interruptAt?: string) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr, isAsked] = ['', '', false];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
    if (interruptAt !== undefined && !isAsked && stderr.includes(interruptAt)) isAsked = child.kill('SIGINT');
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}
