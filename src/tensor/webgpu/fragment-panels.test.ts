import { describe, expect, it } from 'vitest';

import { number } from './affine.js';
import type { Affine } from './affine.js';
import { copiesOf, panelsOf, placeIn } from './fragment-panels.js';
import type { Panel, Run } from './fragment-panels.js';
import { chooseFragments, fragmentShapes, fragmentsOf, fragmentThreads, SIDE, SUBGROUP } from './fragment-tile.js';

/** The value of an expression for one thread. */
function valueOf({ terms, constant }: Affine, t: number): number {
  const valueOfAtom = ({ text, part }: Affine['terms'][number]['atom']): number => {
    if (part !== undefined) {
      const of = valueOf(part.of, t);
      return part.kind === '/' ? Math.floor(of / part.by) : of % part.by;
    }
    const most = /^min\(t, (\d+)u\)$/.exec(text);
    return most === null ? t : Math.min(t, Number(most[1]));
  };
  return terms.reduce((sum, { atom, factor }) => sum + factor * valueOfAtom(atom), constant);
}

/** Which entry of the operand each place has, as its row or column and its inner index, when all threads have copied theirs. */
function filled(panel: Panel, run: Run, threads: number, places: number): { entries: string[]; copies: number } {
  const entries = new Array<string>(places).fill('');
  let copies = 0;
  for (const { line, place, threads: active = threads } of copiesOf(panel, run, threads)) {
    for (let t = 0; t < active; t++) {
      const [at, along] = [valueOf(line, t), valueOf(place, t) * run];
      for (let i = along; i < along + run; i++) {
        entries[panel.start + at * panel.pitch + i] = panel.isInner ? `${at}/${i}` : `${i}/${at}`;
        copies++;
      }
    }
  }
  return { entries, copies };
}

/** What the fragment at a row or column of the tile and an inner index should consist of, and where it is read. */
function fragmentAt(
  panel: Panel,
  outer: number,
  inner: number,
): { start: number; places: number[]; entries: string[] } {
  const start = panel.start + placeIn(panel, number(outer), number(inner)).constant;
  const pairs = Array.from({ length: SIDE * SIDE }, (_, i) => [Math.floor(i / SIDE), i % SIDE] as const);
  return {
    start,
    places: pairs.map(([x, k]) => start + (panel.isInner ? x * panel.pitch + k : k * panel.pitch + x)),
    entries: pairs.map(([x, k]) => `${outer + x}/${inner + k}`),
  };
}

const tiles = fragmentShapes.flatMap(([height, width, down, across], i) =>
  [16, 48, 80].map((depth) => ({ height, width, down, across, depth, run: ([1, 2, 4] as const)[i % 3] })),
);

describe('the panels of a product on tensor cores', () => {
  it.each(tiles)('hold each entry once, $height x $width x $depth with runs of $run', (tile) => {
    const { height, width, depth, down, across, run } = tile;
    for (const isInner of [true, false]) {
      const { left, right, size } = panelsOf(tile, isInner, isInner);
      for (const [panel, outer, end] of [[left, height, right.start] as const, [right, width, size] as const]) {
        const { entries, copies } = filled(panel, run, SUBGROUP * down * across, size);
        expect(entries.length).toBe(size);
        expect(copies).toBe(outer * depth);
        expect(entries.slice(panel.start, end).filter((entry) => entry !== '').length).toBe(copies);
        expect(panel.pitch % 8).toBe(0);
        // Where fragments are read is where threads have written; reads begin at multiples of eight entries.
        for (let x = 0; x < outer; x += SIDE) {
          for (let k = 0; k < depth; k += SIDE) {
            const fragment = fragmentAt(panel, x, k);
            expect(fragment.start % 8).toBe(0);
            expect(fragment.places.map((place) => entries[place]).join()).toBe(fragment.entries.join());
          }
        }
      }
    }
  });
});

describe('chooseFragments', () => {
  const product = { terms: 1, share: 1, isBesideUpdate: false, results: 1 };
  const sizes = [
    ...[1, 48].flatMap((batch) => [32, 256, 400, 1024].map((rows) => ({ batch, rows }))),
    { batch: 1, rows: 37 },
  ];

  it('covers products with fragments that fit into the memory of a workgroup', () => {
    for (const { batch, rows } of sizes) {
      for (const [columns, inner, results] of [[400, 400, 1] as const, [202, 25, 1] as const, [800, 16, 4] as const]) {
        for (const threads of fragmentThreads) {
          for (const memory of [14336, 30720, 47104]) {
            const limit = { operands: memory, results: memory, total: memory };
            const { tile } = chooseFragments({ ...product, batch, rows, columns, inner, results }, threads, limit);
            const fragments = fragmentsOf(tile);
            expect(SUBGROUP * tile.down * tile.across).toBe(threads);
            expect(fragments.rows * tile.down * SIDE).toBe(tile.height);
            expect(fragments.columns * tile.across * SIDE).toBe(tile.width);
            expect(tile.down % tile.rounds).toBe(0);
            for (const [isLeftInner, isRightInner] of [[true, true] as const, [false, true] as const]) {
              const { size } = panelsOf(tile, isLeftInner, isRightInner);
              const cells = (tile.height / tile.rounds) * (tile.width + 4);
              expect(2 * tile.buffers * size + 4 * cells).toBeLessThanOrEqual(memory);
            }
          }
        }
      }
    }
  });

  it('takes large tiles where there is much work and small ones where there is little', () => {
    const sizeFor = (batch: number): number => {
      const layer = { ...product, batch, rows: 256, columns: 400, inner: 400 };
      const limit = { operands: 47104, results: 47104, total: 47104 };
      const choices = fragmentThreads.map((threads) => chooseFragments(layer, threads, limit));
      const [{ tile }] = choices.sort((a, b) => a.time - b.time);
      return tile.height * tile.width;
    };
    expect(sizeFor(48)).toBeGreaterThan(sizeFor(1));
  });
});
