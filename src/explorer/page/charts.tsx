/** What all plots of the page share: their size, their axes and finding what the pointer is at. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import {
  drawable,
  extent,
  linear,
  logarithmic,
  logTicks,
  ticks,
  ticksAcross,
  ticksApart,
  widen,
  type Domain,
} from '../../plots/scale.js';

export { formatNumber } from '../../plots/scale.js';
export type Point = readonly [x: number, y: number];

/** The size of an element, as it changes. */
export function useSize<E extends Element>() {
  const ref = useRef<E>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([{ contentRect }]) => {
      setSize({ width: contentRect.width, height: contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}

/** Above it the name of an axis, and the number of a mark that is as high as can be. */
export const MARGIN = { left: 52, right: 16, top: 38, bottom: 42 };

/** A domain that holds all values, with a little room. */
export function domainOf(values: Iterable<number>): Domain {
  return widen(drawable(extent(values)), 0.05, 0.05);
}

/** As domainOf, for an axis of ratios: of the values that are positive. */
export function logDomainOf(values: Iterable<number>): Domain {
  const [low, high] = domainOf([...values].filter((value) => value > 0).map(Math.log10));
  return [10 ** low, 10 ** high];
}

/** Which axes are logarithmic. */
export interface LogAxes {
  readonly isLogX?: boolean;
  readonly isLogY?: boolean;
}

export function scalesOf(xDomain: Domain, yDomain: Domain, width: number, height: number, logs: LogAxes = {}) {
  const scale = (isLog = false) => (isLog ? logarithmic : linear);
  return {
    x: scale(logs.isLogX)(xDomain, [MARGIN.left, width - MARGIN.right]),
    y: scale(logs.isLogY)(yDomain, [height - MARGIN.bottom, MARGIN.top]),
  };
}

/** The room that a number takes on an axis, in pixels. */
const [X_LABEL, Y_LABEL] = [44, 16];

interface AxesProps extends LogAxes {
  readonly xDomain: Domain;
  readonly yDomain: Domain;
  readonly width: number;
  readonly height: number;
  readonly xName: string;
  readonly yName: string;
}

export function Axes({ xDomain, yDomain, width, height, xName, yName, isLogX = false, isLogY = false }: AxesProps) {
  const { x, y } = scalesOf(xDomain, yDomain, width, height, { isLogX, isLogY });
  const xTicks = isLogX
    ? ticksApart(logTicks(xDomain), x, X_LABEL)
    : ticksAcross(xDomain, width - MARGIN.left - MARGIN.right, 11);
  const yTicks = isLogY
    ? ticksApart(logTicks(yDomain), y, Y_LABEL)
    : ticks(yDomain, Math.max(2, Math.floor(height / 60)));
  return (
    <g class="axes" aria-hidden="true">
      {yTicks.map(({ value, label }) => (
        <g key={value}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} />
          <text x={MARGIN.left - 8} y={y(value) + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {xTicks.map(({ value, label }) => (
        <g key={value}>
          <line x1={x(value)} x2={x(value)} y1={MARGIN.top} y2={height - MARGIN.bottom} />
          <text x={x(value)} y={height - MARGIN.bottom + 17} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      <text class="axis-name" x={4} y={14}>
        ↑ {yName}
      </text>
      <text class="axis-name" x={width - MARGIN.right} y={height - 6} text-anchor="end">
        {xName} →
      </text>
    </g>
  );
}

export function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

interface PickableProps {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  /** The index of what is at a place; undefined where there is nothing near. */
  readonly nearest: (x: number, y: number) => number | undefined;
  readonly picked: number | undefined;
  readonly onPick: (index: number | undefined) => void;
  readonly onTake: (index: number) => void;
  readonly onDrag?: (dx: number, dy: number) => void;
  readonly children: ComponentChildren;
}

/** A plot whose points can be looked at and taken: with a pointer, or with arrows and Enter. */
export function Pickable(props: PickableProps) {
  const { label, width, height, count, nearest, picked, onPick, onTake, onDrag, children } = props;
  const drag = useRef<{ moved: number } | undefined>(undefined);
  const nearestTo = (event: PointerEvent) => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    return nearest(event.clientX - left, event.clientY - top);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (move !== undefined && count > 0) onPick(((picked ?? (move > 0 ? -1 : 0)) + move + count) % count);
    else if (event.key === 'Enter' && picked !== undefined) onTake(picked);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <svg
      class="plot"
      role="application"
      aria-label={`${label}. Arrow keys go from point to point, Enter takes the preference of one.`}
      // Written as SVG has it: other than in HTML, attributes of another case are other attributes.
      tabindex={0}
      width={width}
      height={height}
      onPointerDown={(event) => {
        drag.current = { moved: 0 };
        if (onDrag !== undefined) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (drag.current !== undefined && onDrag !== undefined && event.buttons > 0) {
          drag.current.moved += Math.abs(event.movementX) + Math.abs(event.movementY);
          onDrag(event.movementX, event.movementY);
        } else onPick(nearestTo(event));
      }}
      onPointerUp={(event) => {
        const index = nearestTo(event);
        if (index !== undefined && (drag.current?.moved ?? 0) < 5) onTake(index);
        drag.current = undefined;
      }}
      onPointerLeave={() => onPick(undefined)}
      onBlur={() => onPick(undefined)}
      onKeyDown={onKeyDown}
    >
      {children}
    </svg>
  );
}

/** The point nearest to a place, if it is within reach. */
export function nearestPoint(points: readonly Point[], x: number, y: number, reach = 28): number | undefined {
  let nearest: number | undefined;
  let least = reach;
  points.forEach(([px, py], i) => {
    const distance = Math.hypot(px - x, py - y);
    if (distance >= least) return;
    least = distance;
    nearest = i;
  });
  return nearest;
}
