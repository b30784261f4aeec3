/** The front of a run: two objectives as a scatter, three as one that turns, more as parallel coordinates. */
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linear } from '../../plots/scale.js';
import { staircase } from '../../plots/scatter.js';
import {
  Axes,
  domainOf,
  formatNumber,
  nearestPoint,
  pathOf,
  Pickable,
  scalesOf,
  useSize,
  type Point,
} from './charts.js';
import { inkOf, objectiveColour, preferenceColour } from './colours.js';
import { frontLabel, stillPicked, type FrontProps, type Mark } from './front-props.js';
import { paneColour } from './panes.js';
import { ParallelCoordinates } from './parallel.js';
import {
  achieved,
  activePane,
  front,
  isFan,
  objectives,
  paneName,
  preferences,
  run,
  setPreference,
  theme,
} from './state.js';
import { frontThen, pastSteps } from './time.js';
import { discountWords } from './words.js';

const trueFront = computed(() => run.value?.env.knownFront?.(run.value.returnDiscount) ?? []);
const axisNames = computed(() =>
  objectives.value.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`)),
);
const marks = computed(() =>
  preferences.value.flatMap((preference, i): Mark[] => {
    const reached = achieved.value[i];
    if (reached === undefined || reached.returns.length !== objectives.value.length) return [];
    const name = paneName(i);
    return [
      {
        name,
        returns: reached.returns,
        colour: paneColour(i),
        isStale: reached.preference.some((weight, k) => weight !== preference[k]),
      },
    ];
  }),
);

export function FrontView() {
  const [picked, setPicked] = useState<number>();
  const current = run.value;
  const { preferences: pointPreferences, returns: points } = frontThen.value;
  const names = axisNames.value;
  // Those of a fan would leave no room for the plot.
  const told = marks.value.filter(({ name }) => !isFan.value || name === paneName(activePane.value));
  const shown = stillPicked(picked, points.length);
  return (
    <div class="front" data-achieved={JSON.stringify(marks.value.map(({ returns }) => returns))}>
      <FrontPlot picked={picked} onPick={setPicked} />
      <div class="reached">{current !== undefined && <Reached marks={told} words={discountWords(current)} />}</div>
      <div class="tooltip" role="status">
        {shown === undefined ? (
          <span class="muted">{current && legend(points.length, trueFront.value.length > 0, names.length)}</span>
        ) : (
          names.map((name, k) => (
            <span key={name}>
              <b style={{ color: inkOf(objectiveColour(k, names.length), theme.value) }}>{objectives.value[k].name}</b>{' '}
              {formatNumber(points[shown][k])} <small>{percent(pointPreferences[shown][k])}</small>
            </span>
          ))
        )}
      </div>
    </div>
  );
}

/** The front alone, as large as there is room. */
export function FrontPlot({ picked, onPick }: Pick<FrontProps, 'picked' | 'onPick'>) {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const names = axisNames.value;
  const { preferences: pointPreferences, returns: points } = frontThen.value;
  const Chart = names.length === 2 ? Scatter : names.length === 3 ? TurningScatter : ParallelCoordinates;
  return (
    <div class="front-plot" ref={ref}>
      {width > 0 && run.value !== undefined && (
        <Chart
          {...{ width, height, names, points, pointPreferences, onPick }}
          picked={stillPicked(picked, points.length)}
          kept={pastSteps.value === undefined ? [] : front.value.returns}
          trueFront={trueFront.value}
          current={marks.value}
        />
      )}
    </div>
  );
}

/** What the policies of the panes achieve, as numbers. */
function Reached({ marks, words }: { marks: readonly Mark[]; words: string }) {
  return (
    <>
      {marks.map(({ name, returns, isStale }, i) => (
        <span key={i} class={isStale ? 'stale-text' : ''}>
          {name === '' ? 'Return: ' : `Return of ${name}: `}
          {objectives.value.map((objective, k) => (
            <span key={objective.name}>
              {k > 0 && ' · '}
              {objective.name} <b>{formatNumber(returns[k])}</b>
            </span>
          ))}
        </span>
      ))}
      {words !== '' && <span class="muted">returns are {words}</span>}
    </>
  );
}

function legend(points: number, hasTrueFront: boolean, count: number): string {
  if (points === 0) return 'Nothing has been evaluated yet';
  const best = hasTrueFront ? ` · ${count > 3 ? 'grey lines' : 'rings'}: the true front` : '';
  return `${points} non-dominated ${points === 1 ? 'return' : 'returns'}${best} · click one to take its preference`;
}

export function percent(weight: number): string {
  return `${Math.round(100 * weight)} %`;
}

function Scatter(props: FrontProps) {
  const { width, height, names, points, pointPreferences, trueFront, kept, current, picked, onPick } = props;
  const all = [...points, ...trueFront, ...kept, ...current.map(({ returns }) => returns)];
  const xDomain = domainOf(all.map(([x]) => x));
  const yDomain = domainOf(all.map(([, y]) => y));
  const { x, y } = scalesOf(xDomain, yDomain, width, height);
  const placed = points.map((point): Point => [x(point[0]), y(point[1])]);
  const stairs = (rows: FrontProps['points']) =>
    pathOf(staircase(rows, undefined, undefined).map(([a, b]): Point => [x(a), y(b)]));
  const plot = (
    <Pickable
      label={frontLabel(names, points.length)}
      {...{ width, height, picked, onPick }}
      count={points.length}
      nearest={(px, py) => nearestPoint(placed, px, py)}
      onTake={(i) => setPreference(pointPreferences[i])}
    >
      <Axes {...{ xDomain, yDomain, width, height }} xName={names[0]} yName={names[1]} />
      <path class="true-line" d={stairs(trueFront)} />
      {trueFront.map((point, i) => (
        <circle key={i} class="true-point" cx={x(point[0])} cy={y(point[1])} r={5.5} />
      ))}
      <path class="kept-front" d={stairs(kept)} />
      <path class="front-line" d={stairs(points)} />
      {placed.map(([px, py], i) => (
        <circle
          key={i}
          cx={px}
          cy={py}
          r={i === picked ? 6 : points.length > 150 ? 3 : 4}
          fill={preferenceColour(pointPreferences[i])}
        />
      ))}
      {picked !== undefined && <circle class="picked" cx={placed[picked][0]} cy={placed[picked][1]} r={9} />}
    </Pickable>
  );
  return <Marked plot={plot} marks={current} place={([a, b]) => [x(a), y(b)]} />;
}

interface MarkedProps {
  readonly plot: ComponentChildren;
  readonly marks: readonly Mark[];
  readonly place: (returns: readonly number[]) => Point;
}

/** Marks lie over the plot and not in it, so that it is not painted again when they move. */
function Marked({ plot, marks, place }: MarkedProps) {
  return (
    <>
      {plot}
      {marks.map(({ name, returns, colour, isStale }, i) => {
        const [x, y] = place(returns);
        const style = { transform: `translate(${x}px, ${y}px)`, '--colour': colour };
        return (
          <div key={i} class={`current ${isStale ? 'stale' : ''}`} style={style} aria-hidden="true">
            {name !== '' && <b>{name}</b>}
          </div>
        );
      })}
    </>
  );
}

/** Seen from afar, so that parallel axes stay parallel; dragging turns it. */
function TurningScatter(props: FrontProps) {
  const { width, height, names, points, pointPreferences, trueFront, kept, current, picked, onPick } = props;
  const [turn, setTurn] = useState({ azimuth: -0.7, elevation: 0.45 });
  const all = [...points, ...trueFront, ...kept, ...current.map(({ returns }) => returns)];
  const scales = names.map((_, k) => linear(domainOf(all.map((point) => point[k])), [-1, 1]));
  const size = Math.min(width / 3.2, (height - 30) / 3.3);
  const [ca, sa] = [Math.cos(turn.azimuth), Math.sin(turn.azimuth)];
  const [ce, se] = [Math.cos(turn.elevation), Math.sin(turn.elevation)];
  const project = ([a, b, c]: readonly number[]) => {
    const [right, away] = [ca * a - sa * b, sa * a + ca * b];
    return { x: width / 2 + size * right, y: height / 2 - size * (ce * c + se * away) + 8, depth: ce * away - se * c };
  };
  const place = (point: readonly number[]) => project(scales.map((scale, k) => scale(point[k])));
  const placed = points.map(place);
  const order = placed.map((_, i) => i).sort((i, j) => placed[j].depth - placed[i].depth);
  const floor = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) => project([a, b, -1]));
  const ends = [
    [1.18, -1, -1],
    [-1, 1.18, -1],
    [-1, -1, 1.18],
  ].map(project);
  const corner = project([-1, -1, -1]);
  const plot = (
    <Pickable
      label={`${frontLabel(names, points.length)}. Drag to turn`}
      {...{ width, height, picked, onPick }}
      count={points.length}
      nearest={(px, py) =>
        nearestPoint(
          placed.map(({ x, y }): Point => [x, y]),
          px,
          py,
        )
      }
      onTake={(i) => setPreference(pointPreferences[i])}
      onDrag={(dx, dy) =>
        setTurn(({ azimuth, elevation }) => ({
          azimuth: azimuth + dx * 0.01,
          elevation: Math.min(Math.max(elevation + dy * 0.01, -0.1), 1.5),
        }))
      }
    >
      <g class="axes" aria-hidden="true">
        <path class="floor" d={`${pathOf(floor.map(({ x, y }): Point => [x, y]))}Z`} />
        {ends.map(({ x, y }, k) => (
          <g key={names[k]}>
            <line x1={corner.x} y1={corner.y} x2={x} y2={y} style={{ stroke: objectiveColour(k, 3), strokeWidth: 2 }} />
            <text
              class="axis-name"
              x={x}
              y={y - 6}
              text-anchor={x > 0.6 * width ? 'end' : x < 0.4 * width ? 'start' : 'middle'}
            >
              {names[k]}
            </text>
          </g>
        ))}
      </g>
      {trueFront.map((point, i) => {
        const { x, y } = place(point);
        return <circle key={i} class="true-point" cx={x} cy={y} r={5} />;
      })}
      {kept.map((point, i) => {
        const { x, y } = place(point);
        return <circle key={i} class="kept-front" cx={x} cy={y} r={2} />;
      })}
      {order.map((i) => (
        <circle
          key={i}
          cx={placed[i].x}
          cy={placed[i].y}
          r={(i === picked ? 7 : 4.5) - placed[i].depth}
          fill={preferenceColour(pointPreferences[i])}
          fill-opacity={0.85 - 0.2 * placed[i].depth}
        />
      ))}
    </Pickable>
  );
  const placeMark = (returns: readonly number[]): Point => {
    const { x, y } = place(returns);
    return [x, y];
  };
  return <Marked plot={plot} marks={current} place={placeMark} />;
}
