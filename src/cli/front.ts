import { choice, flag, text } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import { frontCsv, frontOf, type ReturnsAt } from '../fronts/index.js';
import { hypervolume } from '../pareto/index.js';
import { svgToPng } from '../plots/png.js';
import { frontPicture, readReturns, type Run } from '../runs/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { UsageError } from './errors.js';
import { mustBeNew, writeNew } from './new-file.js';
import { openedRun, readingRun } from './result.js';

/** `psl front`: the non-dominated returns of a run, with a preference that leads to each. */
export const front = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run, as psl train prints it.' })),
  },
  options: {
    format: choice(['csv', 'json', 'svg', 'png'], { default: 'csv', about: 'Numbers, or a picture of them.' }),
    out: ifGiven(
      text({ placeholder: 'FILE', allowed: 'the path of a new file', about: 'Where to write it.' }),
      'standard output',
    ),
    replace: flag({ default: false, about: 'Write it over a file that is there already.' }),
  },

  async run({ run: folder, format, out, replace }, output) {
    if (out === undefined && replace) throw new UsageError('--replace', replace, 'left out without --out');
    if (format === 'png' && out === undefined && output.isTerminal) {
      throw new UsageError('--format', format, 'given together with --out FILE, or with standard output in a file');
    }
    if (out !== undefined) mustBeNew('--out', out, replace);
    const run = await openedRun(folder);
    const all = await readingRun(() => readReturns(run));
    const front = frontOf(all);
    const content = await contentOf(format, run, all, front);
    if (out === undefined) output.content(content);
    else {
      await writeNew('--out', out, content, replace);
      output.report([`wrote ${out}: ${front.returns.length} distinct non-dominated returns`]);
    }
    return { run: folder, out: out ?? null, ...jsonOf(run, front) };
  },
});

async function contentOf(format: 'csv' | 'json' | 'svg' | 'png', run: Run, all: ReturnsAt, front: ReturnsAt) {
  if (format === 'csv') return frontCsv(namesOf(run.plan.env), front, run.protocol.referencePoint);
  if (format === 'json') return `${JSON.stringify(jsonOf(run, front))}\n`;
  const info = envInfo(run.plan.env);
  const svg = frontPicture(run.plan, {
    ...all,
    hypervolume: hypervolume(all.returns, info.referencePoint),
  });
  return format === 'svg' ? svg : svgToPng(svg);
}

/** With the points where psl metrics looks for them. */
function jsonOf({ plan, protocol }: Run, { preferences, returns }: ReturnsAt) {
  return { objectives: namesOf(plan.env), points: returns, preferences, protocol };
}

function namesOf(env: string): string[] {
  return envInfo(env).objectives.map(({ name }) => name);
}
