import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { keepForResults } from './terminal.js';

describe('keepForResults', () => {
  it('leaves a stream to the results, and sends to another one what else is printed or piped there', async () => {
    const [stdout, stderr, thread] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const results = keepForResults(stdout, stderr);
    new Console(stdout).log('printed by %s', 'a module');
    thread.pipe(stdout, { end: false });
    thread.end('printed by a thread\n');
    await new Promise((resolve) => thread.on('end', resolve));
    results.write('{"sum":3}\n');
    expect(String(stdout.read())).toBe('{"sum":3}\n');
    expect(String(stderr.read())).toBe('printed by a module\nprinted by a thread\n');
  });
});
