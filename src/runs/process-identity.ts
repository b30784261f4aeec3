/** Tells whether a process that wrote its name down, perhaps on another machine, is still there. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The process table that has this number, since containers can share a host name; absent where the system does not tell. */
  readonly table?: string;
  /** When the process began, since process ids are reused; null where the system does not tell. */
  readonly began: string | null;
}

export function thisProcess(): ProcessIdentity {
  const table = thisTable();
  return {
    pid: process.pid,
    host: hostname(),
    ...(table !== undefined && { table }),
    began: beginningOf(process.pid),
  };
}

/**
 * Whether a process can look for another one by its number. Not for one of another container: that is gone if the container
 * was started again, but may live in one of the same host name.
 */
export function canLookFor(other: ProcessIdentity, self: ProcessIdentity = thisProcess()): boolean {
  if (other.host !== self.host) return false;
  return other.table === undefined || self.table === undefined || other.table === self.table;
}

/** True for processes of another machine or container, which may share a folder with this one and cannot be looked for. */
export function isAlive(other: ProcessIdentity): boolean {
  if (!canLookFor(other)) return true;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return other.began === beginningOf(other.pid);
}

/** The PID namespace of a Linux machine itself, the same at every boot: what ran before the last one is known to be gone. */
const OF_MACHINE = 'pid:[4026531836]';

/** The PID namespace, of which Linux has numbers that count within a boot. */
function thisTable(): string | undefined {
  try {
    const namespace = readlinkSync('/proc/self/ns/pid');
    if (namespace === OF_MACHINE) return namespace;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${namespace}`;
  } catch {
    return undefined;
  }
}

function beginningOf(pid: number): string | null {
  try {
    // The 22nd field, counted after the name, which can hold spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19];
  } catch {
    return null;
  }
}
