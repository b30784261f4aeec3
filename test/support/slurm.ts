/** A Slurm of one node for a test alone: its programs run from a folder, on ports and with a key of their own. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch'];

/** Why there can be none here; undefined where there can. */
export function whyNoSlurm(): string | undefined {
  // Its daemons start tasks in the name of their users.
  if (process.getuid?.() !== 0) return 'it takes root to start it';
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length === 0
    ? undefined
    : `${missing.join(', ')} is not installed (slurmctld, slurmd and munge of Debian)`;
}

export interface Slurm {
  /** Ends its controller and starts it again, with what it has saved. */
  restartController(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it; `SLURM_CONF` of this process then leads its commands there. */
export async function startSlurm(folder: string, port: number): Promise<Slurm> {
  mkdirSync(join(folder, 'state'), { recursive: true });
  mkdirSync(join(folder, 'spool'));
  const [key, socket, conf] = ['munge.key', 'munge.socket', 'slurm.conf'].map((name) => join(folder, name));
  writeFileSync(key, randomBytes(128), { mode: 0o400 });
  const [host] = hostname().split('.');
  const settings = {
    ClusterName: 'test',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${socket}`,
    SlurmctldPort: port,
    SlurmdPort: port + 1,
    StateSaveLocation: join(folder, 'state'),
    SlurmdSpoolDir: join(folder, 'spool'),
    SlurmctldPidFile: join(folder, 'slurmctld.pid'),
    SlurmdPidFile: join(folder, 'slurmd.pid'),
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    JobAcctGatherType: 'jobacct_gather/none',
    MpiDefault: 'none',
    ReturnToService: 2,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const node = `NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN`;
  writeFileSync(conf, [...lines, node, `PartitionName=main Nodes=${host} Default=YES State=UP`, ''].join('\n'));
  process.env.SLURM_CONF = conf;
  const own = ['key', 'socket', 'pid', 'log', 'seed'].map((name) => join(folder, `munge.${name}`));
  const [keyFile, socketFile, pidFile, logFile, seedFile] = own;
  const paths = [`--pid-file=${pidFile}`, `--log-file=${logFile}`, `--seed-file=${seedFile}`];
  const daemons = new Map<string, ChildProcess>();
  const start = (program: string, args: readonly string[]) => {
    daemons.set(program, spawn(program, [...args], { stdio: 'ignore' }));
  };
  const end = async (program: string) => {
    const daemon = daemons.get(program);
    if (daemon?.exitCode !== null) return;
    daemon.kill('SIGTERM');
    await new Promise((resolve) => daemon.on('exit', resolve));
  };
  /** Until it answers, with its node up. */
  const ready = async () => {
    const until = Date.now() + 30_000;
    const state = () => spawnSync('sinfo', ['--noheader', '--format=%T'], { encoding: 'utf8' }).stdout.trim();
    while (!['idle', 'mixed', 'allocated'].includes(state())) {
      if (Date.now() > until) throw new Error('Slurm does not start.');
      await wait(100);
    }
  };
  const controller = ['-D', '-f', conf];
  start('munged', ['--foreground', '--force', `--key-file=${keyFile}`, `--socket=${socketFile}`, ...paths]);
  start('slurmctld', ['-c', ...controller]);
  start('slurmd', ['-D', '-f', conf]);
  await ready();
  return {
    async restartController() {
      await end('slurmctld');
      start('slurmctld', controller);
      await ready();
    },
    async stop() {
      for (const program of ['slurmd', 'slurmctld', 'munged']) await end(program);
      delete process.env.SLURM_CONF;
    },
  };
}
