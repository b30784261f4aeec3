import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
import { drawHindsight, Replay } from './index.js';

const shape = { capacity: 6, observation: 2, action: 1, objectives: 2, children: 2 };

/** Transition number n of child n mod 2, recognisable in every column. */
function transition(n: number) {
  return {
    observation: [n, n + 0.5],
    action: n,
    reward: [n, -n],
    next: [n + 1, n + 1.5],
    terminal: n % 3 === 0,
    preference: n % 2 === 0 ? [0.25, 0.75] : [0.9, 0.1],
  };
}

function filled(count: number, capacity = 6): Replay {
  const replay = new Replay({ ...shape, capacity });
  for (let n = 0; n < count; n++) replay.add(transition(n));
  return replay;
}

function rows(count: number) {
  return {
    observation: new Float32Array(2 * count),
    action: new Int32Array(count),
    reward: new Float32Array(2 * count),
    next: new Float32Array(2 * count),
    terminal: new Float32Array(count),
  };
}

describe('Replay', () => {
  it('gives back what was stored, row by row', () => {
    const out = rows(3);
    filled(5).gather(Int32Array.of(4, 0), out, 1);
    expect([...out.observation]).toEqual([0, 0, 4, 4.5, 0, 0.5]);
    expect([...out.action]).toEqual([0, 4, 0]);
    expect([...out.reward]).toEqual([0, 0, 4, -4, 0, -0]);
    expect([...out.next]).toEqual([0, 0, 5, 5.5, 1, 1.5]);
    expect([...out.terminal]).toEqual([0, 0, 1]);
  });

  it('gives neighbouring slots as rows of everything that an update needs', () => {
    const replay = filled(5);
    expect([...replay.rows(2, 2)]).toEqual([2, 2.5, 2, 2, -2, 3, 3.5, 0, 3, 3.5, 3, 3, -3, 4, 4.5, 1]);
  });

  it('forgets the oldest when it is full', () => {
    const replay = filled(8);
    expect(replay.size).toBe(6);
    const out = rows(6);
    replay.gather(Int32Array.of(0, 1, 2, 3, 4, 5), out, 0);
    expect([...out.action]).toEqual([6, 7, 2, 3, 4, 5]);
  });

  it('rounds its capacity up to whole turns, so that a slot keeps its child', () => {
    expect(new Replay({ ...shape, capacity: 5 }).capacity).toBe(6);
    const replay = filled(20, 5);
    const random = new Random(1);
    const out = rows(1);
    for (let i = 0; i < 200; i++) {
      const slot = replay.draw(random);
      replay.gather(Int32Array.of(replay.drawSibling(slot, random)), out, 0);
      expect(out.action[0] % 2).toBe(slot % 2);
    }
  });

  it('draws every slot of a child, also while it fills', () => {
    const replay = filled(5);
    const random = new Random(2);
    const seen = [new Set<number>(), new Set<number>()];
    for (let i = 0; i < 300; i++) {
      seen[0].add(replay.drawSibling(0, random));
      seen[1].add(replay.drawSibling(1, random));
    }
    expect([...seen[0]].sort()).toEqual([0, 2, 4]);
    expect([...seen[1]].sort()).toEqual([1, 3]);
  });

  it('counts the rewards of several steps, as far as an episode went on', () => {
    const replay = new Replay({ ...shape, capacity: 8 });
    // Child 0 goes on from 0 to 3, child 1 comes to its step limit after 11 and to its end after 22.
    const add = (from: number, to: number, terminal = false) =>
      replay.add({ ...transition(0), observation: [from, 0], next: [to, 0], reward: [from, 1], terminal });
    add(0, 1);
    add(10, 11);
    add(1, 2);
    add(20, 21);
    add(2, 3);
    add(21, 22, true);
    const out = rows(4);
    replay.gather(Int32Array.of(0, 1, 3, 4), out, 0, { steps: 3, discount: 0.5 });
    expect([...out.observation]).toEqual([0, 0, 10, 0, 20, 0, 2, 0]);
    expect([...out.reward]).toEqual([0 + 1 / 2 + 2 / 4, 1.75, 10, 1, 20 + 21 / 2, 1.5, 2, 1]);
    expect([...out.next]).toEqual([3, 0, 11, 0, 22, 0, 3, 0]);
    // What comes after three steps counts a quarter beside what comes after one.
    expect([...out.terminal]).toEqual([0.75, 0, 1, 0]);
  });

  it('does not go on from the newest transition to the oldest one', () => {
    const replay = new Replay({ ...shape, children: 1, capacity: 2 });
    for (const from of [1, 0, 1]) {
      replay.add({ ...transition(0), observation: [from, 0], next: [1 - from, 0], reward: [1, 1], terminal: false });
    }
    const out = rows(2);
    replay.gather(Int32Array.of(0, 1), out, 0, { steps: 5, discount: 1 });
    expect([...out.reward]).toEqual([1, 1, 2, 2]);
  });

  it('takes actions of several numbers', () => {
    const replay = new Replay({ ...shape, action: 3 });
    replay.add({ ...transition(1), action: [0.1, 0.2, 0.3] });
    const out = { ...rows(1), action: new Float32Array(3) };
    replay.gather(Int32Array.of(0), out, 0);
    expect([...out.action]).toEqual([...Float32Array.of(0.1, 0.2, 0.3)]);
  });
});

describe('the recent part of a replay', () => {
  /** A replay of so many children to which so many transitions were added; what they are is no matter here. */
  function counting(added: number, { capacity = 300_000, children = 2 } = {}): Replay {
    const replay = new Replay({ capacity, observation: 0, action: 0, objectives: 0, children });
    replay.added = added;
    return replay;
  }
  /** How many transitions were added after that of a slot. */
  const ageOf = ({ added, capacity }: Replay, slot: number) => (added - 1 - slot + capacity) % capacity;

  it.each([
    [0, 0],
    [7, 7],
    [9_999, 9_999],
    [100_000, 10_000],
    [150_001, 15_001],
    [900_000, 30_000],
  ])('of %d transitions is %d: a tenth of what is kept, but at least 10,000 or all there are', (added, recent) => {
    expect(counting(added).recent).toBe(recent);
  });

  it.each([
    ['before the ring is full', 25_000],
    ['around its end', 30_004],
    ['when it is full', 60_000],
  ])('is drawn from, and each child by itself, %s', (_, added) => {
    const replay = counting(added, { capacity: 30_000, children: 3 });
    const random = new Random(6);
    const ages = Array.from({ length: 5_000 }, () => ageOf(replay, replay.drawRecent(random)));
    expect(Math.min(...ages)).toBeLessThan(50);
    expect(Math.max(...ages)).toBeLessThan(10_000);
    expect(Math.max(...ages)).toBeGreaterThan(9_950);
    for (const child of [0, 1, 2]) {
      // Any slot of the child will do, also an old one.
      const slots = Array.from({ length: 5_000 }, () => replay.drawRecentSibling(300 + child, random));
      expect(slots.every((slot) => slot % 3 === child && slot >= 0 && slot < 30_000)).toBe(true);
      const own = slots.map((slot) => ageOf(replay, slot));
      expect(Math.min(...own)).toBeLessThan(50);
      expect(Math.max(...own)).toBeLessThan(10_000);
      expect(Math.max(...own)).toBeGreaterThan(9_900);
    }
  });

  it('has every slot of a child and no others while there are few', () => {
    const replay = counting(5, { children: 3 });
    const random = new Random(7);
    const drawn = (draw: () => number) => [...new Set(Array.from({ length: 200 }, draw))].sort((x, y) => x - y);
    expect(drawn(() => replay.drawRecent(random))).toEqual([0, 1, 2, 3, 4]);
    expect(drawn(() => replay.drawRecentSibling(0, random))).toEqual([0, 3]);
    expect(drawn(() => replay.drawRecentSibling(4, random))).toEqual([1, 4]);
    expect(drawn(() => replay.drawRecentSibling(2, random))).toEqual([2]);
  });
});

describe('the bytes of a replay', () => {
  const columnsOf = (replay: Replay) => {
    const out = rows(replay.size);
    replay.gather(
      Int32Array.from({ length: replay.size }, (_, i) => i),
      out,
      0,
    );
    return out;
  };

  it.each([
    [4, 0],
    [9, 3],
    [20, 14],
  ])('make the same replay of %d transitions, also around the end of the ring', (count, from) => {
    const replay = filled(count);
    const copy = new Replay(shape);
    copy.added = from;
    copy.decode(replay.encode(from, from + 1));
    copy.decode(replay.encode(from + 1, count));
    expect(copy.added).toBe(count);
    expect(columnsOf(copy)).toEqual(columnsOf(replay));
  });

  it('are refused where they are not whole transitions', () => {
    const bytes = filled(2).encode(0, 2);
    expect(() => new Replay(shape).decode(bytes.subarray(1))).toThrow(`has ${bytes.length - 1} bytes, which are not`);
  });
});

describe('drawHindsight', () => {
  const replay = filled(600, 600);

  it('keeps one stored preference for three relabelled ones, one per row', () => {
    const random = new Random(3);
    const slots = new Int32Array(16);
    const preferences = new Float32Array(32);
    let stored = 0;
    for (let i = 0; i < 100; i++) {
      drawHindsight(replay, random, { groups: 16, copies: 3 }, slots, preferences);
      for (let row = 0; row < 16; row++) {
        const followed = Float32Array.from(transition(slots[row]).preference);
        stored += Number(preferences[2 * row] === followed[0]);
        expect(preferences[2 * row] + preferences[2 * row + 1]).toBeCloseTo(1, 6);
      }
    }
    expect(stored).toBe(400);
  });

  it('draws what it drew before there was a recent part, where its share is zero', () => {
    const [random, again] = [new Random(8), new Random(8)];
    const slots = new Int32Array(16);
    const drawn: number[] = [];
    const draw = (generator: Random) => drawn.push(generator.uint32());
    drawHindsight(replay, random, { groups: 4, copies: 3, recent: 0, draw }, slots, new Float32Array(8));
    const expected: number[] = [again.integer(600)];
    // The first group has a stored preference, and the other transitions of that child.
    while (expected.length < 4) expected.push((expected[0] % 2) + 2 * again.integer(300));
    const preferences: number[] = [];
    while (expected.length < 16) {
      for (let row = 0; row < 4; row++) expected.push(again.integer(600));
      preferences.push(again.uint32());
    }
    expect([...slots]).toEqual(expected);
    expect(drawn).toEqual(preferences);
    expect(random.uint32()).toBe(again.uint32());
  });

  it.each([
    // The newest 10,000 of 40,000 also have a quarter of what is drawn from the whole.
    [0.4, 0.4 + 0.6 / 4],
    [1, 1],
  ])(
    'draws a share of %d of the rows from the newest transitions, of one child where they are siblings',
    (recent, share) => {
      const large = filled(50_001, 40_000);
      const random = new Random(9);
      const slots = new Int32Array(32);
      const newest = { rows: 0, siblings: 0 };
      for (let i = 0; i < 400; i++) {
        drawHindsight(large, random, { groups: 4, copies: 3, recent }, slots, new Float32Array(8));
        const isNew = [...slots].map((slot) => (50_000 - slot) % 40_000 < 10_000);
        newest.rows += isNew.filter(Boolean).length;
        // The first group is the one with a stored preference.
        newest.siblings += isNew.slice(1, 8).filter(Boolean).length;
        expect([...slots.slice(0, 8)].every((slot) => slot % 2 === slots[0] % 2)).toBe(true);
      }
      expect(newest.rows / (400 * 32)).toBeCloseTo(share, 1);
      expect(newest.siblings / (400 * 7)).toBeCloseTo(share, 1);
    },
  );

  it('holds the proportion on average where it is not a whole number of groups', () => {
    const random = new Random(4);
    const slots = new Int32Array(2);
    const preferences = new Float32Array(4);
    let stored = 0;
    for (let i = 0; i < 4000; i++) {
      drawHindsight(replay, random, { groups: 2, copies: 3 }, slots, preferences);
      stored += [0, 1].filter((row) => {
        return preferences[2 * row] === Float32Array.from(transition(slots[row]).preference)[0];
      }).length;
    }
    expect(stored / 8000).toBeCloseTo(0.25, 1);
  });

  it('serves a group with a stored preference from the child that followed it', () => {
    const random = new Random(5);
    const slots = new Int32Array(32);
    const preferences = new Float32Array(8);
    for (let i = 0; i < 50; i++) {
      drawHindsight(replay, random, { groups: 4, copies: 3 }, slots, preferences);
      const child = slots[0] % 2;
      expect([...slots.slice(0, 8)].every((slot) => slot % 2 === child)).toBe(true);
      expect(preferences[0]).toBe(Float32Array.of(child === 0 ? 0.25 : 0.9)[0]);
    }
  });
});
