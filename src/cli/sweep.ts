/** `psl sweep`: many trainings that belong together, on this machine or on many, in a folder that they share. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flag, text, twoColumns, wrap } from '../config/index.js';
import { moduleFiles } from '../runs/index.js';
import {
  cancel,
  cancelArrays,
  checkQueue,
  enqueue,
  gridTable,
  isLeft,
  parseSpec,
  retry,
  sbatchOptions,
  shownUrl,
  statusOf,
  submitArray,
  SweepStore,
  tasksOf,
  workOn,
  writeSweepReport,
  type ListedJob,
  type SbatchOptions,
  type Sweep,
  type SweepSpec,
  type SweepStatus,
} from '../sweeps/index.js';
import { ifGiven, repeated, required } from './arguments.js';
import { defineCommand } from './command.js';
import { isDataItself, readData } from './data-file.js';
import { deviceOption } from './device-option.js';
import { secondsOf } from './duration-option.js';
import { checkInput, UsageError } from './errors.js';
import { alignedTable, TABLE_NAMES, TABLES } from './reproduce-table.js';
import { counted, typedPath } from './result.js';
import { processesFor, storeOption, workOptions } from './sweep-options.js';
import { statusLines, SweepLine, watchSweep } from './sweep-progress.js';
import type { Output } from './terminal.js';

/** The engine that is no address. */
const SLURM = 'slurm';

const ACTIONS = {
  status: 'how the sweep in a store stands, on all machines',
  watch: 'the same until all is over',
  cancel: 'end what is not finished, wherever it runs; what was saved is kept',
  retry: 'open again what failed or was cancelled; psl sweep SPEC then goes on with it',
  report: 'write report.md and report.json from what is finished',
} as const;
type Action = keyof typeof ACTIONS;

export const sweep = defineCommand({
  operands: {
    spec: required(
      text({
        allowed: `the path of a file of JSON or YAML, a table (${TABLE_NAMES.join(', ')}), or one of: ${Object.keys(ACTIONS).join(', ')}`,
        about:
          'What to train: the path of a file of JSON or YAML, JSON itself, or a table of the paper. Or what to do with a sweep that ' +
          'is there; both are explained below.',
      }),
    ),
  },
  options: {
    store: required(storeOption),
    on: ifGiven(
      text({
        placeholder: 'ENGINE',
        allowed: 'slurm, or the address of a queue such as redis://:PASSWORD@HOST:6379 (rediss:// with TLS)',
        about:
          'Do not train here: slurm submits an array job, and the address of a Redis puts the trainings into a queue for ' +
          'psl worker --queue on any machine.',
      }),
      'train here',
    ),
    sbatch: repeated(
      text({
        placeholder: 'NAME=VALUE',
        allowed: 'NAME=VALUE',
        about: 'With --on slurm, an option of sbatch, such as partition=gpu, gpus=1, time=4:00:00 or account=lab.',
      }),
    ),
    slurmFile: ifGiven(
      text({
        placeholder: 'FILE',
        allowed: 'the path of a file of JSON or YAML',
        about: 'With --on slurm, a file with such options, over those under "slurm" in the specification.',
      }),
      'none',
    ),
    ...workOptions,
    device: ifGiven(deviceOption, "the specification's, or cpu:1"),
    lockstep: flag({
      default: false,
      about: 'Train seeds, and settings that can differ within a program, together: what makes a GPU pay.',
    }),
  },
  notes: () => [
    'A specification has these entries, of which all but the first can be left out:',
    ...twoColumns([
      ['environments', 'Names, as psl envs lists them.'],
      ['algorithms', 'Names, as psl algos lists them.'],
      ['presets', 'Such as "best"; quick where it is left out.'],
      ['seeds', 'Such as [1, 2, 3].'],
      ['overrides', 'Settings over those of the preset, such as {"steps": 20000}.'],
      ['vary', 'Settings that runs differ in, such as {"alpha": [0.05, 0.2]}.'],
      ['envOptions', 'Options of the environments.'],
      ['device, lockstep', 'As the flags.'],
      ['slurm', 'Options of sbatch for --on slurm, such as {"partition": "gpu", "gpus": 1}.'],
    ]),
    '',
    ...wrap(
      'Every combination is a run. Or it names a table: {"experiment": "ftn", "budget": "small", "seeds": 3}, with ' +
        '"cases", "methods" and "firstSeed" as in psl reproduce.',
    ),
    '',
    'With a sweep that is there:',
    ...twoColumns(Object.entries(ACTIONS).map(([name, about]) => [name, `${about}.`])),
    '',
    ...wrap('The same command goes on where it was stopped, or died. Runs that are finished are never trained again.'),
  ],

  async run({ spec: what, store: folder, ...values }, output): Promise<SweepStatus | object> {
    const store = checkInput(() => new SweepStore(folder, '--store'));
    if (isAction(what)) {
      await checkInput(() => store.open());
      return actions[what](store, output);
    }
    const { device, lockstep, jobs, checkpointEvery, lease, on } = values;
    const spec = await specIn(what);
    const planned = await checkInput(() =>
      store.plan({ ...spec, ...(device !== undefined && { device }), ...(lockstep && { lockstep }) }),
    );
    const sbatch = await sbatchOptionsIn(values, planned.spec);
    if (on !== undefined && on !== SLURM) await checkInput(() => checkQueue(on, '--on'));
    await store.begin(planned);
    if (on === SLURM) return submit(store, planned, { sbatch, jobs, lease, checkpointEvery }, output);
    if (on !== undefined) return putInto(on, store, planned, output);
    const processes = jobs ?? processesFor(planned.spec.device);
    const before = await statusOf(store);
    output.line(
      `sweep: ${counted(planned.jobs.length, 'training')}, ${Math.min(processes, planned.jobs.length)} at a time, in ${typedPath(folder)}` +
        (before.counts.done > 0 ? `; ${before.counts.done} were there already` : ''),
    );
    const line = new SweepLine(output.human, before);
    const stopping = new AbortController();
    const ignoreInterrupts = output.onInterrupt(() => {
      line.say('stopping: saving what there is; the same command goes on from there, and once more ends at once');
      stopping.abort();
    });
    try {
      await workOn(store, planned.jobs, {
        processes,
        signal: stopping.signal,
        lease: secondsOf(lease),
        checkpointEvery: secondsOf(checkpointEvery),
        events: line.events,
      });
    } finally {
      line.clear();
      ignoreInterrupts();
    }
    const status = await statusOf(store);
    output.report([...statusLines(status), ...nextLines(status, what, typedPath(folder))]);
    return status;
  },

  isBad: (result) => 'counts' in result && result.counts.failed > 0,
});

/** How a sweep goes on, with what nobody takes up again unless he is told to. */
function nextLines({ counts, jobs }: SweepStatus, spec: string, store: string): string[] {
  const isWhole = counts.failed + counts.cancelled === 0;
  return [
    ...(isWhole ? [] : [`what failed or was cancelled is opened again by psl sweep retry --store ${store}`]),
    `next: psl sweep ${jobs.some(isLeft) ? typedPath(spec) : 'report'} --store ${store}`,
  ];
}

function isAction(what: string): what is Action {
  return Object.hasOwn(ACTIONS, what);
}

const actions: Readonly<Record<Action, (store: SweepStore, output: Output) => Promise<object>>> = {
  async status(store, output) {
    const status = await statusOf(store);
    const tasks = await tasksOf(store);
    const inSlurm = Object.entries(tasks ?? {}).map(([state, count]) => `${count} ${state.toLowerCase()}`);
    output.report([
      ...statusLines(status),
      ...(tasks === null ? ['Slurm does not answer here'] : []),
      ...(inSlurm.length === 0 ? [] : [`tasks of Slurm: ${inSlurm.join(', ')}`]),
    ]);
    return { ...status, tasks };
  },
  async watch(store, output) {
    const status = await watchSweep(store, output);
    output.report(statusLines(status));
    return status;
  },
  async cancel(store, output) {
    const cancelled = await cancel(store);
    await cancelArrays(store);
    output.report([`cancelled: ${counted(cancelled.length, 'training')}`]);
    return { cancelled: namesOf(cancelled) };
  },
  async retry(store, output) {
    const retried = await retry(store);
    output.report([`opened again: ${counted(retried.length, 'training')}; psl sweep SPEC goes on with them`]);
    return { retried: namesOf(retried) };
  },
  async report(store, output) {
    const report = await checkInput(() => writeSweepReport(store));
    const path = typedPath(store.address);
    if ('spec' in report) {
      output.report([
        ...alignedTable(gridTable(report), [0, 1, 2]),
        '',
        `report: ${path}/report.md, ${path}/report.json`,
      ]);
    } else {
      const { layout } = TABLES[report.experiment as keyof typeof TABLES];
      const table = (layout.table as (of: typeof report) => Parameters<typeof alignedTable>[0])(report);
      output.report([
        ...alignedTable(table, layout.words),
        '',
        `report: ${path}/report.html, ${path}/report.md, ${path}/report.json`,
      ]);
    }
    return report;
  },
};

/** What sbatch is asked for: by options, over a file, over the specification. */
async function sbatchOptionsIn(
  { on, sbatch, slurmFile }: { readonly on?: string; readonly sbatch: readonly string[]; readonly slurmFile?: string },
  { slurm = {} }: Pick<SweepSpec, 'slurm'>,
): Promise<SbatchOptions> {
  const left = 'left out without --on slurm';
  if (sbatch.length > 0 && on !== SLURM) throw new UsageError('--sbatch', sbatch[0], left);
  if (slurmFile !== undefined && on !== SLURM) throw new UsageError('--slurm-file', slurmFile, left);
  const ofFile = slurmFile === undefined ? {} : await readData(slurmFile, '--slurm-file');
  const given = sbatch.map((text) => {
    const end = text.indexOf('=');
    if (end < 1) throw new UsageError('--sbatch', text, 'NAME=VALUE');
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
  return checkInput(() => ({
    ...slurm,
    ...sbatchOptions('--slurm-file', ofFile),
    ...sbatchOptions('--sbatch', Object.fromEntries(given)),
  }));
}

interface SubmitOptions {
  readonly sbatch: SbatchOptions;
  readonly jobs: number | undefined;
  readonly lease: string;
  readonly checkpointEvery: string;
}

/** Submits what is left as an array job of this program, with the modules that it needs. */
async function submit(
  store: SweepStore,
  planned: Sweep,
  { sbatch, jobs, lease, checkpointEvery }: SubmitOptions,
  output: Output,
): Promise<SweepStatus> {
  const modules = new Set(planned.jobs.flatMap(({ plan }) => Object.values(moduleFiles(plan))));
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const command = [
    ...[process.execPath, main, 'worker', '--store', resolvedAddress(store), '--jobs', '1', '--most', '1', '--requeue'],
    ...['--lease', lease, '--checkpoint-every', checkpointEvery],
    ...[...modules].flatMap((file) => ['--import', file]),
  ];
  const options = { sbatch, command, ...(jobs !== undefined && { atOnce: jobs }) };
  const { tasks, arrays } = await checkInput(() => submitArray(store, planned, options));
  output.report([
    tasks === 0 ? 'nothing is left to submit' : `submitted to Slurm as ${arrays.join(', ')}: ${counted(tasks, 'task')}`,
    `next: psl sweep watch --store ${typedPath(store.address)}`,
  ]);
  return statusOf(store);
}

/** As other processes find it, wherever they run. */
function resolvedAddress({ address, place }: SweepStore): string {
  return place.path === undefined ? address : resolve(place.path);
}

/** Puts what is left into a queue, and says how it is worked off. */
async function putInto(url: string, store: SweepStore, planned: Sweep, output: Output): Promise<SweepStatus> {
  const left = await enqueue(url, store, planned);
  const path = typedPath(store.address);
  output.report([
    `in the queue of ${shownUrl(url)}: ${counted(left, 'training')} of ${planned.jobs.length}`,
    `on each machine: psl worker --queue ${shownUrl(url)} --store ${path}`,
    `next: psl sweep watch --store ${path}`,
  ]);
  return statusOf(store);
}

function namesOf(jobs: readonly ListedJob[]): string[] {
  return jobs.map(({ name }) => name);
}

/** What is to be trained, as a file says it, a table's name, or the text itself. */
async function specIn(what: string): Promise<SweepSpec> {
  if (what in TABLES) return parseSpec({ experiment: what });
  if (!isDataItself(what) && !existsSync(what)) {
    throw new UsageError(
      'SPEC',
      what,
      `a file, a table (${TABLE_NAMES.join(', ')}), or one of: ${Object.keys(ACTIONS).join(', ')}`,
    );
  }
  const value = await readData(what, 'SPEC');
  return checkInput(() => parseSpec(value));
}
