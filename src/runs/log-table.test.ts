import { describe, expect, it } from 'vitest';
import { numbersIn, tableIn, tableOf } from './log-table.js';

describe('numbersIn', () => {
  it('names numbers by their path, and leaves out what is no finite number', () => {
    const record = { envSteps: 5, score: { sparsity: { distinct: 2 }, coverageF1: null }, rate: Infinity, name: 'x' };
    expect(numbersIn(record, '/')).toEqual({ envSteps: 5, 'score/sparsity/distinct': 2 });
  });
});

describe('tableOf', () => {
  it('has a column for every name, in the order in which they come up', () => {
    expect(tableOf([{ envSteps: 1 }, { envSteps: 2, loss: 0.5 }])).toBe('envSteps,loss\n1,\n2,0.5\n');
    expect(tableOf([])).toBe('');
  });

  it('is read back by tableIn', () => {
    const rows: Record<string, number>[] = [{ envSteps: 1 }, { envSteps: 2, loss: -1.5e-7 }];
    expect(tableIn(tableOf(rows))).toEqual(rows);
    expect(tableIn('')).toEqual([]);
  });
});
