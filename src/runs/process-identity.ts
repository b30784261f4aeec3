/** Tells whether a process that wrote its name down, perhaps on another machine, is still there. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When the process began, since process ids are reused; null where the system does not tell. */
  readonly began: string | null;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
}

/** True for processes of another machine, which may share a folder with this one and cannot be looked for. */
export function isAlive({ pid, host, began }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return began === beginningOf(pid);
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
