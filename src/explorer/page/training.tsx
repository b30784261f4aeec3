/** How runs came about: any number that they wrote, over steps, for several runs on one plot. */
import { useState } from 'preact/hooks';
import { Axes, domainOf, formatNumber, pathOf, scalesOf, useSize, type Point } from './charts.js';
import { bandOf, curveOf, groupsOf, keptPoint, metricNames, type Group } from './curves.js';
import { isBroken, type RunData } from './run-data.js';
import { run, runs } from './state.js';
import { ceilingOfRun, statusOf } from './words.js';

export function TrainingView() {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [metric, setMetric] = useState('hypervolume');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const current = run.value;
  if (current === undefined) return <p class="muted">There is nothing to plot.</p>;
  // Only runs on the same environment can be compared.
  const alike = [...runs.value.values()].filter(
    (one): one is RunData => !isBroken(one) && one.env.id === current.env.id,
  );
  const choices = metricNames(alike);
  const groups = groupsOf(alike);
  const shown = groups.map((group) => ({ ...group, members: group.members.filter(({ id }) => !hidden.has(id)) }));
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const ceiling = metric === 'hypervolume' ? (ceilingOfRun(current) ?? undefined) : undefined;
  return (
    <div class="training">
      <div class="training-head">
        <label>
          <span class="muted">Plot </span>
          <select value={metric} onChange={(event) => setMetric(event.currentTarget.value)}>
            {choices.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Progress run={current} />
      </div>
      <div class="curves" ref={ref} data-points={current.metrics.length}>
        {width > 0 && <Curves {...{ groups: shown, metric, width, height, ceiling }} />}
      </div>
      <ul class="runs" aria-label="Runs on this plot">
        {groups.flatMap(({ colour, members, name }) =>
          members.map((one) => {
            const { id, seed } = one;
            const value = one.kept?.values[metric];
            const status = statusOf(one);
            return (
              <li key={id}>
                <label title={one.name}>
                  <input
                    type="checkbox"
                    checked={!hidden.has(id)}
                    onChange={() => toggle(id)}
                    style={{ accentColor: colour }}
                  />
                  <i class="dot" style={{ background: colour }} /> {name}, seed {seed}:
                  <span class="muted">
                    {value === undefined ? 'no value yet' : formatNumber(value)}
                    {status !== 'finished' && ` (${status})`}
                  </span>
                </label>
              </li>
            );
          }),
        )}
      </ul>
    </div>
  );
}

function Progress({ run }: { run: RunData }) {
  const { metrics, steps } = run;
  const done = metrics.at(-1)?.envSteps ?? 0;
  const rate = metrics.at(-1)?.values.stepsPerSecond;
  return (
    <span class="muted">
      {statusOf(run)}, {done.toLocaleString('en')} of {steps.toLocaleString('en')} steps
      {rate !== undefined && `, ${formatNumber(rate, 1)} a second`}
    </span>
  );
}

interface CurvesProps {
  readonly groups: readonly Group[];
  readonly metric: string;
  readonly width: number;
  readonly height: number;
  readonly ceiling: number | undefined;
}

function Curves({ groups, metric, width, height, ceiling }: CurvesProps) {
  const lines = groups.map(({ members }) => members.map((member) => curveOf(member, metric)));
  const kept = groups.map(({ members }) => members.flatMap((member) => keptPoint(member, metric)));
  const all = lines.flat(2);
  const xDomain = domainOf([0, ...all.map(([x]) => x)]);
  const yDomain = domainOf([...all.map(([, y]) => y), ...(ceiling === undefined ? [] : [ceiling])]);
  const { x, y } = scalesOf(xDomain, yDomain, width, height);
  const draw = (points: readonly Point[]) => pathOf(points.map(([a, b]): Point => [x(a), y(b)]));
  return (
    <svg
      class="plot"
      width={width}
      height={height}
      role="img"
      aria-label={`${metric} over environment steps, ${lines.flat().length} runs`}
    >
      <Axes {...{ xDomain, yDomain, width, height }} xName="environment steps" yName={metric} />
      {ceiling !== undefined && (
        <g class="ceiling">
          <line x1={x(xDomain[0])} x2={x(xDomain[1])} y1={y(ceiling)} y2={y(ceiling)} />
          <text x={x(xDomain[1])} y={y(ceiling) - 6} text-anchor="end">
            ceiling {formatNumber(ceiling)}
          </text>
        </g>
      )}
      {groups.map(({ name, colour }, i) => {
        const curves = lines[i].filter(({ length }) => length > 0);
        const { mean, low, high } = bandOf(curves);
        return (
          <g key={name} style={{ color: colour }} class="curve">
            {curves.length > 1 && <path class="band" d={`${draw([...high, ...[...low].reverse()])}Z`} />}
            {curves.length > 1 && <path class="mean" d={draw(mean)} />}
            {curves.map((points, j) => (
              <g key={j}>
                <path class={curves.length > 1 ? 'one-of-many' : 'mean'} d={draw(points)} />
                {curves.length === 1 && points.map(([a, b]) => <circle key={a} cx={x(a)} cy={y(b)} r={3} />)}
              </g>
            ))}
            {kept[i].map(([a, b]) => (
              <circle key={`${a} ${b}`} class="kept" cx={x(a)} cy={y(b)} r={6} />
            ))}
          </g>
        );
      })}
      {all.length === 0 && (
        <text class="axis-name" x={width / 2} y={height / 2} text-anchor="middle">
          no values yet
        </text>
      )}
    </svg>
  );
}
