// Everything that must hold before a change is merged. Works on a fresh clone: `npm run verify`.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideChromium } from './chromium.mjs';
import { provideSoftwareGpu } from './software-gpu.mjs';
import { install, npmScript, secondsSince } from './steps.mjs';

/** @typedef {import('./steps.mjs').Result} Result */
/** @typedef {{ status: string, assertionResults: { status: string }[] }} TestFile */

/** The line that continuous integration reads; stays empty until the tests have run. */
let testCounts = '';

/** What could not be checked here; said again at the end, where it is seen. @type {string[]} */
const notTested = [];

/** A machine without any GPU still verifies, without that part. @returns {Promise<Result>} */
async function softwareGpu() {
  const problem = await provideSoftwareGpu();
  if (problem !== undefined) notTested.push(`NOT TESTED, unless this machine has a GPU: WebGPU, because ${problem}`);
  return { code: 0, output: '' };
}

/** Nor does it need a browser. @returns {Promise<Result>} */
async function browser() {
  const problem = await provideChromium();
  if (problem !== undefined) notTested.push(`NOT TESTED: the page of psl explore, because ${problem}`);
  return { code: 0, output: '' };
}

/** @returns {Promise<Result>} */
async function tests() {
  const folder = mkdtempSync(join(tmpdir(), 'psl-verify-'));
  try {
    const report = join(folder, 'tests.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const result = await npmScript('test:only', 'inherit', reporters);
    // Without a report vitest itself did not start, and has said why.
    if (existsSync(report)) testCounts = countTests(report);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} report path of vitest's JSON report */
function countTests(report) {
  /** @type {unknown} */
  const parsed = JSON.parse(readFileSync(report, 'utf8'));
  const files = /** @type {{ testResults: TestFile[] }} */ (parsed).testResults;
  const all = files.flatMap((file) => file.assertionResults);
  const count = (/** @type {string} */ status) => all.filter((test) => test.status === status).length;
  // A file that does not even load holds no tests, yet it is a failure.
  const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  return `${count('passed')} passed, ${count('failed') + unloaded} failed`;
}

/** @typedef {[name: string, action: () => Promise<Result>]} Step */

/**
 * One stage after the other, the lanes of a stage side by side. The tests use all cores by themselves, except while they wait for
 * something: they begin as soon as there is a build and types are checked, and the other tools run beside them.
 * @type {Step[][][]}
 */
const stages = [
  [[['install', () => install('capture')]]],
  // Its types are those that the other lane checks.
  [
    [['build', () => npmScript('build:tested', 'capture')]],
    [
      ['types', () => npmScript('typecheck', 'capture')],
      ['lint', () => npmScript('lint', 'capture')],
    ],
  ],
  [
    [
      ['gpu', softwareGpu],
      ['browser', browser],
      ['tests', tests],
    ],
    [
      ['format', () => npmScript('format:check', 'capture')],
      ['layers', () => npmScript('layers', 'capture')],
      ['docs', () => npmScript('docs:check', 'capture')],
    ],
  ],
];

const start = performance.now();
/** @type {string[]} */
const failed = [];
let passed = 0;

/** @param {Step} step */
async function take([name, action]) {
  const stepStart = performance.now();
  const { code, output } = await action();
  if (code === 0) {
    passed++;
  } else {
    failed.push(name);
    console.log(output.trimEnd());
  }
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(8)} ${secondsSince(stepStart).padStart(6)} s`);
}

for (const lanes of stages) {
  await Promise.all(
    lanes.map(async (steps) => {
      for (const step of steps) await take(step);
    }),
  );
  // Without the dependencies no later step can say anything; otherwise one run should show every failure.
  if (failed.includes('install')) break;
}

if (testCounts !== '') console.log(`\n${testCounts}`);
for (const line of notTested) console.log(line);
if (failed.length === 0) {
  console.log(`verify: all ${passed} steps passed in ${secondsSince(start)} s`);
} else {
  console.log(`verify: failed in ${failed.join(', ')} after ${secondsSince(start)} s`);
  process.exitCode = 1;
}
