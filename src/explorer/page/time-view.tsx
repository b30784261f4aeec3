/** The hypervolume of a run, and a slider over its evaluations. */
import { useEffect, useState } from 'preact/hooks';
import { formatNumber } from './charts.js';
import { run } from './state.js';
import { askedSteps, isArrived, lookAt, lookAtKept, pastSteps, playedSteps } from './time.js';
import { hypervolumeOf, keptWords } from './words.js';

/** How long each evaluation stays while they are played one after the other. */
const SHOWN_MS = 500;

export function EvaluationLine() {
  const current = run.value;
  const hypervolume = current && hypervolumeOf(current);
  if (current === undefined || hypervolume === undefined) return null;
  const past = current.metrics.find(({ envSteps }) => envSteps === pastSteps.value);
  return (
    <div class="evaluation">
      <p class="kept-line" data-hypervolume={current.kept?.values.hypervolume}>
        {past === undefined ? (
          <>
            Hypervolume <b>{hypervolume}</b> <span class="muted">of {keptWords(current)}</span>
          </>
        ) : (
          <>
            Hypervolume <b>{formatNumber(past.values.hypervolume)}</b>{' '}
            <span class="muted">
              after {past.envSteps.toLocaleString('en')} steps
              {playedSteps.value === past.envSteps
                ? `, whose policies are played; ${hypervolume} is kept`
                : `; ${hypervolume} is kept and played`}
            </span>
          </>
        )}
      </p>
      <TimeSlider key={current.id} />
    </div>
  );
}

function TimeSlider() {
  const [isPlaying, setPlaying] = useState(false);
  const current = run.value!;
  const { metrics } = current;
  const index = metrics.findIndex(({ envSteps }) => envSteps === askedSteps.value);
  const show = async (evaluation: number) => {
    if (!(await lookAt(current, metrics[evaluation].envSteps))) setPlaying(false);
  };
  useEffect(() => {
    // One that takes long to arrive is waited for, instead of being passed over.
    if (!isPlaying || !isArrived.value) return undefined;
    const timer = setTimeout(() => {
      if (index + 1 < metrics.length) void show(index + 1);
      else {
        setPlaying(false);
        lookAtKept();
      }
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, index, isArrived.value]);
  if (metrics.length < 2) return null;
  const play = () => {
    if (!isPlaying) void show(0);
    setPlaying(!isPlaying);
  };
  const at = metrics.at(index)?.envSteps ?? 0;
  return (
    <div class="time">
      <button class="small" onClick={play} title="The front of one evaluation after the other">
        {isPlaying ? 'Stop' : 'History'}
      </button>
      <input
        type="range"
        min={0}
        max={metrics.length - 1}
        value={index}
        aria-label="Evaluation"
        aria-valuetext={`after ${at.toLocaleString('en')} steps`}
        style={{ '--track': 'var(--line)', '--thumb': 'var(--muted)' }}
        onInput={(event) => {
          setPlaying(false);
          void lookAt(current, metrics[Number(event.currentTarget.value)].envSteps);
        }}
        // Its arrows are its own, not those of the preference.
        onKeyDown={(event) => event.key.startsWith('Arrow') && event.stopPropagation()}
      />
      <button class="small" disabled={askedSteps.value === current.kept?.envSteps} onClick={lookAtKept}>
        Kept
      </button>
    </div>
  );
}
