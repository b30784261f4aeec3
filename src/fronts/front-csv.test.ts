import { expect, it } from 'vitest';
import { frontCsv } from './front-csv.js';
import { parseFront } from './front-file.js';

it('frontCsv writes a front that is read back, with its reference point', () => {
  const preferences = [
    [1, 0],
    [0.25, 0.75],
  ];
  const returns = [
    [9, -9],
    [1, -0.5],
  ];
  const text = frontCsv(['Speed, "net"', 'Energy'], { preferences, returns }, [0, -19]);
  const names = '"Speed, ""net""",Energy,"preference Speed, ""net""",preference Energy';
  expect(text).toBe(`${names},"reference Speed, ""net""",reference Energy\n9,-9,1,0,0,-19\n1,-0.5,0.25,0.75,0,-19\n`);
  expect(parseFront(text, 'FILE')).toEqual({
    points: returns,
    names: ['Speed, "net"', 'Energy'],
    referencePoint: [0, -19],
  });
});
