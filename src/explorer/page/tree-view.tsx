/** Fruit tree navigation: the tree, the way that the policy takes, and the nutrients of the fruit it finds. */
import { useState } from 'preact/hooks';
import { formatNumber, nearestPoint, Pickable, useSize, type Point } from './charts.js';
import { objectiveColour, preferenceColour } from './colours.js';
import { stillPicked } from './front-props.js';
import { paneColour } from './panes.js';
import { achieved, objectives, preferences, run, say, setPreference } from './state.js';
import { evaluatedPlayed } from './time.js';
import { harvestOf, preferenceFor, type Leaves } from './tree.js';

export function TreeView({ pane }: { pane: number }) {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [chosen, setPicked] = useState<number>();
  const view = run.value?.env.view;
  const leaves = view?.kind === 'tree' ? view.leaves : [];
  const picked = stillPicked(chosen, leaves.length);
  const depth = Math.log2(leaves.length);
  const path = achieved.value[pane]?.path ?? [];
  const reached = path.at(-1)?.column;
  const preference = preferences.value[pane];
  const colour = paneColour(pane);
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
  const places = leaves.map((_, column): Point => [x(depth, column), y(depth)]);
  const told = picked ?? reached;
  const { best, regret } = harvestOf(leaves, reached ?? 0, preference);
  const take = (leaf: number) => {
    const evaluated = evaluatedPlayed.value;
    const found = evaluated && preferenceFor(evaluated, leaves, leaf, run.value!.returnDiscount, preference);
    if (found === undefined) say(`No preference that was evaluated leads to leaf ${leaf + 1}.`);
    else setPreference(found, pane);
  };
  return (
    <div class="tree" data-best={best} data-regret={reached === undefined ? undefined : regret}>
      <div class="crown" ref={ref}>
        <Pickable
          label={reached === undefined ? 'The tree' : `The policy walks to leaf ${reached + 1} of ${leaves.length}`}
          {...{ width, height, picked }}
          count={leaves.length}
          nearest={(px, py) => nearestPoint(places, px, py)}
          onPick={setPicked}
          onTake={take}
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
          {leaves.length > 0 && <circle class="best-leaf" cx={places[best][0]} cy={places[best][1]} r={12} />}
          {picked !== undefined && <circle class="picked" cx={places[picked][0]} cy={places[picked][1]} r={9} />}
        </Pickable>
      </div>
      {told !== undefined && (
        <>
          <Worth leaves={leaves} leaf={told} pane={pane} isPolicys={told === reached} />
          <Nutrients fruit={leaves[told]} most={Math.max(...leaves.flat())} />
        </>
      )}
    </div>
  );
}

interface WorthProps {
  readonly leaves: Leaves;
  readonly leaf: number;
  readonly pane: number;
  /** Whether the policy walks there. */
  readonly isPolicys: boolean;
}

function Worth({ leaves, leaf, pane, isPolicys }: WorthProps) {
  const { utility, best, most, regret } = harvestOf(leaves, leaf, preferences.value[pane]);
  const lost = `${formatNumber(100 * regret, 0.1)} %`;
  return (
    <p class="worth">
      {isPolicys ? 'The policy walks to leaf' : 'Leaf'} {leaf + 1}: utility <b>{formatNumber(utility, 0.01)}</b>
      {best === leaf ? (
        ', the best leaf for this preference: no regret'
      ) : (
        <>
          ; the best for this preference, ringed, is leaf {best + 1} with <b>{formatNumber(most, 0.01)}</b>:{' '}
          {isPolicys ? 'regret' : 'less by'} <b>{lost}</b>
        </>
      )}
    </p>
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
