/** Where policies act: a robot, a tree or the sea, with the controls of time below. */
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatNumber } from './charts.js';
import { objectiveColour, preferenceColour } from './colours.js';
import { percent } from './front.js';
import type { RobotView } from './robot-view.js';
import { isBroken } from './run-data.js';
import { SeaView } from './sea-view.js';
import { push, reset, stepOnce, watch } from './simulation.js';
import * as state from './state.js';
import { TreeView } from './tree-view.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export function Stage() {
  const run = state.run.value;
  const loaded = state.runs.value.get(state.runId.value);
  if (loaded !== undefined && isBroken(loaded))
    return <Notice title="This run cannot be shown" text={loaded.problem} />;
  if (run === undefined) return <Notice title="Loading" text="" />;
  if (!run.isFinished) {
    const done = run.metrics.at(-1)?.envSteps ?? 0;
    const text = `${done.toLocaleString('en')} of ${run.steps.toLocaleString('en')} steps so far. The policy can be played when the run is finished; its front and curves are up to date.`;
    return <Notice title="This run is still training" text={text} share={done / run.steps} />;
  }
  if (state.problem.value !== '') return <Notice title="This policy cannot be played" text={state.problem.value} />;
  const { id } = run.env;
  if (id.startsWith('fruit-tree')) return <Plain view={TreeView} />;
  if (id.startsWith('deep-sea')) return <Plain view={SeaView} />;
  return <RobotStage key={run.url} />;
}

function Notice({ title, text, share }: { title: string; text: string; share?: number }) {
  return (
    <section class="card stage notice" role="status">
      <h2>{title}</h2>
      <p>{text}</p>
      {share !== undefined && <progress value={share} max={1} aria-label="Share of the training that is done" />}
    </section>
  );
}

function PaneLabel({ pane }: { pane: number }) {
  const preference = state.preferences.value[pane];
  const names = state.objectives.value;
  const text = names.length > 3 ? '' : names.map(({ name }, k) => `${name} ${percent(preference[k])}`).join(' · ');
  return (
    <span class="pane-label">
      <i class="dot" style={{ background: preferenceColour(preference) }} />
      {state.isComparing.value && <b>{'AB'[pane]}</b>}
      {text}
    </span>
  );
}

/** Environments whose whole episode is shown at once. */
function Plain({ view: View }: { view: typeof TreeView }) {
  return (
    <section class="card stage" aria-label="Environment">
      <div class="panes">
        {state.preferences.value.map((_, i) => (
          <div key={i} class="pane" data-path={JSON.stringify(state.achieved.value[i]?.path ?? [])}>
            {state.isComparing.value && <PaneLabel pane={i} />}
            <View pane={i} />
          </div>
        ))}
      </div>
    </section>
  );
}

function RobotStage() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<RobotView>(undefined);
  const [isSeen, setSeen] = useState(false);
  const [failure, setFailure] = useState('');

  useEffect(() => {
    let isGone = false;
    let stop = (): void => undefined;
    import('./robot-view.js')
      .then(({ RobotView }) => {
        if (isGone || canvas.current === null) return;
        const drawn = new RobotView({
          canvas: canvas.current,
          onPush: push,
          onFirstFrame: () => setSeen(true),
          onStatistics: ({ fps, draw, quality }) => {
            state.statistics.value = { ...state.statistics.peek(), fps, draw, quality };
          },
        });
        view.current = drawn;
        watch(drawn);
        const stopTheme = effect(() => drawn.setTheme(state.theme.value));
        const stopColours = effect(() => drawn.setColours(state.preferences.value.map(preferenceColour)));
        stop = () => {
          stopTheme();
          stopColours();
          watch(undefined);
          drawn.dispose();
        };
      })
      .catch(() => setFailure('This browser cannot draw in three dimensions (WebGL); everything else works.'));
    return () => {
      isGone = true;
      stop();
    };
  }, []);

  return (
    <section class="card stage" aria-label="Robot">
      <div class="panes robot" data-seen={isSeen}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${state.run.value?.env.id ?? ''}, drawn as it moves. A click pushes the robot, dragging turns the camera.`}
        />
        {!isSeen && <p class="loading">{failure || 'Loading physics and policy …'}</p>}
        <div class="pane-labels">
          {state.preferences.value.map((_, i) => (
            <div key={i}>
              <PaneLabel pane={i} />
            </div>
          ))}
        </div>
        <p class="caption">{state.run.value?.env.summary}</p>
      </div>
      <Transport onPush={() => view.current?.pushForwards()} />
      <Rewards />
    </section>
  );
}

function Transport({ onPush }: { onPush: () => void }) {
  const playing = state.isPlaying.value;
  const frame = state.frames.value.at(0);
  return (
    <div class="transport" role="toolbar" aria-label="Time">
      <button
        class="primary"
        onClick={() => (state.isPlaying.value = !playing)}
        aria-keyshortcuts="Space"
        title="Space"
      >
        {playing ? 'Pause' : 'Play'}
      </button>
      <button onClick={stepOnce} aria-keyshortcuts="." title="One step (.)">
        Step
      </button>
      <button onClick={reset} aria-keyshortcuts="R" title="Back to the start (R)">
        Reset
      </button>
      <button onClick={onPush} title="Push the torso forwards; a click on the robot pushes it away from there">
        Push
      </button>
      <label class="speed">
        <span>Speed</span>
        <select value={state.speed.value} onChange={(event) => (state.speed.value = Number(event.currentTarget.value))}>
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed} ×
            </option>
          ))}
        </select>
      </label>
      <span class="clock muted" data-step={frame?.step}>
        {frame !== undefined && `step ${frame.step} · episode ${frame.episode + 1}`}
      </span>
      <Statistics />
    </div>
  );
}

/** The page's own speed, for everyone to see. */
function Statistics() {
  const { worker, action, drag, draw, fps, quality } = state.statistics.value;
  const shown = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
  return (
    <span
      class="statistics muted"
      data-worker={worker}
      data-action={action}
      data-drag={drag}
      data-quality={quality}
      title={`Physics and policy of a step ${shown(worker)} ms in the worker; from a changed preference to a changed action ${shown(action)} ms; a drag answered on the screen in ${shown(drag)} ms; drawing ${shown(draw)} ms, quality level ${quality + 1} of 5`}
    >
      {shown(worker)} ms step · {shown(action)} ms to act · {fps.toFixed(0)} fps
    </span>
  );
}

const KEPT = 160;

/** Reward of each step and the return so far, for each objective. */
function Rewards() {
  const history = useRef<number[][][]>([]);
  const frames = state.frames.value;
  frames.forEach(({ reward, step }, pane) => {
    const own = (history.current[pane] ??= []);
    if (step === 0) own.length = 0;
    else own.push([...reward]);
    if (own.length > KEPT) own.shift();
  });
  history.current.length = frames.length;
  const names = state.objectives.value;
  return (
    <div class="rewards">
      {names.map(({ name, unit }, k) => {
        const lines = history.current.map((rows) => rows.map((row) => row[k]));
        return (
          <div class="reward" key={name} style={{ '--objective': objectiveColour(k, names.length) }}>
            <div>
              <b>{name}</b>
              {unit !== undefined && <small> {unit}</small>}
            </div>
            <Sparkline lines={lines} />
            <div class="numbers">
              {frames.map(({ reward, returns }, pane) => (
                <span key={pane} data-return={returns[k]}>
                  {frames.length > 1 && <small>{'AB'[pane]} </small>}
                  {reward[k].toFixed(2)} <small>a step</small> · <b>{formatNumber(returns[k], 1)}</b>{' '}
                  <small>so far</small>
                </span>
              ))}
            </div>
          </div>
        );
      })}
    </div>
  );
}

function Sparkline({ lines }: { lines: readonly (readonly number[])[] }) {
  const all = lines.flat();
  const [low, high] = [Math.min(0, ...all), Math.max(1e-6, ...all)];
  const y = (value: number) => 30 - (28 * (value - low)) / (high - low);
  return (
    <svg class="sparkline" viewBox={`0 0 ${KEPT} 32`} preserveAspectRatio="none" aria-hidden="true">
      <line x1={0} x2={KEPT} y1={y(0)} y2={y(0)} />
      {lines.map((values, i) => (
        <polyline
          key={i}
          points={values.map((value, x) => `${x},${y(value).toFixed(1)}`).join(' ')}
          stroke-dasharray={i === 1 ? '3 2' : undefined}
        />
      ))}
    </svg>
  );
}
