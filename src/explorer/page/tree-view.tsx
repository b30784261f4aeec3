/** Fruit tree navigation: the tree, the way that the policy takes, and the nutrients of the fruit it finds. */
import { formatNumber, useSize } from './charts.js';
import { objectiveColour, preferenceColour } from './colours.js';
import { achieved, objectives, preferences, run } from './state.js';

export function TreeView({ pane }: { pane: number }) {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const view = run.value?.env.view;
  const leaves = view?.kind === 'tree' ? view.leaves : [];
  const depth = Math.log2(leaves.length);
  const path = achieved.value[pane]?.path ?? [];
  const leaf = path.at(-1);
  const colour = preferenceColour(preferences.value[pane]);
  const x = (row: number, column: number) => (width * (column + 0.5)) / 2 ** row;
  const y = (row: number) => 14 + ((height - 28) * row) / depth;
  const isOnPath = (row: number, column: number) => path[row]?.column === column;
  const nodes = Array.from({ length: depth + 1 }, (_, row) =>
    Array.from({ length: 2 ** row }, (_, column) => ({ row, column })),
  ).flat();
  const branches = nodes.filter(({ row }) => row > 0);
  // What is lit lies above everything else.
  const lit = branches.filter(({ row, column }) => isOnPath(row, column));
  const branch = ({ row, column }: { row: number; column: number }) => {
    const [x1, y1, x2, y2] = [x(row - 1, column >> 1), y(row - 1), x(row, column), y(row)];
    return `M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
  };
  const fruit = leaf === undefined ? undefined : leaves[leaf.column];
  return (
    <div class="tree">
      <div class="crown" ref={ref}>
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={leaf === undefined ? 'The tree' : `The policy walks to leaf ${leaf.column + 1} of ${2 ** depth}`}
        >
          <g class="branches">
            {branches.map((node) => (
              <path key={`${node.row}.${node.column}`} d={branch(node)} />
            ))}
          </g>
          <g class="lit" style={{ stroke: colour }}>
            {lit.map((node) => (
              <path key={`${node.row}.${node.column}`} d={branch(node)} />
            ))}
          </g>
          {nodes.map(({ row, column }) => {
            const isLit = isOnPath(row, column);
            return (
              <circle
                key={`${row}.${column}`}
                class={isLit ? 'node on' : 'node'}
                cx={x(row, column)}
                cy={y(row)}
                r={isLit ? (row === depth ? 9 : 5.5) : row === depth ? Math.min(4, (0.42 * width) / 2 ** depth) : 2.5}
                style={isLit ? { fill: colour } : row === depth ? { fill: flavour(leaves[column]) } : {}}
              />
            );
          })}
        </svg>
      </div>
      {fruit !== undefined && <Nutrients fruit={fruit} most={Math.max(...leaves.flat())} />}
    </div>
  );
}

function Nutrients({ fruit, most }: { fruit: readonly number[]; most: number }) {
  const names = objectives.value;
  return (
    <div class="nutrients" role="list" aria-label="Nutrients of the fruit">
      {names.map(({ name }, k) => (
        <div role="listitem" key={name} class="nutrient">
          <div class="bar">
            <i style={{ height: `${(100 * fruit[k]) / most}%`, background: objectiveColour(k, names.length) }} />
          </div>
          <b>{formatNumber(fruit[k], 0.01)}</b>
          <span>{name}</span>
        </div>
      ))}
    </div>
  );
}

/** The colour of a fruit: that of the preference which asks for what it has. */
function flavour(fruit: readonly number[]): string {
  const sum = fruit.reduce((total, amount) => total + amount, 0);
  return preferenceColour(fruit.map((amount) => amount / sum));
}
