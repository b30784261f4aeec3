import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Archive, nonDominated } from './index.js';

test('an archive keeps what is not dominated, with its payload', () => {
  const archive = new Archive<string>(2);
  expect(archive.add([1, 1], 'start')).toBe(true);
  expect(archive.add([3, 0], 'right')).toBe(true);
  expect(archive.add([0, 0], 'bad')).toBe(false);
  expect(archive.add([2, 2], 'better')).toBe(true);
  expect(archive.entries).toEqual([
    { point: [3, 0], payload: 'right' },
    { point: [2, 2], payload: 'better' },
  ]);
  expect(archive.size).toBe(2);
});

test('an archive keeps the first of equal points', () => {
  const archive = new Archive<string>(2);
  archive.add([1, 1], 'first');
  expect(archive.add([1, 1], 'second')).toBe(false);
  expect(archive.entries).toEqual([{ point: [1, 1], payload: 'first' }]);
});

test('an archive copies the point, so that a buffer can be used again', () => {
  const buffer = new Float64Array([1, 2]);
  const archive = new Archive<null>(2);
  archive.add(buffer, null);
  buffer.fill(7);
  expect(archive.points).toEqual([[1, 2]]);
});

test('an array of entries that was read from an archive stays as it was', () => {
  const archive = new Archive<null>(1);
  archive.add([1], null);
  const before = archive.entries;
  archive.add([2], null);
  expect(before).toEqual([{ point: [1], payload: null }]);
});

test('an archive holds what the filter keeps of all points', () => {
  const value = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value, value), { maxLength: 30 }), (points) => {
      const archive = new Archive<number>(3);
      points.forEach((point, i) => archive.add(point, i));
      expect(archive.points).toEqual(nonDominated(points));
      for (const { point, payload } of archive.entries) expect(points[payload]).toEqual(point);
    }),
  );
});

test('an archive refuses points that do not fit', () => {
  const archive = new Archive<null>(2);
  expect(() => archive.add([1], null)).toThrow(
    new RangeError('point holds 1 number, but must hold 2, one per objective.'),
  );
  expect(() => archive.add([1, NaN], null)).toThrow(new RangeError('point[1] is NaN, but must be a finite number.'));
  expect(() => new Archive(0)).toThrow(new RangeError('objectives is 0, but must be an integer of at least 1.'));
});
