/** Physics and policies, away from the page, which never waits for them. */
import { envInfo, importEnvs, isRobotEnvironment, makeEnv, prepareEnv, type Environment } from '../../envs/index.js';
import { plainPolicy, type Model, type PlainPolicy } from '../../model/index.js';
import { fetchModel } from '../../model/fetch-model.js';
import { fetchFile, holdRun } from './held-files.js';
import {
  wallClock,
  type Achieved,
  type Force,
  type FromWorker,
  type PaneFrame,
  type Place,
  type Preference,
  type Pull,
  type ToWorker,
} from './messages.js';

/** Parameters of a policy that the page shows. */
const SHOWN_PARAMETERS = 96;
/** The longest that an episode in the background keeps a message waiting. */
const SLICE_MS = 5;
/** How long such episodes wait for a robot that is opened, whose first picture needs the processors. */
const HEAD_START_MS = 500;
/** Of a step of an environment that has no time of its own. */
const STEP_SECONDS = 0.1;
/** Runs are evaluated with it, and the first episode that is shown is the one that was evaluated. */
const FIRST_SEED = 0;

type OpenRequest = Extract<ToWorker, { kind: 'open' }>;
type Answer<T = FromWorker> = T extends unknown ? Omit<T, 'session'> : never;

/** The run that is open. */
interface Session {
  readonly id: number;
  /** That of all panes, or one for each. */
  readonly models: readonly Model[];
  readonly returnDiscount: number;
  /** Gives that of a pane, with the options that its run was trained with. */
  readonly make: (pane: number) => Environment;
  /** Whether it is shown step by step, as it moves; other environments have short episodes, which are shown whole. */
  readonly isStepped: boolean;
  /** Of a step that no robot takes. */
  readonly stepSeconds: number;
  readonly panes: Pane[];
  readonly trial: Trial;
}

interface Pane {
  preference: Preference;
  readonly policy: PlainPolicy;
  /** Whether what this preference achieves is still to be found out. */
  isUntried: boolean;
  /** What is shown step by step. */
  readonly player: Player | undefined;
  /** What is done to its robot at every step. */
  pull: Pull | undefined;
}

interface Player {
  readonly env: Environment;
  readonly observation: Float32Array;
  readonly reward: Float64Array;
  readonly returns: Float64Array;
  /** What it does next: known before the step is due, so that another preference changes it at once. */
  action: number | Float32Array;
  step: number;
  episode: number;
  ended: boolean;
}

let session: Session | undefined;
/** What is being loaded, and the preferences that are wanted when it is there. */
let opening: { readonly id: number; preferences: readonly Preference[] } | undefined;
let speed = 1;
/** When the next step is due. */
let due = 0;
/** When episodes in the background may begin. */
let tryAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'open') void open(data);
  // What goes wrong is said when it is opened, which tries again.
  else if (data.kind === 'prepare') prepare(data.env, data.module).catch(() => undefined);
  else if (data.kind === 'close') close();
  else if (data.kind === 'play') play(data.speed);
  else if (session !== undefined) attempt(session, (opened) => change(opened, data));
  else if (opening !== undefined) opening.preferences = preferencesAfter(data, opening.preferences);
};

// What an environment of one's own throws later on: the page takes errors that it is not told of for the end of this worker.
self.onerror = (message, _source, _line, _column, error: unknown) => {
  const id = session?.id ?? opening?.id;
  if (id !== undefined) postProblem(id, error ?? message);
  close();
  // The error goes no further.
  return true;
};

/** Environments of one's own may throw while they are played: the page says so, and another run can still be opened. */
function attempt(opened: Session, act: (opened: Session) => void): void {
  try {
    act(opened);
  } catch (error) {
    postProblem(opened.id, error);
    close();
  }
}

function preferencesAfter(request: ToWorker, before: readonly Preference[]): readonly Preference[] {
  if (request.kind === 'panes') return request.preferences;
  return request.kind === 'prefer' ? before.with(request.pane, request.preference) : before;
}

async function open(request: OpenRequest): Promise<void> {
  close();
  const wanted = (opening = { id: request.session, preferences: request.preferences });
  try {
    const opened = await load(request);
    // While it was loading, another one may have been asked for.
    if (opening !== wanted) {
      end(opened);
      return;
    }
    opening = undefined;
    session = opened;
    setPanes(opened, wanted.preferences);
    const hasBody = introduce(opened.panes);
    showAll(opened);
    due = performance.now();
    tryAt = due + (hasBody ? HEAD_START_MS : 0);
    schedule();
  } catch (error) {
    postProblem(request.session, error);
    if (session?.id === request.session) close();
  }
}

/** Says what is going to be shown, and whether it has a body. */
function introduce(panes: readonly Pane[]): boolean {
  const envs = panes.flatMap(({ player }) => player?.env ?? []);
  const env = envs.at(0);
  if (env === undefined) return false;
  post({ kind: 'world', observationSpaces: envs.map(({ observationSpace }) => observationSpace) });
  if (!isRobotEnvironment(env)) return false;
  const { geoms, mass, stepSeconds } = env.robot;
  post({ kind: 'robot', geoms, mass, stepSeconds });
  return true;
}

async function prepare(env: string, module: string | undefined): Promise<void> {
  if (module !== undefined) await importEnvs(module);
  await prepareEnv(env);
}

async function load(request: OpenRequest): Promise<Session> {
  const { session: id, runs, held, env, module, returnDiscount, episodes } = request;
  held?.forEach((files, run) => holdRun(run, files));
  const fetched = Promise.all(runs.map((run) => fetchModel(run, fetchFile)));
  const [models] = await Promise.all([fetched, prepare(env, module)]);
  const { envOptions, rivalOptions = envOptions } = request;
  const make = (pane: number) => makeEnv(env, pane === 0 ? envOptions : rivalOptions);
  const { view } = envInfo(env);
  const isStepped = view?.kind !== 'tree' && view?.kind !== 'sea';
  const stepSeconds = (view?.kind === 'scene' ? view.stepSeconds : undefined) ?? STEP_SECONDS;
  const worlds = models.map((_, i) => make(i));
  const trial = new Trial(worlds, models.map(plainPolicy), returnDiscount, episodes, !isStepped);
  return { id, models, returnDiscount, make, isStepped, stepSeconds, panes: [], trial };
}

function close(): void {
  const closed = session;
  session = undefined;
  opening = undefined;
  clearTimeout(timer);
  if (closed !== undefined) end(closed);
}

/** Closes all environments of a run, which is over also where one of them throws at that. */
function end({ panes, trial }: Session): void {
  for (const env of [...panes.map(({ player }) => player?.env), ...trial.envs]) {
    try {
      env?.close();
    } catch {
      // What is opened next is played all the same.
    }
  }
}

function change(opened: Session, request: Exclude<ToWorker, { kind: 'prepare' | 'open' | 'close' | 'play' }>): void {
  const { panes } = opened;
  switch (request.kind) {
    case 'panes':
      setPanes(opened, request.preferences);
      showAll(opened);
      break;
    case 'prefer':
      prefer(panes[request.pane], request.preference);
      showPolicy(opened, request.pane, request.askedAt);
      break;
    case 'step':
      advance(opened, wallClock(), 0);
      break;
    case 'reset':
      for (const pane of panes) begin(pane, 0);
      showFrame(opened, 0);
      break;
    case 'push':
    case 'pull': {
      // Somebody may still hold a robot whose pane is gone.
      const pane = panes.at(request.pane);
      if (pane === undefined) break;
      if (request.kind === 'push') push(pane, request.force);
      else pane.pull = request.pull;
    }
  }
  schedule();
}

function play(wanted: number): void {
  // Time that passed in a pause is not caught up.
  if (speed === 0) due = performance.now();
  speed = wanted;
  if (session !== undefined) attempt(session, schedule);
}

/** All begin an episode where one is added, so that they are compared from the same start. */
function setPanes({ panes, models, make, isStepped }: Session, preferences: readonly Preference[]): void {
  const isAdding = preferences.length > panes.length;
  for (const { player } of panes.splice(preferences.length)) player?.env.close();
  preferences.forEach((preference, i) => {
    panes[i] ??= {
      preference,
      policy: plainPolicy(ofPane(models, i)),
      isUntried: true,
      player: isStepped ? playerIn(make(i)) : undefined,
      pull: undefined,
    };
    prefer(panes[i], preference);
  });
  // What the many policies of a fan achieve is known, and playing them all would hold up what is shown.
  if (isStepped && panes.length > 2) for (const pane of panes) pane.isUntried = false;
  const episode = panes[0].player?.episode ?? 0;
  if (isAdding) for (const pane of panes) begin(pane, episode);
}

/** What belongs to a pane, where all panes but the first may share the last one. */
function ofPane<T>(all: readonly T[], pane: number): T {
  return all[Math.min(pane, all.length - 1)];
}

function playerIn(env: Environment): Player {
  return {
    env,
    observation: env.reset({ seed: FIRST_SEED }).observation,
    reward: new Float64Array(env.objectives.length),
    returns: new Float64Array(env.objectives.length),
    action: 0,
    step: 0,
    episode: 0,
    ended: false,
  };
}

function push({ player }: Pane, force: Force, body?: string): void {
  if (player !== undefined && isRobotEnvironment(player.env)) player.env.robot.push(force, body);
}

function begin({ player, policy }: Pane, episode: number): void {
  if (player === undefined) return;
  player.env.resetInto(player.observation, { seed: FIRST_SEED + episode });
  player.reward.fill(0);
  player.returns.fill(0);
  player.action = policy.act(player.observation);
  player.step = 0;
  player.episode = episode;
  player.ended = false;
}

function prefer(pane: Pane, preference: Preference): void {
  pane.preference = preference;
  pane.isUntried = true;
  pane.policy.prefer(preference);
  if (pane.player !== undefined) pane.player.action = pane.policy.act(pane.player.observation);
}

/** Takes a step in every pane and shows them. */
function advance(opened: Session, at: number, duration: number): void {
  const began = performance.now();
  for (const pane of opened.panes) {
    const { player, policy } = pane;
    if (player === undefined) continue;
    if (player.ended) {
      begin(pane, player.episode + 1);
      continue;
    }
    if (pane.pull !== undefined) push(pane, pane.pull.force, pane.pull.body);
    const outcome = player.env.stepInto(player.action, player.observation, player.reward);
    const factor = opened.returnDiscount ** player.step;
    for (let k = 0; k < player.reward.length; k++) player.returns[k] += factor * player.reward[k];
    player.step++;
    player.ended = outcome !== 'running';
    player.action = policy.act(player.observation);
  }
  showFrame(opened, performance.now() - began, at, duration);
}

function showAll(opened: Session): void {
  showFrame(opened, 0);
  opened.panes.forEach((_, i) => showPolicy(opened, i, undefined));
}

function showFrame({ panes }: Session, cost: number, at = wallClock(), duration = 0): void {
  const frames = panes.flatMap(({ player }) => (player === undefined ? [] : frameOf(player)));
  if (frames.length > 0) post({ kind: 'frame', panes: frames, at, duration, cost });
}

function frameOf({ env, observation, action, reward, returns, step, episode }: Player): PaneFrame {
  const picture = isRobotEnvironment(env) && { picture: env.robot.picture() };
  return { ...picture, observation, action, reward: [...reward], returns: [...returns], step, episode };
}

function showPolicy({ panes }: Session, pane: number, askedAt: number | undefined): void {
  const { policy } = panes[pane];
  const answer = { parameters: sampleOf(policy), used: usedBy(policy) };
  post({ kind: 'policy', pane, askedAt, actedAt: wallClock(), ...answer });
}

function usedBy({ preference, used }: PlainPolicy): Preference | undefined {
  const weights = Array.from(used);
  return weights.every((weight, k) => weight === preference[k]) ? undefined : weights;
}

/** Parameters of the last layer, evenly spread. */
function sampleOf({ layers }: PlainPolicy): Float32Array {
  const { weight } = layers[layers.length - 1];
  return Float32Array.from({ length: SHOWN_PARAMETERS }, (_, i) => {
    return weight[Math.floor((i * weight.length) / SHOWN_PARAMETERS)];
  });
}

/** Milliseconds between steps; infinite where nothing moves. */
function stepMs({ panes, stepSeconds }: Session): number {
  const { player } = panes[0];
  if (player === undefined || speed === 0) return Infinity;
  const seconds = isRobotEnvironment(player.env) ? player.env.robot.stepSeconds : stepSeconds;
  return (1000 * seconds) / speed;
}

function schedule(): void {
  clearTimeout(timer);
  if (session === undefined) return;
  const isTrying = session.trial.isRunning || session.panes.some(({ isUntried }) => isUntried);
  const next = Math.min(isTrying ? tryAt : Infinity, stepMs(session) < Infinity ? due : Infinity);
  if (next < Infinity) timer = setTimeout(() => session && attempt(session, tick), next - performance.now());
}

function tick(opened: Session): void {
  const interval = stepMs(opened);
  const now = performance.now();
  if (interval < Infinity) {
    // A machine that cannot keep up shows slow motion instead of leaps.
    if (now - due > 4 * interval) due = now;
    for (; due <= now; due += interval) advance(opened, performance.timeOrigin + due, interval);
  }
  if (now >= tryAt) tryOut(opened, Math.min(now + SLICE_MS, interval < Infinity ? due : Infinity));
  schedule();
}

/** Plays whole episodes in the background, to find out what preferences achieve. */
function tryOut({ trial, panes }: Session, until: number): void {
  // What is no longer asked for gets one episode, so that something is found while a preference is dragged.
  if (!trial.isRunning || (trial.played > 0 && panes.at(trial.pane)?.isUntried !== false)) {
    const index = panes.findIndex(({ isUntried }) => isUntried);
    if (index < 0) {
      trial.isRunning = false;
      return;
    }
    panes[index].isUntried = false;
    trial.begin(index, panes[index].preference);
  }
  const reached = trial.play(until);
  if (reached !== undefined) post({ kind: 'achieved', ...reached });
}

/** Plays preferences as an evaluation does, in environments of its own. */
class Trial {
  private env: Environment;
  private observation = new Float32Array(0);
  private readonly reward: Float64Array;
  private policy: PlainPolicy;
  private preference: Preference = [];
  private sums: number[] = [];
  private path: Place[] = [];
  private steps = 0;
  pane = 0;
  /** Episodes at this preference. */
  played = 0;
  isRunning = false;

  constructor(
    /** As its policies: that of all panes, or one for each. */
    readonly envs: readonly Environment[],
    private readonly policies: readonly PlainPolicy[],
    private readonly discount: number,
    private readonly episodes: number,
    /** Whether its world is made of rows and columns. */
    private readonly hasPlaces: boolean,
  ) {
    this.policy = policies[0];
    this.env = envs[0];
    this.reward = new Float64Array(this.env.objectives.length);
  }

  begin(pane: number, preference: Preference): void {
    this.pane = pane;
    this.preference = preference;
    this.policy = ofPane(this.policies, pane);
    this.policy.prefer(preference);
    this.env = ofPane(this.envs, pane);
    this.observation = new Float32Array(this.env.observationSpace.low.length);
    this.env.resetInto(this.observation, { seed: FIRST_SEED });
    this.sums = this.env.objectives.map(() => 0);
    this.steps = 0;
    this.played = 0;
    this.path = [];
    this.notePlace();
    this.isRunning = true;
  }

  /** Goes on until an episode ends, and says what was achieved, or until the time is up. */
  play(until: number): { readonly pane: number; readonly achieved: Achieved } | undefined {
    const { env, observation, reward, sums } = this;
    do {
      const outcome = env.stepInto(this.policy.act(observation), observation, reward);
      for (let k = 0; k < reward.length; k++) sums[k] += this.discount ** this.steps * reward[k];
      this.steps++;
      this.notePlace();
      if (outcome !== 'running') return this.finishEpisode();
    } while (performance.now() < until);
    return undefined;
  }

  private finishEpisode(): { readonly pane: number; readonly achieved: Achieved } {
    this.played++;
    this.isRunning = this.played < this.episodes;
    if (this.isRunning) this.env.resetInto(this.observation);
    this.steps = 0;
    const { pane, preference, path, played } = this;
    return { pane, achieved: { preference, returns: this.sums.map((sum) => sum / played), path } };
  }

  private notePlace(): void {
    if (this.hasPlaces && this.played === 0) this.path.push(this.env.saveState().world as unknown as Place);
  }
}

function post(answer: Answer): void {
  postAs(session!.id, answer);
}

function postProblem(id: number, error: unknown): void {
  postAs(id, { kind: 'problem', message: error instanceof Error ? error.message : String(error) });
}

function postAs(id: number, answer: Answer): void {
  self.postMessage({ session: id, ...answer });
}

postAs(0, { kind: 'alive' });
