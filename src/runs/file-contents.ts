/** What stands in files of a run that more than one part writes. */
import type { SavedReplica } from '../algorithms/index.js';
import { checksum } from '../files/checksum.js';
import { checksummed } from '../files/checksummed.js';
import { jsonText } from '../files/json-text.js';
import type { ReturnsAt } from '../fronts/front.js';
import { encodeSafetensors, encodeWeights, fitsHalf, type Model, type Precision } from '../model/index.js';
import type { Progress } from '../training/index.js';
import { LEARNER, LEARNER_WEIGHTS, MODEL, RUN_FORMAT, WEIGHTS } from './file-names.js';
import { encodeState } from './state-json.js';

/** A file of a front: JSON, a row a line. */
export function frontText({ envSteps, gradientSteps }: Progress, { preferences, returns, own }: ReturnsAt): string {
  const rows = (values: ReturnsAt['returns']) => `[\n${values.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
  const counts = `"format": ${RUN_FORMAT}, "envSteps": ${envSteps}, "gradientSteps": ${gradientSteps}`;
  const others = own === undefined ? '' : `,\n"own": ${rows(own)}`;
  return checksummed(`{${counts},\n"preferences": ${rows(preferences)},\n"returns": ${rows(returns)}${others}}\n`);
}

/**
 * The two files of what a learner has learned, by name. They are read with the model of the run, which has the policy.
 * @param policy names of the tensors in the file of the model, which has the checksum
 */
export function learnerFiles(
  { tensors, rest }: SavedReplica,
  policy: readonly string[],
  modelChecksum: string,
): [name: string, content: string | Uint8Array][] {
  const others = [...tensors].filter(([name]) => !policy.includes(name));
  const weights = encodeSafetensors(
    new Map(others.map(([name, values]) => [name, { shape: [values.length], values }])),
  );
  const parts = { [WEIGHTS]: modelChecksum, [LEARNER_WEIGHTS]: checksum(weights) };
  return [
    [LEARNER_WEIGHTS, weights],
    [LEARNER, checksummed(encodeState({ format: RUN_FORMAT, parts, rest }))],
  ];
}

/** The two files of a model, by name. */
export function modelFiles(model: Model, precision?: Precision): [name: string, content: string | Uint8Array][] {
  const weights = encodeWeights(model, precision);
  const file = { file: WEIGHTS, sha256: checksum(weights) };
  return [
    [WEIGHTS, weights],
    [MODEL, checksummed(jsonText({ ...model.description, weights: file }))],
  ];
}

/** The same of a policy set that is kept to be looked at: in half precision where that has room for its numbers. */
export function snapshotFiles(model: Model): ReturnType<typeof modelFiles> {
  return modelFiles(model, fitsHalf(model) ? 'float16' : 'float32');
}
