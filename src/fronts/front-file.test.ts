import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseFront, readFront } from './front-file.js';

const NAME = 'FILE f.csv';

function messageOf(text: string): string {
  try {
    parseFront(text, NAME);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return (error as RangeError).message;
  }
  throw new Error('nothing was thrown');
}

describe('parseFront', () => {
  it.each([
    ['commas', '1,2\n3,4\n'],
    ['commas and blanks', ' 1, 2\n3 ,4'],
    ['semicolons', '1;2\n3;4\n'],
    ['tabs', '1\t2\n3\t4\n'],
    ['blanks', '  1   2\n3 4  \n'],
    ['line ends of Windows', '1,2\r\n3,4\r\n'],
    ['old line ends of Macs', '1,2\r3,4\r'],
    ['a byte order mark', '\uFEFF1,2\n3,4\n'],
    ['column names', 'speed,energy used\n1,2\n3,4\n'],
    ['quoted column names', '"speed","energy"\n1,2\n3,4\n'],
    ['empty lines and comments', '# front\n\n1,2\n\n# more\n3,4\n\n'],
    ['exponents and signs', '+1e0,.2E1\n3.,4.0\n'],
    ['JSON', '[[1, 2], [3, 4]]'],
    ['a JSON object', ' {"env": "x", "points": [[1, 2], [3, 4]]}\n'],
  ])('reads %s', (_, text) => {
    expect(parseFront(text, NAME).points).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it.each([
    ['', 'the number of points in FILE f.csv is 0, but must be at least 1.'],
    ['a,b\n', 'the number of points in FILE f.csv is 0, but must be at least 1.'],
    ['[]', 'the number of points in FILE f.csv is 0, but must be at least 1.'],
    ['1\n2\n', 'line 1 in FILE f.csv is "1", but must be at least 2 numbers, one per objective.'],
    ['\n1,2\n3\n', 'line 3 in FILE f.csv is "3", but must be 2 numbers, like the first one.'],
    ['1,2\n3,4,5\n', 'line 2 in FILE f.csv is "3,4,5", but must be 2 numbers, like the first one.'],
    ['a,b\n1,2,3\n', 'line 2 in FILE f.csv is "1,2,3", but must be 2 numbers, like the first one.'],
    ['1,2\n3,\n', 'number 2 of line 2 in FILE f.csv is "", but must be a finite number.'],
    ['1,2\n3,nan\n', 'number 2 of line 2 in FILE f.csv is "nan", but must be a finite number.'],
    ['NaN,NaN\n', 'number 1 of line 1 in FILE f.csv is "NaN", but must be a finite number.'],
    ['inf -inf\n', 'number 1 of line 1 in FILE f.csv is "inf", but must be a finite number.'],
    ['1,1e999\n', 'number 2 of line 1 in FILE f.csv is "1e999", but must be a finite number.'],
    ['1,x\n', 'number 2 of line 1 in FILE f.csv is "x", but must be a finite number.'],
    ['1,2\na,b\n', 'number 1 of line 2 in FILE f.csv is "a", but must be a finite number.'],
    [
      '1,5;2.5\n',
      'number 2 of line 1 in FILE f.csv is "2.5", but must be a finite number, with a decimal comma like others.',
    ],
    ['"1,5","2,5"\n', 'number 1 of line 1 in FILE f.csv is "1,5", but must be a finite number.'],
    ['0x1,2\n', 'number 1 of line 1 in FILE f.csv is "0x1", but must be a finite number.'],
    [',a\n0,1\n', 'line 2 in FILE f.csv is "0,1", but must be at least 2 numbers, one per objective.'],
    ['"a,b\n1,2\n', 'line 2 in FILE f.csv is "1,2", but must be a row whose quotes open and close around its cells.'],
    ['[[1, 2], [3]]', 'point 2 in FILE f.csv is [3], but must be 2 numbers, like the first one.'],
    ['[[1], [3]]', 'point 1 in FILE f.csv is [1], but must be at least 2 numbers, one per objective.'],
    ['[[1, null]]', 'number 2 of point 1 in FILE f.csv is null, but must be a finite number.'],
    ['[[1, "2"]]', 'number 2 of point 1 in FILE f.csv is "2", but must be a finite number.'],
    ['[[1, 1e999]]', 'number 2 of point 1 in FILE f.csv is Infinity, but must be a finite number.'],
    ['[1, 2]', 'point 1 in FILE f.csv is 1, but must be an array of numbers.'],
    ['{"front": []}', 'points in FILE f.csv is missing, but must be an array of points.'],
    ['{"points": 3}', 'points in FILE f.csv is 3, but must be an array of points.'],
    ['[[1, NaN]]', 'the text of FILE f.csv is "[[1, NaN]]", but must be valid JSON, since it begins with a bracket.'],
  ])('refuses %j', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  // As `DataFrame.to_csv` of pandas 2.2 and `write.csv`, `write.table` and `readr::write_csv` of R 4.4 write them.
  it.each([
    ['pandas with its index', ',Speed,Energy\n0,1.0,2.0\n7,3.0,4.0\n', ['']],
    ['pandas, read and written again', 'Unnamed: 0,Speed,Energy\n0,1.0,2.0\n1,3.0,4.0\n', ['Unnamed: 0']],
    ['pandas with labels', 'method,Speed,Energy\n"PSL, fused",1.0,2.0\nPD-MORL,3.0,4.0\n', ['method']],
    ['pandas with every cell quoted', '"","Speed","Energy"\r\n"0","1.0","2.0"\r\n"1","3.0","4.0"\r\n', ['']],
    ['write.csv', '"","Speed","Energy"\n"1",1,2\n"2",3,4\n', ['']],
    ['write.csv with labels behind', '"Speed","Energy","method"\n1,2,"psl"\n3,4,"the ""other"""\n', ['method']],
    ['write.table', '"Speed" "Energy"\n"1" 1 2\n"2" 3 4\n', ['']],
    ['write_csv', 'Speed,Energy\n1,2\n3,4\n', undefined],
  ])('reads what is written by %s', (_, text, leftOut) => {
    expect(parseFront(text, NAME)).toEqual({
      points: [
        [1, 2],
        [3, 4],
      ],
      names: ['Speed', 'Energy'],
      ...(leftOut && { leftOut }),
    });
  });

  // As `write.csv2` of R 4.4 writes it, without and with `row.names = FALSE`, and `to_csv(sep=';', decimal=',')` of pandas 2.2.
  it.each([
    ['write.csv2', '"";"Speed";"Energy"\n"1";1,5;-2e+05\n"2";3;1,25e-05\n', ['']],
    ['write.csv2 without row names', '"Speed";"Energy";"method"\n1,5;-2e+05;"a, b"\n3;1,25e-05;"c"\n', ['method']],
    ['pandas', ';Speed;Energy\n0;1,5;-200000,0\n1;3,0;1,25e-05\n', ['']],
  ])('reads decimal commas between semicolons as written by %s', (_, text, leftOut) => {
    expect(parseFront(text, NAME)).toEqual({
      points: [
        [1.5, -200000],
        [3, 0.0000125],
      ],
      names: ['Speed', 'Energy'],
      leftOut,
    });
  });

  it('reads the reference point that a file has beside its points', () => {
    const expected = { points: [[1, 2]], names: ['A', 'B'], referencePoint: [0, -19] };
    expect(parseFront('A,B,preference A,preference B,reference A,reference B\n1,2,1,0,0,-19\n', NAME)).toEqual(
      expected,
    );
    const json = { objectives: ['A', 'B'], points: [[1, 2]], protocol: { referencePoint: [0, -19] } };
    expect(parseFront(JSON.stringify(json), NAME)).toEqual(expected);
  });

  it('either returns equally long rows of finite numbers or refuses with a sentence', () => {
    const pieces = fc.array(
      fc.constantFrom(...Array.from('1234.,;- \t\n\r#e[]{}"'), 'nan', 'a', 'points', 'null', ':'),
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      pieces.map((parts) => parts.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const { points } = parseFront(text, NAME);
          expect(points.length).toBeGreaterThan(0);
          expect(points[0].length).toBeGreaterThan(1);
          for (const point of points) {
            expect(point).toHaveLength(points[0].length);
            expect(point.every(Number.isFinite)).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          expect((error as RangeError).message).toMatch(/^[^\n]+, but must be [^\n]+\.$/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads back what was written', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
    const fronts = fc
      .integer({ min: 2, max: 5 })
      .chain((n) => fc.array(fc.array(value, { minLength: n, maxLength: n }), { minLength: 1 }));
    fc.assert(
      fc.property(fronts, fc.constantFrom(',', ';', ' ', '\t', ', '), (points, separator) => {
        expect(parseFront(points.map((point) => point.join(separator)).join('\n'), NAME).points).toEqual(points);
        expect(parseFront(JSON.stringify({ points }), NAME)).toEqual({ points });
        const withCommas = points.map((point) => point.join(';').replaceAll('.', ',')).join('\n');
        expect(parseFront(withCommas, NAME).points).toEqual(points);
      }),
    );
  });
});

describe('the names in a file with a front', () => {
  const points = [[1, 2]];

  it('are those of the columns or of the objectives in JSON, without those of preferences', () => {
    const named = { points, names: ['Speed', 'Energy used'] };
    expect(parseFront('Speed,"Energy used"\n1,2\n', NAME)).toEqual(named);
    expect(parseFront('Speed,Energy used,preference Speed,preference Energy used\n1,2,1,0\n', NAME)).toEqual(named);
    expect(parseFront('{"objectives": ["Speed", "Energy used"], "points": [[1, 2]]}', NAME)).toEqual(named);
  });

  it('are left out where there are none, or not one for each objective', () => {
    for (const text of ['1,2\n', '[[1, 2]]', '{"objectives": 2, "points": [[1, 2]]}']) {
      expect(parseFront(text, NAME)).toEqual({ points });
    }
    expect(parseFront('{"objectives": ["a"], "points": [[1, 2]]}', NAME)).toEqual({ points });
  });
});

describe('readFront', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'psl-front-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads a file', async () => {
    const path = join(folder, 'front.csv');
    await writeFile(path, '1,2\n');
    expect(await readFront(path)).toEqual({ points: [[1, 2]] });
  });

  it('refuses a file that is not there', async () => {
    const path = join(folder, 'none.csv');
    await expect(readFront(path, '--front')).rejects.toThrow(
      `--front is "${path}", but must be a file that can be read (no such file or directory).`,
    );
  });

  it('refuses a folder', async () => {
    await expect(readFront(folder, 'FILE')).rejects.toThrow(
      /^FILE is ".*", but must be a file that can be read \(.*\)\.$/,
    );
  });

  it('refuses what is no text', async () => {
    const path = join(folder, 'front.png');
    await writeFile(path, Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
    await expect(readFront(path, 'FILE')).rejects.toThrow(`FILE is "${path}", but must be a text file in UTF-8.`);
  });
});
