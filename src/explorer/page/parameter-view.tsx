/** Why one network answers every preference: where its parameters go when the preference moves, beside where its returns go. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { fetchModel } from '../../model/fetch-model.js';
import { fetchFile } from './held-files.js';
import { simplexGrid } from '../../preferences/index.js';
import { linear } from '../../plots/scale.js';
import { domainOf, pathOf, useSize, type Point } from './charts.js';
import { inkOf, objectiveColour, preferenceColour } from './colours.js';
import { FrontPlot } from './front.js';
import type { Preference } from './messages.js';
import { parameterPath, type ParameterPath } from './parameter-path.js';
import { activePane, objectives, paneName, preferences, run, theme, tries } from './state.js';
import { isPlayable, played } from './time.js';
import { TryAgain } from './try-again.js';

/** Divisions of the grid of preferences whose parameters are drawn, by the number of objectives; from the last on the same. */
const DIVISIONS = [0, 0, 100, 12, 5, 4, 3];
const EDGE_STEPS = 30;

/** A model of which it is known where its parameters go; without a path where they stay. */
interface Loaded {
  readonly of: string;
  readonly path?: ParameterPath | undefined;
  readonly problem?: string;
}

export function ParameterView() {
  const current = run.value;
  const [loaded, setLoaded] = useState<Loaded>();
  const [picked, setPicked] = useState<number>();
  const count = objectives.value.length;
  const shown = current !== undefined && isPlayable.value ? played(current)[0] : undefined;
  // What failed is loaded again when somebody asks for that.
  const of = shown && `${shown.url} ${shown.modelSteps} ${tries.value}`;
  const sampled = useMemo(
    () => (count < 2 ? [] : simplexGrid(count, DIVISIONS.at(count) ?? DIVISIONS.at(-1)!)),
    [count],
  );
  useEffect(() => {
    if (of === undefined || shown === undefined) return undefined;
    let isGone = false;
    const settle = (done: Loaded) => !isGone && setLoaded(done);
    fetchModel(shown.url, fetchFile).then(
      (model) => settle({ of, path: parameterPath(model, sampled) }),
      (error: unknown) => settle({ of, problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [of, sampled]);
  if (of === undefined) return <p class="muted">This run has no policy yet.</p>;
  if (loaded?.of !== of) return <p class="muted">Loading the policy …</p>;
  if (loaded.problem !== undefined) {
    return (
      <>
        <p role="alert">{loaded.problem}</p>
        <TryAgain />
      </>
    );
  }
  const { path } = loaded;
  if (path === undefined) {
    return (
      <p class="muted">
        The parameters of this policy are the same at every preference: the preference is one of its inputs.
      </p>
    );
  }
  return (
    <div class="parameter-view">
      <div class="side-by-side">
        <figure>
          <figcaption>Returns</figcaption>
          <FrontPlot picked={picked} onPick={setPicked} />
        </figure>
        <figure>
          <figcaption>Parameters θ(w)</figcaption>
          <PathPlot path={path} sampled={sampled} />
        </figure>
      </div>
      <Layers path={path} sampled={sampled} />
      <Made path={path} />
    </div>
  );
}

interface PathProps {
  readonly path: ParameterPath;
  readonly sampled: readonly Preference[];
}

/** The way between two objectives, each of which has all the weight at its end. */
function edge(from: number, to: number, count: number): Preference[] {
  return Array.from({ length: EDGE_STEPS + 1 }, (_, i) =>
    Array.from({ length: count }, (_, k) => (k === from ? 1 - i / EDGE_STEPS : k === to ? i / EDGE_STEPS : 0)),
  );
}

const ROOM = { left: 14, right: 14, top: 22, bottom: 40 };

/** All preferences on the two axes along which their parameters differ most, by one scale. */
function PathPlot({ path, sampled }: PathProps) {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const names = objectives.value;
  const edges = useMemo(
    () => names.flatMap((_, i) => names.slice(i + 1).map((_, j) => edge(i, i + 1 + j, names.length))),
    [names],
  );
  const corners = names.map((_, k) => path.at(names.map((_, i) => (i === k ? 1 : 0))).place);
  const all = [...sampled, ...edges.flat()].map((preference) => path.at(preference).place);
  const [xs, ys] = [domainOf(all.map(([x]) => x)), domainOf(all.map(([, y]) => y))];
  const [wide, high] = [width - ROOM.left - ROOM.right, height - ROOM.top - ROOM.bottom];
  // The same unit on both axes, so that distances in the picture are distances of parameters.
  const unit = Math.min(wide / (xs[1] - xs[0]), high / (ys[1] - ys[0]));
  const middle = [(xs[0] + xs[1]) / 2, (ys[0] + ys[1]) / 2];
  const place = ([x, y]: Point): Point => [
    ROOM.left + wide / 2 + unit * (x - middle[0]),
    ROOM.top + high / 2 - unit * (y - middle[1]),
  ];
  const at = (preference: Preference) => place(path.at(preference).place);
  const centre = corners
    .map(place)
    .reduce(([x, y], [px, py]) => [x + px / names.length, y + py / names.length], [0, 0]);
  return (
    <div class="front-plot" ref={ref}>
      {width > 0 && (
        <svg
          class="plot"
          {...{ width, height }}
          role="img"
          aria-label="Parameters of all preferences on their two principal axes"
        >
          {edges.map((way, i) => {
            const points = way.map(at);
            return points
              .slice(1)
              .map((point, k) => (
                <path
                  key={`${i} ${k}`}
                  class="theta"
                  d={pathOf([points[k], point])}
                  stroke={preferenceColour(way[k].map((weight, n) => (weight + way[k + 1][n]) / 2))}
                />
              ));
          })}
          {names.length > 2 &&
            sampled.map((preference, i) => {
              const [cx, cy] = at(preference);
              return <circle key={i} {...{ cx, cy }} r={2.2} fill={preferenceColour(preference)} />;
            })}
          {corners.map((corner, k) => {
            const [x, y] = place(corner);
            // Beyond the end of the path, away from the others.
            const [, inward] = at(names.map((_, i) => (i === k ? 0.9 : 0.1 / (names.length - 1))));
            const [isRight, isLow] = [x > centre[0], y > inward];
            return (
              <text
                key={names[k].name}
                class="axis-name"
                x={Math.min(Math.max(x, ROOM.left), width - ROOM.right)}
                y={y + (isLow ? 24 : -14)}
                text-anchor={x > width / 2 && isRight ? 'end' : x < width / 2 && !isRight ? 'start' : 'middle'}
                style={{ fill: inkOf(objectiveColour(k, names.length), theme.value) }}
              >
                {names[k].name}
              </text>
            );
          })}
          <text x={width / 2} y={height - 8} text-anchor="middle">
            {path.explained.map(percentOf).join(' and ')} of the variance
          </text>
        </svg>
      )}
      {width > 0 && <Here at={at} />}
    </div>
  );
}

/** The preferences that are shown, above the plot, which stays as it is when they move. */
function Here({ at }: { at: (preference: Preference) => Point }) {
  return (
    <>
      {preferences.value.map((preference, pane) => {
        const [x, y] = at(preference);
        const style = { transform: `translate(${x}px, ${y}px)`, '--colour': preferenceColour(preference) };
        return (
          <div
            key={pane}
            class="current here"
            style={style}
            aria-hidden="true"
            data-place={`${x.toFixed(1)},${y.toFixed(1)}`}
          >
            {paneName(pane) !== '' && <b>{paneName(pane)}</b>}
          </div>
        );
      })}
    </>
  );
}

function percentOf(share: number): string {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

/** How far each layer is from what all preferences share, at this preference and at all of them. */
function Layers({ path, sampled }: PathProps) {
  const ranges = useMemo(() => {
    const moved = sampled.map((preference) => path.at(preference).moved);
    return path.layers.map((_, i) => [
      Math.min(...moved.map((row) => row[i])),
      Math.max(...moved.map((row) => row[i])),
    ]);
  }, [path, sampled]);
  const preference = preferences.value.at(activePane.value);
  if (preference?.length !== sampled[0].length) return null;
  const { moved } = path.at(preference);
  const across = linear([0, Math.max(1e-9, ...ranges.flat(), ...moved)], [0, 100]);
  const from = path.reference === 'base' ? 'θ(base)' : 'the mean of all θ';
  return (
    <div class="layers" style={{ '--colour': preferenceColour(preference) }}>
      <p class="muted">
        Distance of θ(w) from {from}, relative to its length, by layer; the line spans all preferences
      </p>
      {path.layers.map(([inputs, outputs], i) => (
        <div class="layer" key={i} data-moved={moved[i]}>
          <span>
            {inputs} → {outputs}
          </span>
          <div class="layer-bar">
            <i style={{ width: `${across(moved[i])}%` }} />
            <s style={{ left: `${across(ranges[i][0])}%`, width: `${across(ranges[i][1] - ranges[i][0])}%` }} />
          </div>
          <b>{percentOf(moved[i])}</b>
        </div>
      ))}
    </div>
  );
}

/** How much of the policy is generated, in words. */
function Made({ path }: { path: ParameterPath }) {
  const names = objectives.value;
  const preference = preferences.value.at(activePane.value);
  const corners = names.map((_, k) => names.map((_, i) => (i === k ? 1 : 0)));
  const apart = Math.max(...corners.flatMap((a, i) => corners.slice(i + 1).map((b) => path.distance(a, b))));
  if (preference?.length !== names.length) return null;
  const [numbers, stored] = [path.parameters, path.stored].map((count) => count.toLocaleString('en'));
  return (
    <p class="made">
      {path.features === undefined ? (
        <>
          Each policy of the set has {numbers} parameters of its own: between preferences they leap from one to another.
        </>
      ) : (
        <>
          All {numbers} parameters are made anew for each preference, from {path.features} features of it; the model has{' '}
          {stored} numbers. By length <b>{percentOf(path.at(preference).generated)}</b> of this policy is generated
          {path.alpha !== undefined && path.alpha < 1 && ` (α = ${path.alpha})`}, and from one end of the simplex to the
          other it moves by <b>{percentOf(apart)}</b> of the length of{' '}
          {path.reference === 'base' ? 'θ(base)' : 'the mean'}.
        </>
      )}
    </p>
  );
}
