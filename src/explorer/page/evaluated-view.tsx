/** An environment that cannot be played here: what its policies earned when they were evaluated. */
import { formatNumber } from './charts.js';
import { inkOf, objectiveColour } from './colours.js';
import { percent } from './front.js';
import { achieved, objectives, theme } from './state.js';

export function EvaluatedView({ pane }: { pane: number }) {
  const evaluated = achieved.value.at(pane);
  const names = objectives.value;
  if (evaluated === undefined) return null;
  return (
    <table class="evaluated">
      <caption>Return at the evaluated preference nearest to this one</caption>
      <tbody>
        {names.map(({ name }, k) => (
          <tr key={name}>
            <th scope="row" style={{ color: inkOf(objectiveColour(k, names.length), theme.value) }}>
              {name}
            </th>
            <td class="muted">{percent(evaluated.preference[k])}</td>
            <td data-return={evaluated.returns[k]}>{formatNumber(evaluated.returns[k], 0.01)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
