/** Deep sea treasure: the sea, the dive of the policy, and what it brought. */
import { formatNumber, pathOf, type Point } from './charts.js';
import { paneColour } from './panes.js';
import { achieved, objectives, run } from './state.js';
import { discountWords } from './words.js';

const CELL = 40;

export function SeaView({ pane }: { pane: number }) {
  const view = run.value?.env.view;
  const map = view?.kind === 'sea' ? view.map : [];
  const reached = achieved.value[pane];
  const path = reached?.path ?? [];
  const colour = paneColour(pane);
  const centre = ({ row, column }: { row: number; column: number }): Point => [
    (column + 0.5) * CELL,
    (row + 0.5) * CELL,
  ];
  const end = path.at(-1);
  return (
    <div class="sea">
      <svg
        viewBox={`0 0 ${(map[0]?.length ?? 0) * CELL} ${map.length * CELL}`}
        role="img"
        aria-label={end === undefined ? 'The sea' : `The policy dives for ${path.length - 1} steps`}
      >
        {map.map((cells, row) =>
          cells.map((value, column) => (
            <g key={`${row}.${column}`} transform={`translate(${column * CELL} ${row * CELL})`}>
              <rect
                class={value < 0 ? 'bed' : 'water'}
                width={CELL + 0.5}
                height={CELL + 0.5}
                style={value < 0 ? {} : { opacity: 0.35 + 0.06 * row }}
              />
              {value > 0 && (
                <>
                  <rect class="chest" x={4} y={9} width={CELL - 8} height={CELL - 16} rx={4} />
                  <text x={CELL / 2} y={CELL / 2 + 5} text-anchor="middle">
                    {formatNumber(value, 0.1)}
                  </text>
                </>
              )}
            </g>
          )),
        )}
        <path class="dive" d={pathOf(path.map(centre))} style={{ stroke: colour }} />
        {path.map((place, i) => (
          <circle key={i} cx={centre(place)[0]} cy={centre(place)[1]} r={3.5} fill={colour} />
        ))}
        {end !== undefined && <circle class="diver" cx={centre(end)[0]} cy={centre(end)[1]} r={13} stroke={colour} />}
      </svg>
      {reached !== undefined && (
        <p class="haul">
          {objectives.value.map(({ name, unit }, k) => (
            <span key={name}>
              {name} <b>{formatNumber(reached.returns[k], 0.01)}</b> {unit ?? ''}
            </span>
          ))}
          <span class="muted">{run.value && discountWords(run.value)}</span>
        </p>
      )}
    </div>
  );
}
