/** Optimisation on trees of tensors: Adam, clipping by the global norm, and soft updates of target networks. */
import { constant, float32, mapSpecs, mapTensors, tensorsOf } from '../tensor/index.js';
import type { MapTree, Operand, Spec, Tensor, Tree } from '../tensor/index.js';

export interface AdamOptions {
  /** A number, or a scalar of the graph where it follows a schedule. */
  readonly learningRate: Operand;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** Moments of each parameter, and 1 - beta^t, which corrects their bias: all zero at the start. */
export type AdamState<Moments, Scalar> = {
  readonly m: Moments;
  readonly v: Moments;
  readonly correction1: Scalar;
  readonly correction2: Scalar;
};

/** The state that Adam keeps for a set of parameters. */
export function adamSpecs<S extends Tree<Spec>>(parameters: S): AdamState<MapTree<S, Spec, Spec>, Spec> {
  const moments = mapSpecs(parameters, (spec) => spec);
  return { m: moments, v: moments, correction1: float32(), correction2: float32() };
}

/** Kingma and Ba (2015), with bias correction and epsilon outside the root, as PyTorch has it. */
export function adam<P extends Tree<Tensor>>(
  parameters: P,
  gradients: Tree<Tensor>,
  state: AdamState<Tree<Tensor>, Tensor>,
  { learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 }: AdamOptions,
): { parameters: MapTree<P, Tensor, Tensor>; state: AdamState<MapTree<P, Tensor, Tensor>, Tensor> } {
  const [gradient, m, v] = [gradients, state.m, state.v].map((set) => lookup(tensorsOf(set)));
  const correction1 = state.correction1.mul(beta1).add(1 - beta1);
  const correction2 = state.correction2.mul(beta2).add(1 - beta2);
  const nextM = mapTensors(parameters, (_, path) =>
    flushed(
      m(path)
        .mul(beta1)
        .add(gradient(path).mul(1 - beta1)),
    ),
  );
  const nextV = mapTensors(parameters, (_, path) =>
    flushed(
      v(path)
        .mul(beta2)
        .add(
          gradient(path)
            .square()
            .mul(1 - beta2),
        ),
    ),
  );
  // lr (m / c1) / (sqrt(v / c2) + eps), with the corrections moved to where they are scalars.
  const root2 = correction2.sqrt();
  const rate = root2.mul(learningRate).div(correction1);
  const floor = root2.mul(epsilon);
  const [newM, newV] = [nextM, nextV].map((set) => lookup(tensorsOf(set)));
  return {
    parameters: mapTensors(parameters, (p, path) => p.sub(newM(path).div(newV(path).sqrt().add(floor)).mul(rate))),
    state: { m: nextM, v: nextV, correction1, correction2 },
  };
}

/**
 * The same number, with denormal numbers flushed. Moments of a unit that is never active decay into denormal numbers and
 * stay there, and processors take a hundred times as long for those: a fruit-tree run had 6 % of them after 1,800
 * updates. Adding and subtracting 1e-30 is exact for everything above 1e-23 and rounds the rest to normal numbers.
 */
function flushed(x: Tensor): Tensor {
  return x.add(1e-30).sub(1e-30);
}

/** Gradients scaled down together where their joint L2 norm exceeds a bound, and that norm before scaling. */
export function clipByGlobalNorm<G extends Tree<Tensor>>(
  gradients: G,
  maximum: number,
): { gradients: MapTree<G, Tensor, Tensor>; norm: Tensor } {
  const squares = [...tensorsOf(gradients).values()].map((g) => g.square().sum());
  const norm = squares.reduce((sum, square) => sum.add(square)).sqrt();
  const scale = constant(maximum).div(norm.add(1e-6)).minimum(1);
  return { gradients: mapTensors(gradients, (g) => g.mul(scale)), norm };
}

/** Gradients clipped to a norm, or unchanged where there is none: computing the norm takes time. */
export function clipped<G extends Tree<Tensor>>(gradients: G, maximum: number | null): G | MapTree<G, Tensor, Tensor> {
  return maximum === null ? gradients : clipByGlobalNorm(gradients, maximum).gradients;
}

/** target + tau (source - target), entry by entry. */
export function softUpdate<T extends Tree<Tensor>>(
  target: T,
  source: Tree<Tensor>,
  tau: Operand,
): MapTree<T, Tensor, Tensor> {
  const from = lookup(tensorsOf(source));
  return mapTensors(target, (t, path) => t.add(from(path).sub(t).mul(tau)));
}

function lookup(set: ReadonlyMap<string, Tensor>): (path: string) => Tensor {
  return (path) => {
    const tensor = set.get(path);
    if (tensor === undefined) throw new Error(`'${path}' is missing; there are: ${[...set.keys()].join(', ')}`);
    return tensor;
  };
}
