/** What stands in files of a run that more than one part writes. */
import { checksum, checksummed, jsonText } from '../files/index.js';
import type { ReturnsAt } from '../fronts/index.js';
import { encodeWeights, type Model, type Precision } from '../model/index.js';
import type { Progress } from '../training/index.js';
import { MODEL, RUN_FORMAT, WEIGHTS } from './file-names.js';

/** A file of a front: JSON, a row a line. */
export function frontText({ envSteps, gradientSteps }: Progress, { preferences, returns }: ReturnsAt): string {
  const rows = (values: ReturnsAt['returns']) => `[\n${values.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
  const counts = `"format": ${RUN_FORMAT}, "envSteps": ${envSteps}, "gradientSteps": ${gradientSteps}`;
  return checksummed(`{${counts},\n"preferences": ${rows(preferences)},\n"returns": ${rows(returns)}}\n`);
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
