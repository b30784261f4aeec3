import { join } from 'node:path';
import { choice, flag, integer, numbers, text } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import { makeFolder, reasonOf, writeAtomic, WriteError } from '../files/index.js';
import {
  modelAsJson,
  modelAsOnnx,
  modelAsSafetensors,
  observationSize,
  plainPolicy,
  policyAsJson,
  policyAsOnnx,
  policyAsSafetensors,
  type Model,
  type PlainPolicy,
  type Precision,
} from '../model/index.js';
import {
  checkOut,
  EVENT_FILE,
  eventFile,
  exportRun,
  HALF_BITS,
  LEAST_BITS,
  loadModel,
  type ExportRunOptions,
  type Run,
} from '../runs/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { checkInput, InputError, UsageError } from './errors.js';
import { shown } from './format.js';
import { mustBeNew } from './new-file.js';
import { checkPreference } from './preference-option.js';
import { answersText, checkLast, openedRun, readingRun, typedPath } from './result.js';
import type { Output } from './terminal.js';
import { watched } from './watch-evaluation.js';

/** How a model is written into one file: whole, or the network of one preference. */
const FILES = {
  onnx: { whole: modelAsOnnx, alone: policyAsOnnx },
  safetensors: { whole: modelAsSafetensors, alone: policyAsSafetensors },
  json: { whole: jsonOf(modelAsJson), alone: jsonOf(policyAsJson) },
} as const satisfies Record<
  string,
  {
    readonly whole: (model: Model, precision: Precision) => string | Uint8Array;
    readonly alone: (policy: PlainPolicy, precision: Precision) => string | Uint8Array;
  }
>;

function jsonOf<T>(describe: (from: T) => object): (from: T) => string {
  return (from) => `${JSON.stringify(describe(from))}\n`;
}

/** `psl export`: what a run has learned, for other programs. */
export const exportCommand = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run, as psl train prints it.' })),
  },
  options: {
    format: required(
      choice(['onnx', 'safetensors', 'json', 'run', 'tensorboard'], {
        about:
          'A graph (observation, preference) -> action for any ONNX runtime; all parameters with their description; a run ' +
          'folder with what it takes to use it; or the curves of the training as an event file of TensorBoard.',
      }),
    ),
    out: required(
      text({
        placeholder: 'PATH',
        allowed: 'the path of a file or folder',
        about: 'The new file, or the folder of a run or of event files.',
      }),
    ),
    preference: ifGiven(
      numbers({
        about: 'Only the policy of this preference, such as 0.5,0.5: observation -> action, without a hypernetwork.',
      }),
    ),
    half: flag({
      default: false,
      about: 'Store networks in half precision; of a run, which is then evaluated again, or as safetensors.',
    }),
    headBits: ifGiven(
      integer({
        min: LEAST_BITS,
        max: HALF_BITS,
        about:
          'As --half, of a run, with so many significant bits in the heads of the hypernetwork, where half precision has ' +
          `${HALF_BITS}: it compresses better.`,
      }),
    ),
    last: flag({
      default: false,
      about: 'Take the policy set of the last evaluation instead of the one that is kept.',
    }),
    force: flag({ default: false, about: 'Replace the file if it is there.' }),
  },

  async run({ run: folder, format, out, preference, half, headBits, last, force }, output) {
    if (half && format !== 'safetensors' && format !== 'run') leaveOut('--half', format);
    if (headBits !== undefined && format !== 'run') leaveOut('--head-bits', format);
    if (format === 'run' || format === 'tensorboard') {
      if (preference !== undefined) leaveOut('--preference', format);
      if (last) leaveOut('--last', format);
    }
    const run = await openedRun(folder);
    checkLast(run, last);
    if (format === 'run') {
      if (force) leaveOut('--force', format, ', whose folder must be new or empty');
      return copyRun(run, out, headBits === undefined ? { half } : { headBits }, output);
    }
    if (format === 'tensorboard') {
      const file = join(out, EVENT_FILE);
      mustBeNew('--out', file, force, '--force');
      const content = await readingRun(() => eventFile(run));
      writeOut(file, content, () => makeFolder(out));
      output.report([
        `wrote ${typedPath(file)} (${megabytes(content.length)}): tensorboard --logdir ${typedPath(out)}`,
      ]);
      return { run: folder, format, out: file, bytes: content.length };
    }
    if (preference !== undefined) checkPreference(preference, envInfo(run.plan.env).objectives.length);
    mustBeNew('--out', out, force, '--force');
    const model = await readingRun(() => loadModel(run, last ? 'last' : undefined));
    const precision = half ? 'float16' : 'float32';
    const content = checkInput(() => {
      if (preference === undefined) return FILES[format].whole(model, precision);
      const policy = plainPolicy(model);
      policy.prefer(preference);
      return FILES[format].alone(policy, precision);
    });
    writeOut(out, content);
    const bytes = Buffer.byteLength(content);
    const whose = `${preference === undefined ? 'the policies of' : 'the policy of'} ${shownPreference(preference)}`;
    const what = format === 'onnx' ? signatureOf(model, preference) : whose;
    output.report([`wrote ${typedPath(out)} (${megabytes(bytes)}): ${what}`]);
    return { run: folder, format, out, bytes, weights: precision, preference: preference ?? null };
  },
});

function writeOut(file: string, content: string | Uint8Array, prepare?: () => void): void {
  try {
    prepare?.();
    writeAtomic(file, content);
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    throw new UsageError('--out', file, `a file that can be written (${reasonOf(error.cause)})`);
  }
}

function leaveOut(name: string, format: string, why = ''): never {
  throw new InputError(`${name} is given, but must be left out with --format ${format}${why}.`);
}

async function copyRun(run: Run, out: string, precision: ExportRunOptions, output: Output): Promise<object> {
  checkInput(() => checkOut(out, '--out'));
  await prepareEnv(run.plan.env);
  const exported = await watched(output, (watch) =>
    checkInput(() => readingRun(() => exportRun(run, out, { ...precision, watch }))),
  );
  if (exported === undefined) {
    output.report(['stopped in the middle of the evaluation; nothing was written']);
    return { run: run.folder, interrupted: true };
  }
  const { bytes, weights, hypervolume, original, answers } = exported;
  output.report([
    `wrote ${typedPath(out)} (${megabytes(bytes)}): weights in ${weights}`,
    ...(answers === undefined ? [] : [`  answers ${answersText(answers)}`]),
    ...(original === undefined
      ? []
      : [`  hypervolume ${shown(hypervolume)}, measured now; ${shown(original.hypervolume)} as it was trained`]),
  ]);
  return { run: run.folder, format: 'run', out, bytes, weights, hypervolume, original: original ?? null };
}

function signatureOf({ description }: Model, preference: readonly number[] | undefined): string {
  const { policy, objectives, actionSpace } = description;
  const observation = `observation [batch, ${observationSize(policy, objectives.length)}]`;
  const inputs = preference === undefined ? `${observation}, preference [batch, ${objectives.length}]` : observation;
  const at = preference === undefined ? '' : ` at ${shownPreference(preference)}`;
  return `(${inputs}) -> action [batch${actionSpace.kind === 'discrete' ? '' : `, ${actionSpace.low.length}`}]${at}`;
}

function shownPreference(preference: readonly number[] | undefined): string {
  return preference === undefined ? 'all preferences' : `preference ${preference.join(',')}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e5 ? 3 : 2)} MB`;
}
