import { describe, expect, it } from 'vitest';
import { isMachine, thisMachine } from './machine.js';

describe('the machine that a run was trained on', () => {
  it('has a CPU, cores, and a GPU where one was used', () => {
    const machine = thisMachine();
    expect(machine.cpu).not.toBe('');
    expect(machine.cores).toBeGreaterThan(0);
    expect(machine.gpu).toBeNull();
    expect(thisMachine('NVIDIA H200')).toEqual({ ...machine, gpu: 'NVIDIA H200' });
  });

  it('is told from what is none', () => {
    expect(isMachine({ cpu: 'any', cores: 2, gpu: null })).toBe(true);
    for (const value of [
      null,
      {},
      { cpu: 'any', cores: 2 },
      { cpu: 'any', cores: 1.5, gpu: null },
      { cpu: 1, cores: 2, gpu: null },
    ]) {
      expect(isMachine(value)).toBe(false);
    }
  });
});
