/**
 * The training loop of methods that improve a population of policies, such as PG-MORL: generations of tasks, each a
 * policy and a weight to train it for, and an archive of the best policies as the result.
 */
import type { OnPolicyLearner, Schedule, SelectionRule } from '../algorithms/index.js';
import type { StateValue } from '../envs/index.js';
import type { NamedTensor } from '../model/index.js';
import { simplexGrid } from '../preferences/index.js';
import type { Workers } from '../rollout/index.js';
import { createLearner, problemOf } from './create-learner.js';
import type { Evaluated, PopulationPlan } from './definition.js';
import type { Watch } from './evaluation.js';
import { Lineage } from './lineage.js';
import { runLoop } from './loop.js';
import type { Counters, Loop, Trained, TrainingEvents } from './loop.js';
import { openMemberPool, playEach, scoredMembers } from './members.js';
import { modelOfMembers } from './model.js';
import { RolloutCollector } from './rollout-collector.js';
import { checkLearned } from './non-finite.js';
import type { Restored } from './snapshot.js';

/** How far the loop has come. */
interface PopulationCounters extends Counters {
  /** Of each task, as its gradient steps are. */
  iterations: number;
  /** Iterations before this generation. */
  generationBegan: number;
  /** Mean of the last policies that were played. */
  episodeLength: number;
}

/**
 * The loop of methods that improve a population of policies, as PG-MORL's authors have it: all tasks of a generation are
 * trained side by side, as replicas of one learner, each for its weight; after every iteration the policy of each is
 * played and, if nothing before it was better, kept in an archive; after a generation the method's rule chooses the next
 * tasks. The archive is the result. Several seeds go through it together.
 */
export async function trainPopulation(plan: PopulationPlan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const { config, replicas: seeds, seed, algorithm } = plan;
  const { objectives } = await problemOf(plan);
  const weights = simplexGrid(objectives, config.taskDivisions as number);
  const tasks = weights.length;
  const rule = algorithm.rule(config);
  const schedule = scheduleOf(plan, tasks);
  const lineages = Array.from({ length: seeds }, (_, r) => {
    return new Lineage(plan, { rule, schedule, weights, firstReplica: r * tasks }, seed + r);
  });
  const learner = await createLearner({ ...plan, replicas: seeds * tasks });
  const environments = seeds * tasks * config.children;
  const parts = { plan, learner, lineages, rule, schedule, tasks };
  return runLoop(plan, { learner, environments }, (workers) => open(parts, workers), events, from);
}

interface Parts {
  readonly plan: PopulationPlan;
  readonly learner: OnPolicyLearner;
  readonly lineages: readonly Lineage[];
  readonly rule: SelectionRule;
  readonly schedule: Schedule;
  /** Of each seed. */
  readonly tasks: number;
}

async function open({ plan, learner, lineages, rule, schedule, tasks }: Parts, workers: Workers): Promise<Loop> {
  const { config, replicas: seeds, env, envOptions: options } = plan;
  const { children, horizon } = config;
  const replicas = seeds * tasks;
  const pool = await workers.open({ env, options, seeds: lineages.flatMap((lineage) => lineage.drawSeeds()) });
  const { objectives } = pool.shape;
  const stage = await openMemberPool(plan, workers, replicas);
  const collector = new RolloutCollector(learner, pool, replicas, horizon);
  const preferences = new Float32Array(replicas * children * objectives);
  const counters: PopulationCounters = {
    iterations: 0,
    gradientSteps: 0,
    evaluations: 0,
    evaluationSteps: lineages.map(() => 0),
    generationBegan: 0,
    episodeLength: 0,
  };
  const perIteration = tasks * children * horizon;
  const progress = () => ({
    envSteps: counters.iterations * perIteration,
    gradientSteps: counters.gradientSteps * tasks,
  });

  /** Plays the policy that each task has now: for each seed the return of each. */
  async function play(watch?: Watch): Promise<(readonly number[][])[]> {
    await checkLearned(learner);
    const current = lineages.flatMap((lineage) => lineage.tasks.map(({ weight }) => weight));
    const played = await playEach(plan, stage, (s, w) => learner.act(s, w), current, watch);
    counters.episodeLength = played.steps / (replicas * config.episodes);
    return lineages.map((_, r) => {
      counters.evaluationSteps[r] += part(played.stepsAt, r, tasks).reduce((sum, steps) => sum + steps, 0);
      return part(played.returns, r, tasks);
    });
  }

  function evaluated(replica: number): Evaluated {
    const { returns, populationSize } = lineages[replica];
    return {
      replica,
      evaluationSteps: counters.evaluationSteps[replica],
      ...scoredMembers(plan, returns),
      diagnostics: {
        ...meanDiagnostics(learner, replica, seeds),
        population: populationSize,
        episodeLength: counters.episodeLength,
      },
      ...progress(),
    };
  }

  /** Offers the current policies of the tasks to the archives, and begins the next generation where one is over. */
  async function review(watch: Watch): Promise<void> {
    const returns = await play(watch);
    for (const [r, lineage] of lineages.entries()) await lineage.consider(learner, returns[r]);
    const isOver = counters.iterations >= schedule.iterations;
    const trainedFor = counters.iterations - counters.generationBegan;
    const isGenerationOver = isOver || trainedFor >= lengthOf(rule, counters.generationBegan, schedule);
    if (isGenerationOver || trainedFor % schedule.generation === 0) {
      for (const [r, lineage] of lineages.entries()) await lineage.record(learner, returns[r]);
    }
    if (!isGenerationOver || isOver) return;
    counters.generationBegan = counters.iterations;
    for (const lineage of lineages) lineage.nextGeneration(learner, counters.iterations);
    await collector.restart(lineages.flatMap((lineage) => lineage.drawSeeds()));
  }

  return {
    learner,
    pool,
    counters,
    steps: schedule.iterations * perIteration,
    progress,
    async begin() {
      lineages.forEach((lineage) => lineage.initialise(learner));
      const returns = await play();
      for (const [r, lineage] of lineages.entries()) await lineage.begin(learner, returns[r]);
      collector.begin();
    },
    async iterate() {
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
      counters.gradientSteps += await learner.learn(rollout, {
        progress: rule.progress(counters.iterations, schedule),
        random: lineages.flatMap((lineage) => lineage.learning),
      });
      counters.iterations++;
    },
    review,
    log: () =>
      lineages.map((_, replica) => {
        return { replica, ...progress(), diagnostics: meanDiagnostics(learner, replica, seeds) };
      }),
    evaluate: () => lineages.map((_, replica) => evaluated(replica)),
    hasResult: () => lineages.every(({ members }) => members.length > 0),
    finish: () => ({
      sets: lineages.map(({ members }) => modelOfMembers(plan, learner, members)),
      results: lineages.map((_, replica) => evaluated(replica)),
      ...progress(),
    }),
    save() {
      const tensors = new Map<string, NamedTensor>();
      const saved = lineages.map((lineage, r) => {
        const { state, tensors: stacks } = lineage.save();
        for (const [name, tensor] of stacks) tensors.set(`${prefixOf(r)}${name}`, tensor);
        return state;
      });
      return { state: { lineages: saved }, tensors };
    },
    load(from) {
      const { lineages: saved } = from.state as unknown as { readonly lineages: readonly StateValue[] };
      lineages.forEach((lineage, r) => {
        const prefix = prefixOf(r);
        const stacks = [...from.tensors].filter(([name]) => name.startsWith(prefix));
        const tensors = new Map(stacks.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
        lineage.load({ state: saved[r], tensors });
      });
    },
  };
}

const prefixOf = (seed: number) => `lineage${seed}.`;

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

/** The values of one seed's tasks among those of all tasks. */
function part<T>(values: readonly T[], seed: number, tasks: number): readonly T[] {
  return values.slice(seed * tasks, (seed + 1) * tasks);
}

/** The mean of each diagnostic over all tasks of a seed. */
function meanDiagnostics(learner: OnPolicyLearner, seed: number, seeds: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(learner.diagnostics()).map(([name, values]) => {
      const ofTasks = part(Array.from(values), seed, values.length / seeds);
      return [name, ofTasks.reduce((sum, value) => sum + value, 0) / ofTasks.length];
    }),
  );
}
