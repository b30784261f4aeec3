/** The preference: a slider between two objectives, a triangle for three, linked sliders for more. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { inkOf, objectiveColour, preferenceColour, TWO_GRADIENT } from './colours.js';
import { percent } from './front.js';
import type { Preference } from './messages.js';
import { CORNERS, fromTriangle, HIGH, inTriangle, SIDE, withWeight } from './simplex.js';
import {
  activePane,
  objectives,
  paneName,
  parameters,
  preferences,
  problem,
  rival,
  run,
  setPreference,
  theme,
  used,
} from './state.js';
import { isPlayable } from './time.js';
import { gistOf } from './words.js';

export function PreferencePanel() {
  const count = objectives.value.length;
  const preference = preferences.value.at(activePane.value);
  if (preference === undefined || count === 0 || count !== preference.length) return null;
  const Control = count === 2 ? Slider : count === 3 ? Triangle : Sliders;
  return (
    <section
      class="card preference"
      aria-label="Preference"
      data-preference={preferences.value.map((weights) => weights.join(',')).join(';')}
    >
      <header>
        <h2>Preference</h2>
        {preferences.value.length > 1 && rival.value === undefined ? (
          <PaneChoice />
        ) : (
          run.value !== undefined && <p class="gist">{gistOf(run.value)}</p>
        )}
      </header>
      <Control preference={preference} />
      <Answered />
      <Parameters />
    </section>
  );
}

/** Whose policy answers, where that is not the preference's own. */
function Answered() {
  const answer = used.value.at(activePane.value);
  if (answer === undefined) return null;
  // Of many objectives most weigh nothing.
  const weights = objectives.value
    .map(({ name }, k) => ({ name, weight: answer[k] }))
    .filter(({ weight }) => weight > 0);
  const shares = weights.map(({ name, weight }) => `${name} ${Number((100 * weight).toFixed(1))}\u00a0%`).join(' · ');
  return (
    <p class="answered muted" title="That of the nearest preference that psl calibrate tried did worse than this one">
      Answered by the policy of {shares}
    </p>
  );
}

function PaneChoice() {
  return (
    <div class="segmented" role="group" aria-label="Which policy the controls move">
      {preferences.value.map((preference, i) => (
        <button key={i} aria-pressed={activePane.value === i} onClick={() => (activePane.value = i)}>
          <i class="dot" style={{ background: preferenceColour(preference) }} /> {paneName(i)}
        </button>
      ))}
    </div>
  );
}

interface ControlProps {
  readonly preference: Preference;
}

function Slider({ preference }: ControlProps) {
  const [first, second] = objectives.value;
  return (
    <div class="slider-two">
      <div class="ends">
        {[second, first].map(({ name }, i) => (
          <span key={name} class={i === 0 ? 'low' : 'high'}>
            <b style={{ color: inkOf(objectiveColour(1 - i, 2), theme.value) }}>{percent(preference[1 - i])}</b> {name}
          </span>
        ))}
      </div>
      <input
        type="range"
        min={0}
        max={1}
        step={0.001}
        value={preference[0]}
        data-objective={0}
        aria-label={`Weight of ${first.name} against ${second.name}`}
        aria-valuetext={`${first.name} ${percent(preference[0])}, ${second.name} ${percent(preference[1])}`}
        style={{ '--track': TWO_GRADIENT, '--thumb': preferenceColour(preference) }}
        onInput={(event) => {
          const weight = Number(event.currentTarget.value);
          setPreference([weight, 1 - weight]);
        }}
      />
    </div>
  );
}

/** A point in a triangle: the nearer to a corner, the more its objective weighs. */
function Triangle({ preference }: ControlProps) {
  const svg = useRef<SVGSVGElement>(null);
  const move = (event: PointerEvent) => {
    const matrix = svg.current?.getScreenCTM()?.inverse();
    if (matrix === undefined) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const weights = fromTriangle(x, y);
    if (weights !== undefined) setPreference(weights);
  };
  const names = objectives.value.map(({ name }) => name);
  return (
    <div class="triangle">
      <svg
        ref={svg}
        viewBox={`-14 -24 ${SIDE + 28} ${HIGH + 50}`}
        role="img"
        aria-label={`Triangle of preferences: ${names.map((name, k) => `${name} ${percent(preference[k])}`).join(', ')}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          move(event);
        }}
        onPointerMove={(event) => event.buttons > 0 && move(event)}
      >
        <defs>
          {CORNERS.map(([x, y], k) => (
            <radialGradient key={k} id={`corner${k}`} gradientUnits="userSpaceOnUse" cx={x} cy={y} r={SIDE * 0.95}>
              <stop offset="0" stop-color={objectiveColour(k, 3)} stop-opacity="0.9" />
              <stop offset="1" stop-color={objectiveColour(k, 3)} stop-opacity="0" />
            </radialGradient>
          ))}
        </defs>
        {CORNERS.map((_, k) => (
          <path key={k} d={`M${CORNERS.map((corner) => corner.join(' ')).join('L')}Z`} fill={`url(#corner${k})`} />
        ))}
        <path class="outline" d={`M${CORNERS.map((corner) => corner.join(' ')).join('L')}Z`} />
        {names.map((name, k) => (
          <text key={name} x={CORNERS[k][0]} y={k === 0 ? -10 : HIGH + 18} text-anchor={['middle', 'start', 'end'][k]}>
            {name}
          </text>
        ))}
        {preferences.value.map((weights, i) => {
          const [cx, cy] = inTriangle(weights);
          return (
            <g key={i} class={i === activePane.value ? 'handle active' : 'handle'}>
              <circle cx={cx} cy={cy} r={i === activePane.value ? 11 : 8} fill={preferenceColour(weights)} />
              <text x={cx} y={cy + 4} text-anchor="middle">
                {paneName(i)}
              </text>
            </g>
          );
        })}
      </svg>
      <Sliders preference={preference} />
    </div>
  );
}

/** One slider for each objective; moving one moves the others, so that they always sum to one. */
function Sliders({ preference }: ControlProps) {
  return (
    <div class="sliders">
      {objectives.value.map(({ name }, k) => (
        <label key={name}>
          <span>{name}</span>
          <input
            type="range"
            min={0}
            max={1}
            step={0.001}
            value={preference[k]}
            data-objective={k}
            aria-valuetext={`${name} ${percent(preference[k])}`}
            style={{
              '--track': `linear-gradient(90deg, ${objectiveColour(k, preference.length)} ${100 * preference[k]}%, var(--line) 0)`,
              '--thumb': objectiveColour(k, preference.length),
            }}
            onInput={(event) => setPreference(withWeight(preference, k, Number(event.currentTarget.value)))}
          />
          <output>{percent(preference[k])}</output>
        </label>
      ))}
    </div>
  );
}

const POSITIVE = [0x3f, 0x8c, 0xff] as const;
const NEGATIVE = [0xf5, 0x9a, 0x3a] as const;

/** Some parameters of the policy as it is now: what a preference changes. */
function Parameters() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const sample = parameters.value.at(activePane.value);
  useLayoutEffect(() => {
    if (sample === undefined) return;
    const largest = sample.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const pixels = Array.from(sample, (value) => {
      return [...(value < 0 ? NEGATIVE : POSITIVE), (255 * Math.abs(value)) / largest];
    });
    const picture = new ImageData(new Uint8ClampedArray(pixels.flat()), sample.length);
    canvas.current?.getContext('2d', { willReadFrequently: true })?.putImageData(picture, 0, 0);
  }, [sample]);
  // One that is still to come has its place, so that what is below does not move when it is there.
  const isAwaited = isPlayable.value && run.value?.unplayable === undefined && problem.value === '';
  if (sample === undefined && !isAwaited) return null;
  return (
    <div class="parameters" title="Some parameters of the last layer of the policy at this preference">
      {sample === undefined ? (
        <i class="strip" />
      ) : (
        <canvas
          class="strip"
          ref={canvas}
          width={sample.length}
          height={1}
          aria-hidden="true"
          data-sum={sample.reduce((sum, value) => sum + value, 0)}
        />
      )}
      <small>
        parameters of this policy, θ(w)
        {run.value?.weights !== undefined && `, from ${run.value.weights} weights`}
      </small>
    </div>
  );
}
