/** How many steps a plan takes in the end, since every kind of training takes whole iterations, and notes on that. */
import { envInfo } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';
import type { Schedule } from '../algorithms/index.js';
import { isOffPolicy, isOnPolicy } from './definition.js';
import type { Plan, PopulationPlan } from './definition.js';
import { scheduleOf } from './population.js';

interface Iterations {
  readonly count: number;
  /** Environment steps of each. */
  readonly size: number;
  /** The factors of that size, in words. */
  readonly factors: string;
}

function iterationsOf(plan: Plan): Iterations {
  if (isOffPolicy(plan)) {
    const { children, steps } = plan.config;
    return { count: Math.ceil(steps / children), size: children, factors: `${children} children` };
  }
  if (isOnPolicy(plan)) {
    const { children, horizon, steps } = plan.config;
    const size = children * horizon;
    return { count: Math.floor(steps / size), size, factors: `${children} children x ${horizon} steps` };
  }
  const { children, horizon } = (plan as PopulationPlan).config;
  const { iterations, tasks, rollout } = generationsOf(plan)!;
  return {
    count: iterations,
    size: tasks * rollout,
    factors: `${tasks} tasks x ${children} children x ${horizon} steps`,
  };
}

/** The generations of a training with a population; counts are iterations of one task. */
export interface Generations extends Schedule {
  readonly tasks: number;
  /** Of the first generation, also where the training ends before. */
  readonly first: number;
  /** Environment steps of an iteration. */
  readonly rollout: number;
}

/** Undefined where there is no population. */
export function generationsOf(plan: Plan): Generations | undefined {
  if (plan.algorithm.kind !== 'population') return undefined;
  const { env, config, algorithm } = plan as PopulationPlan;
  const { children, horizon, taskDivisions } = config;
  const tasks = gridSize(envInfo(env).objectives.length, taskDivisions as number);
  const schedule = scheduleOf(plan as PopulationPlan, tasks);
  const first = algorithm.rule(config).length(0, { ...schedule, warmup: config.warmup as number });
  return { ...schedule, tasks, first, rollout: children * horizon };
}

/** Environment steps that a replica will have taken in the end, without those of key solutions and of evaluations. */
export function stepsTaken(plan: Plan): number {
  const { count, size } = iterationsOf(plan);
  return count * size;
}

/** What a user may not expect of the settings of a plan, as sentences without a full stop. */
export function budgetNotes(plan: Plan): string[] {
  const { steps } = plan.config;
  const { count, size, factors } = iterationsOf(plan);
  const taken = count * size;
  const notes = [];
  if (taken !== steps) {
    const share =
      taken < steps ? `${taken} of ${steps} steps are taken` : `${taken} steps are taken instead of ${steps}`;
    notes.push(`${share}: ${counted(count, 'whole iteration')} of ${size} (${factors})`);
  }
  // Learning begins with the iteration after the one that gathers enough.
  if (isOffPolicy(plan) && plan.config.learnAfter >= steps) {
    notes.push(`nothing will be learned, because learnAfter is ${plan.config.learnAfter} and steps is ${steps}`);
  }
  const generations = generationsOf(plan);
  if (generations !== undefined) notes.push(...generationNotes(generations, size));
  return notes;
}

/** Where the iterations are not enough for the first generation, or end in the middle of one. */
function generationNotes({ iterations: count, first, generation }: Generations, size: number): string[] {
  if (count <= first) {
    const held = count < first ? `${count} of the ${first} iterations of the first generation` : 'the first generation';
    return [`that is ${held} alone; tasks are chosen anew with at least ${(first + 1) * size} steps`];
  }
  const rest = (count - first) % generation;
  return rest === 0 ? [] : [`the last generation has ${counted(rest, 'iteration')} instead of ${generation}`];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
