/** Where a person begins a training in this page, and sees how far it is. */
import { useRef, useState } from 'preact/hooks';
import { envInfo } from '../../envs/index.js';
import { download } from './downloads.js';
import { isBroken } from './run-data.js';
import { runs } from './state.js';
import { isTrainingHere, saveRun, stopTraining, trainHere, training, type TrainingHere } from './training-here.js';
import { hypervolumeOf } from './words.js';

/** What is small enough to be trained in a page, by its environment. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'fruit-tree-d5': 'Fruit tree, depth 5',
  'fruit-tree-d6': 'Fruit tree, depth 6',
  'fruit-tree-d7': 'Fruit tree, depth 7',
  'deep-sea-treasure': 'Deep sea treasure',
  'mo-swimmer-v2': 'Swimmer',
};

const DEVICES: Readonly<Record<string, string>> = {
  auto: 'the graphics card, if there is one',
  gpu: 'WebGPU',
  cpu: 'the processor',
};

/** What is read out when it changes: how far a training is changes ten times a second. */
const STATES: Readonly<Record<TrainingHere['state'], string>> = {
  starting: 'getting ready',
  training: 'training',
  stopping: 'stopping',
  finished: 'trained',
  stopped: 'stopped',
};

export function TrainMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  const [env, setEnv] = useState('fruit-tree-d5');
  const [seed, setSeed] = useState(1);
  const [steps, setSteps] = useState<number>();
  const [device, setDevice] = useState('auto');
  const begin = (event: Event) => {
    event.preventDefault();
    menu.current?.removeAttribute('open');
    trainHere({ env, seed, device, ...(steps === undefined ? {} : { settings: { steps } }) });
  };
  const isBusy = training.value !== undefined && isTrainingHere();
  return (
    <details
      class="train-menu"
      ref={menu}
      onKeyDown={(event) => {
        // Its fields have keys of their own.
        event.stopPropagation();
        if (event.key === 'Escape') menu.current?.removeAttribute('open');
      }}
    >
      <summary title="Train a Pareto set in this page, with no installation">Train here</summary>
      <form onSubmit={begin}>
        <label>
          Environment
          <select value={env} onChange={(event) => setEnv(event.currentTarget.value)}>
            {Object.entries(PROBLEMS).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p class="muted">{envInfo(env).summary}</p>
        <label>
          Seed
          <input
            type="number"
            min="0"
            max={2 ** 32 - 1}
            required
            value={seed}
            onInput={(event) => setSeed(event.currentTarget.valueAsNumber)}
          />
        </label>
        <label>
          Steps
          <input
            type="number"
            min="1"
            placeholder="as the preset quick"
            onInput={({ currentTarget: { value } }) => setSteps(value === '' ? undefined : Number(value))}
          />
        </label>
        <label>
          Computes on
          <select value={device} onChange={(event) => setDevice(event.currentTarget.value)}>
            {Object.entries(DEVICES).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p class="muted">
          As psl train {env} --seed {Number.isNaN(seed) ? 1 : seed}
          {steps !== undefined && ` --steps ${steps}`} does, in this page. Nothing leaves this machine.
        </p>
        <button class="primary" disabled={isBusy}>
          {isBusy ? 'One at a time' : 'Train'}
        </button>
      </form>
    </details>
  );
}

/** How far the training is, what it has reached, and what can be done with it. */
export function TrainLine() {
  const here = training.value;
  if (here === undefined) return null;
  const run = runs.value.get(here.id);
  const reached = run === undefined || isBroken(run) ? undefined : hypervolumeOf(run);
  const isOver = here.state === 'finished' || here.state === 'stopped';
  const evaluated = isOver && run !== undefined && !isBroken(run) && run.kept !== undefined ? run : undefined;
  return (
    <section class="train-line" aria-label="Training in this page" data-state={here.state} data-steps={here.envSteps}>
      <progress value={here.envSteps} max={here.steps || 1} aria-label="Training" />
      <p>
        <b>{PROBLEMS[here.request.env]}</b> · {progressWords(here)}
        {reached !== undefined && ` · hypervolume ${reached}`}
        {here.device !== '' && <span class="muted"> · {here.device}</span>}
      </p>
      <span class="unseen" role="status">
        {PROBLEMS[here.request.env]}: {STATES[here.state]}
      </span>
      {!isOver && (
        <button
          disabled={here.state !== 'training'}
          onClick={stopTraining}
          title="End it with what it has learned so far"
        >
          Stop
        </button>
      )}
      {evaluated !== undefined && (
        <button
          onClick={() => void download(() => saveRun(here.id))}
          title={`A tar archive; psl ${evaluated.hasModel ? 'front, eval and explore open' : 'explore opens'} what is in it`}
        >
          Download run
        </button>
      )}
    </section>
  );
}

function progressWords({ state, envSteps, steps, evaluated, began }: TrainingHere): string {
  if (state === 'starting') return 'getting ready …';
  const done = `${envSteps.toLocaleString('en')} of ${steps.toLocaleString('en')} steps`;
  if (state === 'finished') return 'trained';
  if (state === 'stopped') return `stopped after ${envSteps.toLocaleString('en')} steps`;
  if (state === 'stopping') return `${done}, stopping …`;
  if (evaluated !== undefined) return `${done}, evaluating`;
  const left = ((performance.now() - began) * (steps - envSteps)) / Math.max(envSteps, 1);
  return envSteps < steps / 50 ? done : `${done}, ${durationWords(left / 1000)} left`;
}

function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
