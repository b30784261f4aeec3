/** Runs of one environment on one front: how much each dominates, what it adds, and one of them played beside this one. */
import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { staircase } from '../../plots/scatter.js';
import { Axes, domainOf, formatNumber, pathOf, scalesOf, useSize, type Point } from './charts.js';
import { comparable, contend, type Contender } from './methods.js';
import { isBroken, type RunData } from './run-data.js';
import { objectives, playBeside, rival, rivalObstacle, run, runs } from './state.js';

const alike = computed(() => {
  const all = [...runs.value.values()].filter((one): one is RunData => !isBroken(one));
  return run.value === undefined ? [] : comparable(all, run.value);
});

/** Whether there is anything to compare this run with. */
export const hasRivals = computed(() => alike.value.length > 1);

/** Hypervolumes take a while to be computed, so they are not anew with each picture. */
const contenders = computed(() => (run.value === undefined ? [] : contend(alike.value, run.value.referencePoint)));

export function MethodsView() {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [axes, setAxes] = useState<readonly [number, number]>([0, 1]);
  const current = run.value;
  if (current === undefined) return null;
  const shown = contenders.value.filter((one) => !hidden.has(one.run.id));
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  return (
    <div class="methods">
      {objectives.value.length > 2 && <AxisChoice axes={axes} onChange={setAxes} />}
      <div class="front-plot" ref={ref}>
        {width > 0 && <Fronts {...{ shown, axes, width, height }} />}
      </div>
      <table class="contenders">
        <caption>Of the hypervolume of all of them together, what each dominates, and what nobody else does</caption>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Hypervolume</th>
            <th scope="col">dominates</th>
            <th scope="col">adds</th>
            <th scope="col">best points</th>
            <th scope="col">Play</th>
          </tr>
        </thead>
        <tbody>
          {contenders.value.map((one) => (
            <tr key={one.run.id} data-run={one.run.id} data-adds={one.adds} data-dominates={one.dominates}>
              <th scope="row">
                <label title={`${one.run.name}: ${one.label}`}>
                  <input type="checkbox" checked={!hidden.has(one.run.id)} onChange={() => toggle(one.run.id)} />
                  <i class="dot" style={{ background: one.colour }} />
                  <span class="whose">
                    {one.run.name} <small>{one.label}</small>
                  </span>
                </label>
              </th>
              <td>{formatNumber(one.hypervolume)}</td>
              <td>{percentOf(one.dominates)}</td>
              <td>{percentOf(one.adds)}</td>
              <td title={`It dominates ${one.beats} of the ${one.others} points of the others`}>
                {one.onUnion} of {one.front.returns.length}
              </td>
              <td>
                <PlayButton current={current} other={one.run} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function percentOf(share: number): string {
  return `${formatNumber(100 * share, 0.1)} %`;
}

/** Plays a run beside the current one, both at one preference. */
function PlayButton({ current, other }: { current: RunData; other: RunData }) {
  if (other.id === current.id) return <span class="muted">A</span>;
  const isRival = rival.value?.id === other.id;
  const obstacle = rivalObstacle(current, other);
  return (
    <button
      class="small"
      disabled={obstacle !== undefined}
      aria-pressed={isRival}
      aria-label={`Play ${other.name} as B`}
      title={
        obstacle === undefined
          ? 'Beside the current run, both at one preference'
          : `It cannot be played beside the current run, because ${obstacle}`
      }
      onClick={() => playBeside(isRival ? '' : other.id)}
    >
      B
    </button>
  );
}

interface AxisChoiceProps {
  readonly axes: readonly [number, number];
  readonly onChange: (axes: readonly [number, number]) => void;
}

function AxisChoice({ axes, onChange }: AxisChoiceProps) {
  return (
    <p class="axis-choice">
      {axes.map((axis, i) => (
        <label key={i}>
          <span class="muted">{i === 0 ? 'across' : 'up'} </span>
          <select
            value={axis}
            onChange={(event) => {
              const chosen = Number(event.currentTarget.value);
              onChange(i === 0 ? [chosen, axes[1]] : [axes[0], chosen]);
            }}
          >
            {objectives.value.map(({ name }, k) => (
              <option key={name} value={k}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ))}
    </p>
  );
}

interface FrontsProps {
  readonly shown: readonly Contender[];
  readonly axes: readonly [number, number];
  readonly width: number;
  readonly height: number;
}

/** With stairs where there are two objectives; of more, points as they are seen along the others. */
function Fronts({ shown, axes: [across, up], width, height }: FrontsProps) {
  const names = objectives.value.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
  const all = shown.flatMap(({ front }) => front.returns);
  const xDomain = domainOf(all.map((point) => point[across]));
  const yDomain = domainOf(all.map((point) => point[up]));
  const { x, y } = scalesOf(xDomain, yDomain, width, height);
  const place = (point: readonly number[]): Point => [x(point[across]), y(point[up])];
  return (
    <svg
      class="plot"
      width={width}
      height={height}
      role="img"
      aria-label={`Fronts of ${shown.length} runs over ${names[across]} and ${names[up]}`}
    >
      <Axes {...{ xDomain, yDomain, width, height }} xName={names[across]} yName={names[up]} />
      {shown.map(({ run, colour, front }) => (
        <g key={run.id} class="contender" style={{ color: colour }}>
          {names.length === 2 && <path d={pathOf(staircase(front.returns, undefined, undefined).map(place))} />}
          {front.returns.map((point, i) => (
            <circle key={i} cx={place(point)[0]} cy={place(point)[1]} r={3.5} />
          ))}
        </g>
      ))}
    </svg>
  );
}
