/** A front of many objectives: an axis for each, a line for each policy, and ranges on axes that keep some of them. */
import { useRef, useState } from 'preact/hooks';
import { drawable, extent, linear } from '../../plots/scale.js';
import { axisNames } from './axis-names.js';
import { isInside, rangeBetween, withEndMoved, withRange, type Ranges } from './brush.js';
import { formatNumber, nearestPoint, pathOf, Pickable, type Point } from './charts.js';
import { inkOf, objectiveColour, preferenceColour } from './colours.js';
import { frontLabel, type FrontProps } from './front-props.js';
import { setPreference, theme } from './state.js';

export function ParallelCoordinates(props: FrontProps) {
  const { width, height, names, points, pointPreferences, trueFront, kept, current, picked, onPick } = props;
  const [ranges, setRanges] = useState<Ranges>({});
  const [left, right, bottom] = [28, width - 28, height - 40];
  const across = names.map((_, k) => left + ((right - left) * k) / (names.length - 1));
  const labels = axisNames(names, across, width);
  const top = 34 + 14 * Math.max(...labels.map((label) => label.line));
  const all = [...points, ...trueFront, ...kept, ...current.map(({ returns }) => returns)];
  const domains = names.map((_, k) => drawable(extent(all.map((point) => point[k]))));
  const scales = domains.map((domain) => linear(domain, [bottom, top]));
  const line = (point: readonly number[]) => point.map((value, k): Point => [across[k], scales[k](value)]);
  const drawn = points.map(line);
  const isKept = points.map((point) => isInside(point, ranges));
  const isBrushed = Object.keys(ranges).length > 0;
  const heightAt = (of: readonly Point[], x: number) => {
    const k = Math.min(Math.max(across.findIndex((place) => place > x) - 1, 0), names.length - 2);
    const share = (x - across[k]) / (across[k + 1] - across[k]);
    return of[k][1] + share * (of[k + 1][1] - of[k][1]);
  };
  return (
    <Pickable
      label={frontLabel(names, points.length)}
      {...{ width, height, picked, onPick }}
      count={points.length}
      nearest={(x, y) =>
        nearestPoint(
          // Those that are not kept are out of reach.
          drawn.map((one, i): Point => [x, isKept[i] ? heightAt(one, x) : Infinity]),
          x,
          y,
          16,
        )
      }
      onTake={(i) => setPreference(pointPreferences[i])}
    >
      {trueFront.map((point, i) => (
        <path key={i} class="true-line" d={pathOf(line(point))} />
      ))}
      {kept.map((point, i) => (
        <path key={i} class="kept-front" d={pathOf(line(point))} />
      ))}
      {drawn.map((one, i) => (
        <path
          key={i}
          class={`front-path ${isBrushed ? (isKept[i] ? 'inside' : 'outside') : ''}`}
          d={pathOf(one)}
          stroke={preferenceColour(pointPreferences[i])}
        />
      ))}
      {picked !== undefined && (
        <path
          class="front-path picked-path"
          d={pathOf(drawn[picked])}
          stroke={preferenceColour(pointPreferences[picked])}
        />
      )}
      <g class="axes" aria-hidden="true">
        {names.map((name, k) => (
          <g key={name}>
            <line class="strong" x1={across[k]} x2={across[k]} y1={top} y2={bottom} />
            <text
              class="axis-name"
              x={labels[k].x}
              y={14 + 14 * labels[k].line}
              text-anchor={labels[k].anchor}
              style={{ fill: inkOf(objectiveColour(k, names.length), theme.value) }}
            >
              {labels[k].text}
            </text>
            <text x={across[k]} y={top - 6} text-anchor="middle">
              {formatNumber(domains[k][1], 0.1)}
            </text>
            <text x={across[k]} y={bottom + 14} text-anchor="middle">
              {formatNumber(domains[k][0], 0.1)}
            </text>
          </g>
        ))}
      </g>
      {across.map((x, k) => (
        <Brush
          key={names[k]}
          {...{ x, top, bottom, name: names[k], range: ranges[k] }}
          domain={domains[k]}
          onChange={(range) => setRanges(withRange(ranges, k, range))}
        />
      ))}
      <text class="brushed" x={width / 2} y={height - 8} text-anchor="middle" role="status">
        {isBrushed
          ? `${isKept.filter(Boolean).length} of ${points.length} inside · a click or Delete clears a range`
          : 'drag along an axis to keep the policies in a range'}
      </text>
      {current.map(({ name, returns, colour, isStale }, i) => {
        const one = line(returns);
        return (
          <g key={i} class={`current-path ${isStale ? 'stale' : ''}`}>
            <path d={pathOf(one)} stroke={colour} stroke-dasharray={i === 1 ? '7 5' : undefined} />
            {one.map(([x, y], k) => (
              <circle key={k} cx={x} cy={y} r={5} fill={colour} />
            ))}
            {name !== '' && (
              <text x={one[0][0] - 14} y={one[0][1] + 4} text-anchor="middle">
                {name}
              </text>
            )}
          </g>
        );
      })}
    </Pickable>
  );
}

interface BrushProps {
  /** Of the axis. */
  readonly name: string;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number] | undefined;
  readonly onChange: (range: readonly [number, number] | undefined) => void;
}

/** Pixels on both sides of an axis. */
const REACH = 11;
/** Pixels from which on it is no click. */
const DRAGGED = 4;

/** Dragging along an axis makes a range, a click on it clears it, and so do keys; all else is for the plot. */
function Brush({ name, x, top, bottom, domain, range, onChange }: BrushProps) {
  const from = useRef<number>(undefined);
  const isDragged = useRef(false);
  const scale = linear(domain, [bottom, top]);
  const heightOf = (event: PointerEvent) => {
    const { top: edge } = (event.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect();
    return event.clientY - edge;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (steps !== undefined) onChange(withEndMoved(range, domain, event.shiftKey ? 'high' : 'low', steps));
    else if (['Delete', 'Backspace', 'Escape'].includes(event.key)) onChange(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const box = range?.map(scale);
  const [low, high] = (range ?? domain).map((value) => formatNumber(value, 0.1));
  return (
    <g class="brush">
      {box !== undefined && (
        <rect class="range" x={x - 7} width={14} y={box[1]} height={Math.max(1, box[0] - box[1])} />
      )}
      <rect
        class="handle"
        role="slider"
        tabindex={0}
        aria-label={`${name}, least value that is kept; with Shift the greatest`}
        aria-orientation="vertical"
        aria-valuemin={domain[0]}
        aria-valuemax={domain[1]}
        aria-valuenow={(range ?? domain)[0]}
        aria-valuetext={`${low} to ${high}`}
        onKeyDown={onKeyDown}
        x={x - REACH}
        width={2 * REACH}
        y={top - REACH}
        height={bottom - top + 2 * REACH}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = heightOf(event);
          isDragged.current = false;
        }}
        onPointerMove={(event) => {
          if (from.current === undefined) return;
          const to = heightOf(event);
          isDragged.current ||= Math.abs(to - from.current) >= DRAGGED;
          if (!isDragged.current) return;
          event.stopPropagation();
          onChange(rangeBetween(from.current, to, [bottom, top], domain));
        }}
        onPointerUp={(event) => {
          const isOver = !isDragged.current;
          from.current = undefined;
          if (isOver && range === undefined) return;
          event.stopPropagation();
          if (isOver) onChange(undefined);
        }}
      />
    </g>
  );
}
