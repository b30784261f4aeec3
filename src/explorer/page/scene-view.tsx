/** An environment that is drawn with a few shapes, as it is observed. */
import type { ScenePaint, SceneShape } from '../../envs/index.js';
import { objectiveColour, preferenceColour } from './colours.js';
import { frames, objectives, preferences, run } from './state.js';

export function SceneView({ pane }: { pane: number }) {
  const frame = frames.value.at(pane);
  const view = run.value?.env.view;
  if (frame === undefined || view?.kind !== 'scene') return <p class="loading">Loading policy …</p>;
  const { width, height } = view;
  const margin = width / 50;
  const observation = [...frame.observation];
  const colourOf = (paint: ScenePaint): string | undefined => {
    if (paint === 'actor') return preferenceColour(preferences.value[pane]);
    return typeof paint === 'number' ? objectiveColour(paint, objectives.value.length) : undefined;
  };
  return (
    <svg
      class="scene"
      viewBox={`${-margin} ${-height - margin} ${width + 2 * margin} ${height + 2 * margin}`}
      role="img"
      aria-label={`${run.value?.env.id ?? ''} after ${frame.step} steps`}
      data-observation={observation.join()}
    >
      <rect class="edge" y={-height} width={width} height={height} />
      {view.draw(observation).map((shape, i) => (
        <Shape key={i} shape={shape} colour={colourOf(shape.paint)} />
      ))}
    </svg>
  );
}

/** The picture's own axis points down. */
function Shape({ shape, colour }: { shape: SceneShape; colour: string | undefined }) {
  const name = String(shape.paint);
  if (shape.kind === 'circle') {
    return <circle class={name} fill={colour} cx={shape.centre[0]} cy={-shape.centre[1]} r={shape.radius} />;
  }
  const points = shape.points.map(([x, y]) => `${x},${-y}`).join(' ');
  if (shape.kind === 'line') return <polyline class={name} stroke={colour} points={points} />;
  return <polygon class={name} fill={colour} points={points} />;
}
