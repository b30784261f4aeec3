/**
 * The final score of a run: what its policy sets achieve from start states that no choice was made by. The best of many
 * evaluations is flattered by the episodes that it was chosen by, so both it and the last one are played again. Stored in
 * the folder of the run, so that it is played once and goes where the run goes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksummed, isChecksumIntact, jsonText, writeAtomic } from '../files/index.js';
import type { ReturnsAt, Score } from '../fronts/index.js';
import { evaluateRun } from '../runs/index.js';
import type { Run } from '../runs/index.js';
import { protocolOf } from '../training/index.js';
import type { Protocol, TrainingPlan } from '../training/index.js';

/** How the policy sets of a table are played when all choices are made. */
export interface FinalProtocol {
  /** Of the grid of preferences. */
  readonly divisions: number;
  /** At each preference. */
  readonly episodes: number;
  /** Of the first of them; another than that of evaluations during training. */
  readonly seed: number;
}

export interface FinalScore {
  /** Of the policy set that the run keeps. */
  readonly kept: Score & ReturnsAt & { readonly protocol: Protocol };
  /** Of the one that was evaluated last, where the best is kept; null where the run has none. */
  readonly last: Score | null;
}

const FILE = 'final-score.json';

/**
 * The protocol that a run is scored by.
 * @param final absent where the run is not played again
 */
export function scoreProtocolOf(plan: TrainingPlan, lockstep: number, final?: FinalProtocol): Protocol {
  if (final === undefined) return protocolOf(plan, lockstep);
  const { divisions, episodes, seed } = final;
  const config = { ...plan.config, evaluationDivisions: divisions, episodes };
  return protocolOf({ ...plan, config, evaluationSeed: seed }, lockstep);
}

/** @param watch hears which share is done; what it throws ends the evaluation, and is thrown by it */
export async function finalScore(
  run: Run,
  protocol: FinalProtocol,
  watch: (share: number) => void,
): Promise<FinalScore> {
  const stored = storedScore(run, protocol);
  if (stored !== undefined) return stored;
  const { kept: keptModel, last: lastModel } = modelsOf(run);
  const isSame = run.plan.config.keep === 'last' || keptModel === lastModel;
  const isTwice = !isSame && lastModel !== null;
  const kept = await evaluated(run, protocol, false, (share) => watch(isTwice ? share / 2 : share));
  const last = isTwice ? await evaluated(run, protocol, true, (share) => watch((1 + share) / 2)) : isSame ? kept : null;
  const scores: FinalScore = { kept, last: last && scoreIn(last) };
  const document = { ...identityOf(run, protocol), ...scores };
  writeAtomic(join(run.folder, FILE), checksummed(jsonText(document)));
  return scores;
}

async function evaluated(
  run: Run,
  { divisions, episodes, seed }: FinalProtocol,
  last: boolean,
  watch: (share: number) => void,
): Promise<FinalScore['kept']> {
  const result = await evaluateRun(run, { divisions, episodes, seed, last, watch });
  const { preferences, returns, protocol } = result;
  return { ...scoreIn(result), protocol, preferences, returns };
}

function scoreIn({ hypervolume, sparsity, expectedUtility, points, coverageF1, regret }: Score): Score {
  return { hypervolume, sparsity, expectedUtility, points, coverageF1, regret };
}

/** The score that is there already, if it is of this protocol and of the models that are there. */
function storedScore(run: Run, protocol: FinalProtocol): FinalScore | undefined {
  let text: string;
  try {
    text = readFileSync(join(run.folder, FILE), 'utf8');
  } catch {
    return undefined;
  }
  if (isChecksumIntact(text) !== true) return undefined;
  const { kept, last, ...of } = JSON.parse(text) as FinalScore;
  const isOf = JSON.stringify(of) === JSON.stringify({ ...of, ...identityOf(run, protocol) });
  return isOf ? { kept, last } : undefined;
}

/** What a score is of. */
function identityOf(run: Run, protocol: FinalProtocol): object {
  return { format: 1, protocol, models: modelsOf(run) };
}

/** Checksums of the policy sets of a run. */
function modelsOf({ files = {} }: Run): { readonly kept: string | null; readonly last: string | null } {
  const { 'model.safetensors': kept = null, 'last/model.safetensors': last = null } = files as Partial<typeof files>;
  return { kept, last };
}
