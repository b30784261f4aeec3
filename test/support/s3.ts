/** Object storage for a test alone: Ceph's gateway for S3 over one store in memory, from a folder and on ports of its own. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { loadS3, type S3Package } from '../../src/sweeps/s3.js';

const PROGRAMS = ['monmaptool', 'ceph-mon', 'ceph-osd', 'ceph', 'radosgw-admin', 'radosgw'];
const [KEY, SECRET] = ['key', 'secret'];

type S3PackageForBuckets = S3Package & { readonly CreateBucketCommand: S3Package['PutObjectCommand'] };

/** Why there can be none here; undefined where there can. */
export async function whyNoS3(): Promise<string | undefined> {
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} is not installed (ceph-mon, ceph-osd and radosgw of Debian)`;
  return loadS3().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

export interface ObjectStorage {
  /** Where it is, and the key to it, as clients of S3 read them from their environment. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** How often it is started, in case that a daemon ends at once, such as where somebody else has its port. */
const ATTEMPTS = 3;

/** Starts it with an empty bucket; takes this port and the next, or two of those behind them. */
export async function startS3(folder: string, port: number, bucket: string): Promise<ObjectStorage> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(join(folder, String(attempt)), port + 2 * (attempt - 1), bucket);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(folder: string, port: number, bucket: string): Promise<ObjectStorage> {
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name), { recursive: true });
  const [conf, map, fsid, osd] = [join(folder, 'ceph.conf'), join(folder, 'monmap'), randomUUID(), randomUUID()];
  const address = `127.0.0.1:${port}`;
  const endpoint = `127.0.0.1:${port + 1}`;
  const settings = {
    fsid,
    mon_host: `v1:${address}`,
    mon_initial_members: 'a',
    public_addr: '127.0.0.1',
    cluster_addr: '127.0.0.1',
    ms_bind_msgr2: false,
    auth_cluster_required: 'none',
    auth_service_required: 'none',
    auth_client_required: 'none',
    mon_data: join(folder, 'mon'),
    osd_data: join(folder, 'osd'),
    run_dir: folder,
    log_file: join(folder, '$name.log'),
    admin_socket: join(folder, '$name.asok'),
    osd_objectstore: 'memstore',
    memstore_device_bytes: 2 ** 32,
    mon_allow_pool_size_one: true,
    osd_crush_chooseleaf_type: 0,
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pg_autoscale_mode: 'off',
    rgw_frontends: `beast endpoint=${endpoint}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(conf, ['[global]', ...lines, ''].join('\n'));

  const daemons: ChildProcess[] = [];
  /** Runs a program to its end, for which a daemon that has died is not waited. */
  const run = async (program: string, ...args: readonly string[]) => {
    const running = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const died = () => running.kill('SIGKILL');
    for (const daemon of daemons) daemon.on('exit', died);
    let problem = '';
    running.stderr.on('data', (data: Buffer) => (problem += data.toString()));
    const code = await new Promise((resolve) => running.on('close', resolve));
    for (const daemon of daemons) daemon.off('exit', died);
    if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${problem}`);
  };
  const start = (program: string, ...args: readonly string[]) => {
    const output = openSync(join(folder, `${program}.out`), 'w');
    const daemon = spawn(program, ['-c', conf, '-f', ...args], { stdio: ['ignore', output, output] });
    closeSync(output);
    daemons.push(daemon);
    return daemon;
  };
  const stop = async () => {
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      const ended = new Promise((resolve) => daemon.on('exit', resolve));
      daemon.kill('SIGKILL');
      await ended;
    }
  };
  try {
    await run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[v1:${address}]`, map);
    await run('ceph-mon', '-c', conf, '--mkfs', '-i', 'a', '--monmap', map);
    start('ceph-mon', '-i', 'a');
    await run('ceph', '-c', conf, 'osd', 'new', osd);
    await run('ceph-osd', '-c', conf, '-i', '0', '--mkfs', '--osd-uuid', osd);
    start('ceph-osd', '-i', '0');
    const user = ['--uid=psl', '--display-name=psl', `--access-key=${KEY}`, `--secret-key=${SECRET}`];
    await run('radosgw-admin', '-c', conf, '-n', 'client.rgw', 'user', 'create', ...user);
    const gateway = start('radosgw', '-n', 'client.rgw');
    const url = `http://${endpoint}`;
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (gateway.exitCode !== null) throw new Error(`radosgw ended with ${gateway.exitCode}.`);
      await wait(50);
    }
    const { S3Client, CreateBucketCommand } = (await loadS3()) as S3PackageForBuckets;
    const credentials = { accessKeyId: KEY, secretAccessKey: SECRET };
    const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return {
      env: {
        AWS_ENDPOINT_URL: url,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: KEY,
        AWS_SECRET_ACCESS_KEY: SECRET,
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
