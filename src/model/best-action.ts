/** The best action of a policy network's output, as operations of a graph. */
import { constant } from '../tensor/tensor.js';
import type { Tensor } from '../tensor/tensor.js';
import type { ModelDescription } from './description.js';

/**
 * The best actions for rows of a network's output, as a description says, in a traced graph.
 * @param preferences one for each row, for an output of values
 */
export function bestAction(
  output: Tensor,
  { actionSpace, objectives, policy }: Pick<ModelDescription, 'actionSpace' | 'objectives' | 'policy'>,
  preferences?: Tensor,
): Tensor {
  if (actionSpace.kind === 'discrete') {
    if (policy.output === 'categorical') return output.argmax(1);
    const [rows] = output.shape;
    const values = output.reshape([rows, actionSpace.n, objectives.length]);
    const utilities = values.mul(preferences!.reshape([rows, 1, objectives.length])).sum(-1);
    return utilities.argmax(1);
  }
  const size = actionSpace.low.length;
  const [low, high] = [actionSpace.low, actionSpace.high].map((bounds) => constant(bounds.map(finite), [size]));
  if (policy.output === 'normal') return output.maximum(low).minimum(high);
  const [mean] = policy.output === 'tanh-normal' ? output.split(1, [size, size]) : [output];
  return mean.tanh().mul(high);
}

/** Constants are finite, also where actions are unbounded. */
function finite(bound: number): number {
  return Math.max(-1e30, Math.min(1e30, bound));
}
