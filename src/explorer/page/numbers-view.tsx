/** An environment without a picture of its own: what its policy sees and does, as bars. */
import { useRef } from 'preact/hooks';
import { barsOfAction, endsOf, type Bounds } from './bars.js';
import { formatNumber } from './charts.js';
import { paneColour } from './panes.js';
import { frames, observationSpaces, run } from './state.js';

/** Bars that there is room for; of more than that the first ones are shown. */
const MOST_BARS = 120;
/** Bars that have room for their number. */
const MOST_NUMBERS = 12;

export function NumbersView({ pane }: { pane: number }) {
  const frame = frames.value.at(pane);
  const seen = observationSpaces.value.at(pane) ?? observationSpaces.value.at(-1);
  const actions = run.value?.env.actionSpace;
  if (frame === undefined || seen === undefined || actions === undefined)
    return <p class="loading">Loading policy …</p>;
  const colour = paneColour(pane);
  const { values, bounds, name } = barsOfAction(actions, frame.action);
  return (
    <div class="numbers-view" data-observation={[...frame.observation].join()} data-action={values.join()}>
      <Bars name="Observation" values={[...frame.observation]} bounds={seen} colour={colour} />
      <Bars name={name} values={values} bounds={bounds} colour={colour} />
    </div>
  );
}

interface BarsProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly bounds: Bounds;
  readonly colour: string;
}

/** From zero to each value, between its bounds; where it has none, between the farthest that it has been. */
function Bars({ name, values, bounds, colour }: BarsProps) {
  const farthest = useRef<number[]>([]);
  const shown = values.slice(0, MOST_BARS);
  const ends = endsOf(shown, bounds, farthest.current);
  const hidden = values.length - shown.length;
  return (
    <figure class="bars" style={{ '--count': shown.length }}>
      <figcaption>
        {name}
        {hidden > 0 && (
          <small class="muted">
            {' '}
            the first {shown.length} numbers of {values.length}
          </small>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${shown.length} 1`} preserveAspectRatio="none" role="img" aria-label={name}>
        {shown.map((value, i) => {
          const [low, high] = ends[i];
          const place = (value: number) => 1 - (Math.min(Math.max(value, low), high) - low) / (high - low);
          const [zero, end] = [place(0), place(value)];
          return (
            <g key={i}>
              <rect class="room" x={i + 0.1} width={0.8} height={1} />
              <rect x={i + 0.1} width={0.8} y={Math.min(zero, end)} height={Math.abs(end - zero)} fill={colour} />
            </g>
          );
        })}
      </svg>
      {shown.length <= MOST_NUMBERS && (
        <div class="values">
          {shown.map((value, i) => (
            <span key={i}>{formatNumber(value, 0.01)}</span>
          ))}
        </div>
      )}
    </figure>
  );
}
