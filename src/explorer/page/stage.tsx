/** Where policies act: a robot, a tree, the sea or anything else, with the controls of time below. */
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatNumber } from './charts.js';
import { inkOf, objectiveColour } from './colours.js';
import { fanCaption, FanChosen, FanLabels } from './fan-labels.js';
import { percent } from './front.js';
import { QUALITIES } from './robot-quality.js';
import type { LabelPlace, RobotView } from './robot-view.js';
import { robotView, showTheRest } from './early.js';
import { EvaluatedView } from './evaluated-view.js';
import { NumbersView } from './numbers-view.js';
import { paneColour } from './panes.js';
import { isBroken, type RunData } from './run-data.js';
import { SceneView } from './scene-view.js';
import { SeaView } from './sea-view.js';
import { canTryAgain, KEPT_REWARDS, pull, push, reset, stepOnce, watch } from './simulation.js';
import { Sparkline } from './sparkline.js';
import * as state from './state.js';
import { isPlayable, playedSteps } from './time.js';
import { isFromHere } from './training-here.js';
import { TryAgain } from './try-again.js';
import { TreeView } from './tree-view.js';
import { CameraButtons, RecordButton } from './view-tools.js';
import { nameWith, statusOf, stepsDone, type Status } from './words.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export function Stage() {
  const run = state.run.value;
  const loaded = state.runs.value.get(state.runId.value);
  if (loaded !== undefined && isBroken(loaded))
    return <Notice title="This run cannot be shown" text={loaded.problem} canTryAgain />;
  if (run === undefined) return <Missing />;
  if (!isPlayable.value) return <Unfinished run={run} />;
  if (state.problem.value !== '') {
    const text = state.problem.value;
    return <Notice title="This policy cannot be played" text={text} canTryAgain={canTryAgain()} />;
  }
  if (run.unplayable !== undefined) return <EvaluatedStage env={run.env.id} reason={run.unplayable} />;
  switch (run.env.view?.kind) {
    case 'robot':
      return <RobotStage key={run.url} />;
    case 'tree':
      return <Plain view={TreeView} />;
    case 'sea':
      return <Plain view={SeaView} />;
    case 'scene':
      return <Stepped view={SceneView} />;
    case undefined:
      return <Stepped view={NumbersView} />;
  }
}

/** A run that has not been read yet, or that is not there to be read. */
function Missing() {
  const id = state.runId.value;
  if (id === '' || state.list.value.runs.some((run) => run.id === id)) return <Notice title="Loading" text="" />;
  const text = 'It was removed or renamed, or never was; those that are here can be chosen above.';
  return <Notice title={`There is no run “${id}” here`} text={text} />;
}

const UNFINISHED: Readonly<Record<Exclude<Status, 'finished' | 'stopped'>, { title: string; text: string }>> = {
  training: {
    title: 'This run is still training',
    text: 'Its policy can be played when it is finished, or from its first evaluation on where it is trained in this page or with --snapshots; its front and curves are up to date.',
  },
  interrupted: {
    title: 'This run was interrupted',
    text: 'No process trains it any more; psl resume goes on from its last checkpoint, if it has one. Its front and curves are those of before.',
  },
  unfinished: {
    title: 'This run was not finished',
    text: 'It has no policy yet that could be played; its front and curves are those of when it was copied here.',
  },
};

/** One that was interrupted, and was trained in this page, which has no checkpoints. */
const FAILED_HERE = {
  title: 'This training ended early',
  text: 'It has no policy that could be played; its front and curves are those of before.',
};

/** A run without a model. */
function Unfinished({ run }: { run: RunData }) {
  const status = statusOf(run);
  if (status === 'finished' || status === 'stopped') return null;
  const done = stepsDone(run);
  const { title, text } = status === 'interrupted' && isFromHere(run.id) ? FAILED_HERE : UNFINISHED[status];
  const counted = `${done.toLocaleString('en')} of ${run.steps.toLocaleString('en')} steps so far.`;
  return <Notice title={title} text={`${counted} ${text}`} share={done / run.steps} />;
}

interface NoticeProps {
  readonly title: string;
  readonly text: string;
  readonly share?: number;
  readonly canTryAgain?: boolean;
}

function Notice({ title, text, share, canTryAgain = false }: NoticeProps) {
  return (
    <section class="card stage notice" role="status">
      <h2>{title}</h2>
      <p>{text}</p>
      {share !== undefined && <progress value={share} max={1} aria-label="Share of the training that is done" />}
      {canTryAgain && <TryAgain />}
    </section>
  );
}

function PaneLabel({ pane }: { pane: number }) {
  const preference = state.preferences.value[pane];
  const names = state.objectives.value;
  // No line ends between a number and its sign.
  const share = (k: number) => percent(preference[k]).replace(' ', '\u00a0');
  const shares = names.length > 3 ? '' : names.map(({ name }, k) => `${name} ${share(k)}`).join(' · ');
  const name = state.paneName(pane);
  const text = state.rival.value === undefined ? shares : runOf(pane);
  // One pane of many objectives, whose weights are on the sliders beside it.
  if (name === '' && text === '') return null;
  return (
    <span class="pane-label">
      <i class="dot" style={{ background: paneColour(pane) }} />
      {name !== '' && <b>{name}</b>}
      <span>
        {text}
        {state.isGhost.value && pane === 1 && <Behind />}
      </span>
    </span>
  );
}

/** The run that a pane plays, where there are two. */
function runOf(pane: number): string {
  const { name, algorithm } = pane === 0 ? state.run.value! : state.rival.value!;
  return nameWith(name, algorithm);
}

/** How far a ghost is from the robot that it is shown beside. */
function Behind() {
  const [first, second] = state.frames.value.map(({ picture }) => picture?.centreOfMass[0]);
  if (first === undefined || second === undefined) return null;
  const metres = Math.abs(first - second).toFixed(1);
  return (
    <>
      {' '}
      <small class="behind">{first < second ? `${metres} m ahead` : `${metres} m behind`}</small>
    </>
  );
}

/** Environments whose whole episode is shown at once. */
function Plain({ view: View }: { view: typeof TreeView }) {
  return (
    <section class="card stage" aria-label="Environment">
      <div class="panes">
        {state.preferences.value.map((_, i) => (
          <div key={i} class="pane" data-path={JSON.stringify(state.achieved.value[i]?.path ?? [])}>
            {state.preferences.value.length > 1 && <PaneLabel pane={i} />}
            <View pane={i} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** Environments that are shown step by step. */
function Stepped({ view: View }: { view: typeof NumbersView }) {
  return (
    <section class="card stage" aria-label="Environment">
      <div class="panes">
        {state.preferences.value.map((_, i) => (
          <div key={i} class="pane">
            <PaneLabel pane={i} />
            <View pane={i} />
          </div>
        ))}
      </div>
      <p class="summary muted">{state.run.value?.env.summary}</p>
      <Transport />
      <Rewards />
    </section>
  );
}

function EvaluatedStage({ env, reason }: { env: string; reason: string }) {
  return (
    <section class="card stage notice" aria-label="Environment">
      <h2>There is no live simulation of {env} here</h2>
      <p>It cannot be played, because {reason}. Its front is what was evaluated when it was trained.</p>
      <div class="panes">
        {state.preferences.value.map((_, i) => (
          <div key={i} class="pane">
            <PaneLabel pane={i} />
            <EvaluatedView pane={i} />
          </div>
        ))}
      </div>
    </section>
  );
}

function RobotStage() {
  const picture = useRef<HTMLDivElement>(null);
  const view = useRef<RobotView>(undefined);
  const [isSeen, setSeen] = useState(false);
  const [failure, setFailure] = useState('');
  const [places, setPlaces] = useState<readonly LabelPlace[]>([]);

  useEffect(() => {
    let isGone = false;
    let stop = (): void => undefined;
    robotView()
      .then((drawn) => {
        if (isGone || picture.current === null) return;
        drawn.canvas.role = 'img';
        drawn.canvas.ariaLabel = `${state.run.value?.env.id ?? ''}, drawn as it moves. Dragging the robot pulls at it, a click beside it pushes it, dragging the ground turns the camera.`;
        drawn.enter(picture.current, {
          onPush: push,
          onPull: pull,
          onOrbit: (orbit) => (state.camera.value = orbit),
          onFirstFrame: () => {
            setSeen(true);
            // One frame later, so that it is on the screen by then.
            requestAnimationFrame(() => requestAnimationFrame(showTheRest));
          },
          onLabels: setPlaces,
          onStatistics: ({ fps, draw, quality }) => {
            state.statistics.value = { ...state.statistics.peek(), fps, draw, quality };
          },
        });
        view.current = drawn;
        watch(drawn);
        const effects = [
          effect(() => drawn.setTheme(state.theme.value)),
          effect(() => drawn.setColours(state.preferences.value.map((_, pane) => paneColour(pane)))),
          effect(() => drawn.setOrbit(state.camera.value)),
          effect(() => drawn.setFollowing(state.isFollowing.value)),
          effect(() => drawn.setGhost(state.isGhost.value)),
        ];
        stop = () => {
          for (const end of effects) end();
          watch(undefined);
          drawn.leave();
        };
      })
      .catch(() => {
        setFailure('This browser cannot draw in three dimensions (WebGL); everything else works.');
        showTheRest();
      });
    return () => {
      isGone = true;
      stop();
    };
  }, []);

  return (
    <section class="card stage" aria-label="Robot">
      <div class="panes robot" data-seen={isSeen}>
        <div class="picture" ref={picture} />
        {!isSeen && <p class="loading">{failure || 'Loading physics and policy …'}</p>}
        {state.isFan.value ? <FanLabels places={places} /> : <PaneLabels />}
        {state.isFan.value && <Caption text={fanCaption()} />}
      </div>
      <Transport onPush={() => view.current?.pushForwards()} />
      {!state.isFan.value && <Rewards />}
    </section>
  );
}

function PaneLabels() {
  return (
    <div class="pane-labels" data-shared={state.isGhost.value}>
      {state.preferences.value.map((_, i) => (
        <div key={i}>
          <PaneLabel pane={i} />
          {i === 0 && <Caption text={state.run.value?.env.summary ?? ''} />}
        </div>
      ))}
    </div>
  );
}

function Caption({ text }: { text: string }) {
  return (
    <p class="caption">
      {text}
      {playedSteps.value !== undefined && ` As it was after ${playedSteps.value.toLocaleString('en')} steps.`}
      {state.isFan.value && <FanChosen />}
    </p>
  );
}

/** @param onPush where there is something to push, which is then also drawn */
function Transport({ onPush }: { onPush?: () => void }) {
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
      {onPush !== undefined && (
        <>
          <button
            onClick={onPush}
            title="Push the torso forwards. A click pushes it away from there, and dragging it pulls"
          >
            Push
          </button>
          <CameraButtons />
          <RecordButton />
        </>
      )}
      <label class="speed">
        <span>Playback</span>
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
      <Statistics isDrawn={onPush !== undefined} />
    </div>
  );
}

/** The page's own speed, for everyone to see. */
function Statistics({ isDrawn }: { isDrawn: boolean }) {
  const { worker, action, drag, draw, fps, quality } = state.statistics.value;
  const shown = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
  const times = `Environment and policy of a step ${shown(worker)} ms in the worker; from a changed preference to a changed action ${shown(action)} ms; a drag answered on the screen in ${shown(drag)} ms`;
  return (
    <span
      class="statistics muted"
      data-fps={fps}
      data-worker={worker}
      data-action={action}
      data-drag={drag}
      data-quality={quality}
      title={`${times}${isDrawn ? `; drawing ${shown(draw)} ms, quality level ${quality + 1} of ${QUALITIES.length}` : ''}`}
    >
      {shown(worker)} ms step{action > 0 && ` · ${shown(action)} ms to act`}
      {isDrawn && ` · ${fps.toFixed(0)} fps`}
    </span>
  );
}

/** Reward of each step and the return so far, for each objective. */
function Rewards() {
  const isDiscounted = (state.run.value?.returnDiscount ?? 1) < 1;
  const frames = state.frames.value;
  const names = state.objectives.value;
  return (
    <div class="rewards">
      {names.map(({ name, unit }, k) => {
        const lines = state.rewards.value.map((rows) => rows.map((row) => row[k]));
        return (
          <div
            class="reward"
            key={name}
            style={{ '--objective': inkOf(objectiveColour(k, names.length), state.theme.value) }}
          >
            <div>
              <b>{name}</b>
              {unit !== undefined && <small> {unit}</small>}
            </div>
            <Sparkline lines={lines} colour={objectiveColour(k, names.length)} length={KEPT_REWARDS} />
            <div class="numbers">
              {frames.map(({ reward, returns }, pane) => (
                <span key={pane} data-return={returns[k]}>
                  {frames.length > 1 && <small>{state.paneName(pane)} </small>}
                  {reward[k].toFixed(2)} <small>a step</small> · <b>{formatNumber(returns[k], 1)}</b>{' '}
                  <small>{isDiscounted ? 'discounted so far' : 'so far'}</small>
                </span>
              ))}
            </div>
          </div>
        );
      })}
    </div>
  );
}
