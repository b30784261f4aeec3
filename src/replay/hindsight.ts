/**
 * Hindsight preference relabelling (PD-MORL): transitions that were collected under one preference are learned from
 * under others too. It is done when a batch is drawn, so that each transition is stored once.
 */
import { absNormal } from '../preferences/index.js';
import type { Random } from '../random/index.js';
import type { Replay } from './replay.js';

export interface HindsightOptions {
  /** Preference groups of a batch; the slots come in as many equal, contiguous runs. */
  readonly groups: number;
  /** Relabelled draws for each one with its stored preference (3 as published). */
  readonly copies: number;
  /** Share of the rows, on average, that come from the recent part of the replay; none where absent. */
  readonly recent?: number;
  /** Fills an array with the preference of a relabelled group; |N| / sum as published. */
  readonly draw?: (random: Random, out: Float32Array) => unknown;
}

/**
 * Fills in the slots of a batch and the preference of each group. PD-MORL stores each transition again with `copies` drawn
 * preferences; drawing the preferences here, in the same proportion, has the same expectation and takes a quarter of the
 * memory.
 *
 * A relabelled group has a drawn preference and any transitions. A group with a stored preference has that of its first
 * transition; its other transitions are of the same child, which follows similar preferences.
 */
export function drawHindsight(
  replay: Replay,
  random: Random,
  { groups, copies, recent = 0, draw = absNormal }: HindsightOptions,
  slots: Int32Array,
  preferences: Float32Array,
): void {
  const { objectives } = replay.shape;
  const rows = slots.length / groups;
  const stored = storedGroups(groups, copies, random);
  for (let group = 0; group < groups; group++) {
    const keep = group < stored;
    for (let i = 0; i < rows; i++) {
      const row = group * rows + i;
      const sibling = keep && i > 0 ? slots[group * rows] : undefined;
      // Without recent rows nothing is drawn for them, so that the random numbers are what they were.
      const isRecent = recent > 0 && random.uniform() < recent;
      slots[row] = drawSlot(replay, random, isRecent, sibling);
    }
    if (keep) replay.preferenceAt(slots[group * rows], preferences, group * objectives);
    else draw(random, preferences.subarray(group * objectives, (group + 1) * objectives));
  }
}

/** A slot, among the recent ones or all, and of the same child as another slot where there is one. */
function drawSlot(replay: Replay, random: Random, isRecent: boolean, sibling: number | undefined): number {
  if (sibling === undefined) return isRecent ? replay.drawRecent(random) : replay.draw(random);
  return isRecent ? replay.drawRecentSibling(sibling, random) : replay.drawSibling(sibling, random);
}

/** groups / (copies + 1), where that is a fraction rounded up or down at random so that it holds on average. */
function storedGroups(groups: number, copies: number, random: Random): number {
  const exact = groups / (copies + 1);
  const whole = Math.floor(exact);
  return exact === whole ? whole : whole + Number(random.uniform() < exact - whole);
}
