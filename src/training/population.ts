import type { OnPolicyLearner, Schedule, SelectionRule } from '../algorithms/index.js';
import type { EnvState, StateValue } from '../envs/index.js';
import type { NamedTensor } from '../model/index.js';
import { simplexGrid } from '../preferences/index.js';
import { defaultWorkers, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { createLearner, problemOf } from './definition.js';
import type { Evaluated, PopulationPlan } from './definition.js';
import { Lineage } from './lineage.js';
import { restoreLearner, snapshotLearner } from './loop.js';
import type { Trained, TrainingEvents } from './loop.js';
import { openMemberPool, playEach, scoredMembers } from './members.js';
import { modelOfMembers } from './model.js';
import { RolloutCollector } from './rollout-collector.js';
import { checkDiagnostics, checkLearned } from './sickness.js';
import { takeOver } from './snapshot.js';
import type { Restored, Snapshot } from './snapshot.js';

/**
 * The loop of methods that improve a population of policies, as PG-MORL's authors have it: all tasks of a generation are
 * trained side by side, as replicas of one learner, each for its weight; after every iteration the policy of each is
 * played and, if nothing before it was better, kept in an archive; after a generation the method's rule chooses the next
 * tasks. The archive is the result. Several seeds go through it together.
 */
export async function trainPopulation(plan: PopulationPlan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const { config, replicas: seeds, env, envOptions: options, seed, algorithm } = plan;
  const { children, horizon } = config;
  const problem = await problemOf(plan);
  const { objectives } = problem;
  const weights = simplexGrid(objectives, config.taskDivisions as number);
  const tasks = weights.length;
  const replicas = seeds * tasks;
  const rule = algorithm.rule(config);
  const schedule = scheduleOf(plan, tasks);
  const lineages = Array.from({ length: seeds }, (_, r) => {
    return new Lineage(plan, { rule, schedule, weights, firstReplica: r * tasks }, seed + r);
  });
  const learner = await createLearner({ ...plan, replicas });
  const workers = new Workers(plan.workers ?? defaultWorkers(env, replicas * children));
  try {
    const pool = await workers.open({ env, options, seeds: lineages.flatMap((lineage) => lineage.drawSeeds()) });
    const stage = await openMemberPool(plan, workers, replicas);
    const collector = new RolloutCollector(learner, pool, replicas, horizon);
    const preferences = new Float32Array(replicas * children * objectives);
    const at: Counters = { iterations: 0, gradientSteps: 0, evaluations: 0, generationBegan: 0, episodeLength: 0 };
    const all = { at, learner, lineages, pool };

    /** Plays the policy that each task has now: the return of each. */
    const play = async (): Promise<number[][]> => {
      await checkLearned(learner);
      const current = lineages.flatMap((lineage) => lineage.tasks.map(({ weight }) => weight));
      const played = await playEach(plan, stage, (s, w) => learner.act(s, w), current);
      at.episodeLength = played.steps / (replicas * config.episodes);
      return played.returns;
    };
    const progress = () => ({
      envSteps: at.iterations * tasks * children * horizon,
      gradientSteps: at.gradientSteps * tasks,
    });
    const evaluated = (replica: number): Evaluated => ({
      replica,
      ...scoredMembers(plan, lineages[replica].returns),
      diagnostics: {
        ...meanDiagnostics(learner, replica, seeds),
        population: lineages[replica].populationSize,
        episodeLength: at.episodeLength,
      },
      ...progress(),
    });

    if (from === undefined) {
      lineages.forEach((lineage) => lineage.initialise(learner));
      const returns = await play();
      for (const [r, lineage] of lineages.entries()) await lineage.begin(learner, part(returns, r, tasks));
      collector.begin();
    } else {
      await takeOver(() => restoreAll(all, from));
      collector.goOn();
    }
    let stopped = from !== undefined && (events.shouldStop?.() ?? false);
    events.started?.();

    while (at.iterations < schedule.iterations && !stopped) {
      lineages.forEach((lineage, r) => {
        lineage.tasks.forEach(({ weight }, task) => {
          for (let child = 0; child < children; child++) {
            preferences.set(weight, ((r * tasks + task) * children + child) * objectives);
          }
        });
      });
      const rollout = await collector.collect(
        preferences,
        lineages.flatMap((lineage) => lineage.acting),
      );
      at.gradientSteps += await learner.learn(rollout, {
        progress: rule.progress(at.iterations, schedule),
        random: lineages.flatMap((lineage) => lineage.learning),
      });
      at.iterations++;
      checkDiagnostics(learner);
      const returns = await play();
      for (const [r, lineage] of lineages.entries()) await lineage.consider(learner, part(returns, r, tasks));

      const isOver = at.iterations >= schedule.iterations;
      const trainedFor = at.iterations - at.generationBegan;
      const isGenerationOver = isOver || trainedFor >= lengthOf(rule, at.generationBegan, schedule);
      if (isGenerationOver || trainedFor % schedule.generation === 0) {
        for (const [r, lineage] of lineages.entries()) await lineage.record(learner, part(returns, r, tasks));
      }
      if (isGenerationOver && !isOver) {
        at.generationBegan = at.iterations;
        for (const lineage of lineages) lineage.nextGeneration(learner, at.iterations);
        await collector.restart(lineages.flatMap((lineage) => lineage.drawSeeds()));
      }
      events.progress?.(progress());
      if (isOver || at.iterations >= ((at.evaluations + 1) * schedule.iterations) / config.evaluations) {
        at.evaluations++;
        lineages.forEach((_, replica) => events.evaluated?.(evaluated(replica)));
      }
      stopped = !isOver && (events.shouldStop?.() ?? false);
      if (stopped || (!isOver && events.checkpointDue?.() === true)) {
        await events.checkpoint?.(await snapshotOf(all), []);
      }
    }
    const sets = lineages.map(({ members }) => modelOfMembers(plan, learner, members));
    return { learner, sets, results: lineages.map((_, replica) => evaluated(replica)), ...progress(), stopped };
  } catch (error) {
    await learner.dispose();
    throw error;
  } finally {
    await workers.close();
  }
}

/** How the iterations of a plan are divided: as many whole ones as fit into the steps. */
export function scheduleOf({ config }: PopulationPlan, tasks: number): Schedule {
  const { steps, children, horizon } = config;
  const iterations = Math.floor(steps / (tasks * children * horizon));
  return {
    iterations,
    warmup: Math.min(config.warmup as number, iterations),
    generation: config.generation as number,
  };
}

function lengthOf(rule: SelectionRule, began: number, schedule: Schedule): number {
  return Math.min(rule.length(began, schedule), schedule.iterations - began);
}

/** Those of a seed among the values of all tasks. */
function part<T>(values: readonly T[], seed: number, tasks: number): readonly T[] {
  return values.slice(seed * tasks, (seed + 1) * tasks);
}

/** Of all tasks of a seed. */
function meanDiagnostics(learner: OnPolicyLearner, seed: number, seeds: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(learner.diagnostics()).map(([name, values]) => {
      const own = part(Array.from(values), seed, values.length / seeds);
      return [name, own.reduce((sum, value) => sum + value, 0) / own.length];
    }),
  );
}

/** Where the loop is: plain numbers, saved as they are. */
type Counters = {
  /** These two of each task. */
  iterations: number;
  gradientSteps: number;
  evaluations: number;
  /** Iterations before this generation. */
  generationBegan: number;
  /** Mean of the last policies that were played. */
  episodeLength: number;
};

/** Everything that changes while a training runs. */
interface Parts {
  readonly at: Counters;
  readonly learner: OnPolicyLearner;
  readonly lineages: readonly Lineage[];
  readonly pool: EnvPool;
}

async function snapshotOf({ at, learner, lineages, pool }: Parts): Promise<Snapshot> {
  const { state, tensors } = await snapshotLearner(learner);
  const saved = lineages.map((lineage, r) => {
    const own = lineage.save();
    for (const [name, tensor] of own.tensors) tensors.set(`${prefixOf(r)}${name}`, tensor);
    return own.state;
  });
  return {
    state: {
      ...state,
      at: { ...at },
      lineages: saved,
      environments: (await pool.save()) as unknown as StateValue,
    },
    tensors,
  };
}

async function restoreAll({ at, learner, lineages, pool }: Parts, from: Restored): Promise<void> {
  const saved = from.state as unknown as {
    readonly at: Counters;
    readonly lineages: readonly StateValue[];
    readonly environments: readonly EnvState[];
  };
  Object.assign(at, saved.at);
  restoreLearner(learner, undefined, from);
  lineages.forEach((lineage, r) => {
    const prefix = prefixOf(r);
    const own = [...from.tensors].filter(([name]) => name.startsWith(prefix));
    const tensors = new Map<string, NamedTensor>(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
    lineage.load({ state: saved.lineages[r], tensors });
  });
  await pool.restore(saved.environments);
}

const prefixOf = (seed: number) => `lineage${seed}.`;
