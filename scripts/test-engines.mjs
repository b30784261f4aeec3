// Tests sweeps with the real engines, Redis, Slurm and Ceph's object storage: `npm run test:engines`. Where one is missing it is installed
// from the packages of Debian, as root; `npm run verify` tests with those that are there already, and skips the others.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { npmScript, prepare, run } from './steps.mjs';

/** The program that an engine is known by, and the packages that it comes with. */
const ENGINES = {
  'redis-server': ['redis-server', 'openssl'],
  slurmctld: ['slurmctld', 'slurmd', 'slurm-client', 'munge'],
  radosgw: ['ceph-mon', 'ceph-osd', 'radosgw'],
};
// Daemons of Slurm are where only the path of root leads.
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const missing = () =>
  Object.entries(ENGINES).filter(([program]) => !folders.some((folder) => existsSync(join(folder, program))));

/** @param {readonly string[]} args */
const aptGet = (args) => run('apt-get', args, 'capture').catch(() => ({ code: 1, output: 'there is no apt-get' }));

if (missing().length > 0 && process.platform === 'linux' && process.getuid?.() === 0) {
  const packages = missing().flatMap(([, names]) => names);
  console.error(`installing ${packages.join(', ')}`);
  const install = ['install', '--yes', '--no-install-recommends', ...packages];
  const first = await aptGet(install);
  // The lists of packages may be missing or old.
  const { code, output } = first.code === 0 ? first : (await aptGet(['update']), await aptGet(install));
  if (code !== 0) console.error(output);
}
for (const [program, packages] of missing()) {
  console.error(
    `NOT TESTED: ${program}, which is not here and could not be installed (${packages.join(', ')} of Debian, as root)`,
  );
}
await prepare();
const { code } = await npmScript('test:only', 'inherit', ['test/sweep.test.ts', 'test/sweep-places.test.ts']);
process.exitCode = code;
