import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { tarOf } from './tar.js';

it('tar unpacks what tarOf packs', () => {
  const files: [string, string | Uint8Array][] = [
    ['run/config.json', '{}\n'],
    ['run/fronts/final.json', 'x'.repeat(1000)],
    ['run/model.safetensors', Uint8Array.from({ length: 512 }, (_, i) => i % 256)],
  ];
  const archive = tarOf(files, 1_700_000_000);
  const tar = (...options: string[]) => execFileSync('tar', ['-f', '-', ...options], { input: archive });
  expect(tar('-t').toString()).toBe(`${files.map(([name]) => name).join('\n')}\n`);
  for (const [name, content] of files) expect(tar('-x', '-O', name).equals(Buffer.from(content))).toBe(true);
});
