/** How runs came about: any number that they wrote, over steps, for several runs on one plot. */
import { useState } from 'preact/hooks';
import {
  Axes,
  domainOf,
  formatNumber,
  logDomainOf,
  pathOf,
  scalesOf,
  useSize,
  type LogAxes,
  type Point,
} from './charts.js';
import {
  bandOf,
  curveOf,
  groupsOf,
  keptPoint,
  metricNames,
  smoothed,
  valueAt,
  type CurvePoint,
  type Group,
} from './curves.js';
import { isBroken, type RunData } from './run-data.js';
import { run, runs } from './state.js';
import { lookAt, pastSteps } from './time.js';
import { ceilingOfRun, statusOf, stepsDone } from './words.js';

export function TrainingView() {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [metric, setMetric] = useState('hypervolume');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [logs, setLogs] = useState<LogAxes>({});
  const [smoothing, setSmoothing] = useState(0);
  const [hovered, setHovered] = useState<number>();
  const current = run.value;
  if (current === undefined) return null;
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
  const at = hovered ?? pastSteps.value;
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
        {width > 0 && (
          <Curves
            {...{ groups: shown, metric, width, height, ceiling, logs, smoothing, at }}
            onHover={setHovered}
            onTake={(steps) => {
              const evaluation = current.metrics.findLast(({ envSteps }) => envSteps <= steps);
              if (evaluation !== undefined) void lookAt(current, evaluation.envSteps);
            }}
          />
        )}
      </div>
      <div class="curve-options">
        <label>
          Smoothing
          <input
            type="range"
            min={0}
            max={0.95}
            step={0.05}
            value={smoothing}
            style={{ '--track': 'var(--line)', '--thumb': 'var(--muted)' }}
            onInput={(event) => setSmoothing(Number(event.currentTarget.value))}
            // Its arrows are its own, not those of the preference.
            onKeyDown={(event) => event.key.startsWith('Arrow') && event.stopPropagation()}
          />
        </label>
        {(['isLogX', 'isLogY'] as const).map((axis) => (
          <label key={axis}>
            <input
              type="checkbox"
              checked={logs[axis] ?? false}
              onChange={(event) => setLogs({ ...logs, [axis]: event.currentTarget.checked })}
            />
            log {axis === 'isLogX' ? 'steps' : 'values'}
          </label>
        ))}
      </div>
      <ul class="runs" aria-label="Runs on this plot">
        {groups.flatMap(({ colour, members, name }) =>
          members.map((one) => {
            const { id, seed } = one;
            const value = at === undefined ? one.kept?.values[metric] : valueAt(curveOf(one, metric), at);
            const status = statusOf(one);
            return (
              <li key={id}>
                <label title={`${one.name}: ${name}, seed ${seed}`}>
                  <input
                    type="checkbox"
                    checked={!hidden.has(id)}
                    onChange={() => toggle(id)}
                    style={{ accentColor: colour }}
                  />
                  <i class="dot" style={{ background: colour }} />
                  <span class="whose">
                    {one.name}{' '}
                    <small>
                      {name}, seed {seed}
                    </small>
                  </span>
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
  const done = stepsDone(run);
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
  readonly logs: LogAxes;
  readonly smoothing: number;
  /** Steps at which values are read off. */
  readonly at: number | undefined;
  readonly onHover: (steps: number | undefined) => void;
  readonly onTake: (steps: number) => void;
}

function Curves(props: CurvesProps) {
  const { groups, metric, width, height, ceiling, logs, smoothing, at, onHover, onTake } = props;
  const { isLogX = false, isLogY = false } = logs;
  const isDrawn = ([steps, value]: CurvePoint) => (!isLogX || steps > 0) && (!isLogY || value > 0);
  const raw = groups.map(({ members }) => members.map((member) => curveOf(member, metric).filter(isDrawn)));
  const lines = raw.map((curves) => curves.map((curve) => smoothed(curve, smoothing)));
  const kept = groups.map(({ members }) => members.flatMap((member) => keptPoint(member, metric).filter(isDrawn)));
  const all = raw.flat(2);
  const [steps, values] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const xDomain = isLogX ? logDomainOf(steps) : domainOf([0, ...steps]);
  const yDomain = (isLogY ? logDomainOf : domainOf)([...values, ...(ceiling === undefined ? [] : [ceiling])]);
  const { x, y } = scalesOf(xDomain, yDomain, width, height, logs);
  const draw = (points: readonly Point[]) => pathOf(points.map(([a, b]): Point => [x(a), y(b)]));
  const nearest = (event: PointerEvent) => {
    const px = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
    return steps.reduce<number | undefined>(
      (best, one) => (best === undefined || Math.abs(x(one) - px) < Math.abs(x(best) - px) ? one : best),
      undefined,
    );
  };
  return (
    <svg
      class="plot"
      width={width}
      height={height}
      role="img"
      aria-label={`${metric} over environment steps, ${lines.flat().length} runs`}
      onPointerMove={(event) => onHover(nearest(event))}
      onPointerLeave={() => onHover(undefined)}
      onClick={(event) => {
        const taken = nearest(event as unknown as PointerEvent);
        if (taken !== undefined) onTake(taken);
      }}
    >
      <Axes {...{ xDomain, yDomain, width, height, isLogX, isLogY }} xName="environment steps" yName={metric} />
      {at !== undefined && at >= xDomain[0] && (
        <g class="reading">
          <line x1={x(at)} x2={x(at)} y1={y(yDomain[0])} y2={y(yDomain[1])} />
          <text
            x={x(at) + (x(at) < width / 2 ? 6 : -6)}
            y={y(yDomain[0]) - 6}
            text-anchor={x(at) < width / 2 ? 'start' : 'end'}
          >
            after {at.toLocaleString('en')} steps
          </text>
        </g>
      )}
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
        const unsmoothed = raw[i].filter(({ length }) => length > 0);
        const { mean, low, high } = bandOf(curves);
        return (
          <g key={name} style={{ color: colour }} class="curve">
            {curves.length > 1 && <path class="band" d={`${draw([...high, ...[...low].reverse()])}Z`} />}
            {curves.length > 1 && <path class="mean" d={draw(mean)} />}
            {curves.map((points, j) => (
              <g key={j}>
                {smoothing > 0 && <path class="one-of-many" d={draw(unsmoothed[j])} />}
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
          {isLogX || isLogY ? 'no positive values' : 'no values yet'}
        </text>
      )}
    </svg>
  );
}
