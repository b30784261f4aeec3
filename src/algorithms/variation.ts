/**
 * Replicas of one program that differ in some of their settings: numbers that the program reads from its state, where each
 * replica has its own, instead of having them built in. What changes shapes, or which operations there are, cannot differ.
 */
import { float32 } from '../tensor/index.js';
import type { Operand, Spec, State, Tensor } from '../tensor/index.js';
import { decayedRate } from './decay.js';
import { VARIED } from './state-names.js';

/** Settings of a replica over those that all have. */
export type Variant = Readonly<Record<string, number>>;

type VariedState = { readonly [VARIED]?: Tensor };

export class Variation<C extends Readonly<Record<string, unknown>>> {
  /** The settings that differ. */
  private readonly names: readonly string[];

  constructor(
    private readonly config: C,
    private readonly variants: readonly Variant[] = [],
  ) {
    this.names = [...new Set(variants.flatMap((variant) => Object.keys(variant)))].sort();
  }

  /** What a step that reads settings has in its state. */
  get specs(): { readonly [VARIED]?: Spec } {
    return this.names.length === 0 ? {} : { [VARIED]: float32(this.names.length) };
  }

  /** A setting as a step reads it: the number itself where it is the same for all. */
  in(state: VariedState, name: keyof C & string): Operand {
    const index = this.names.indexOf(name);
    return index < 0 ? (this.config[name] as number) : state[VARIED]!.slice(0, index, 1).reshape([]);
  }

  /** A setting of a replica. */
  of(replica: number, name: keyof C & string): number {
    return this.variants.at(replica)?.[name] ?? (this.config[name] as number);
  }

  /** Whether a setting is more than zero for some replica, so that a program has to have what it is the weight of. */
  isUsed(name: keyof C & string): boolean {
    return [this.config, ...this.variants].some((settings) => (settings[name] as number) > 0);
  }

  /** The step sizes of all replicas, by the name of their setting, after a part of the training. */
  rates(name: keyof C & string, replicas: number, progress: number): Float32Array {
    return Float32Array.from({ length: replicas }, (_, replica) => {
      const settings = {
        learningRate: this.of(replica, name),
        finalLearningRate: this.of(replica, 'finalLearningRate'),
      };
      return decayedRate(settings, progress);
    });
  }

  initialise(state: State, replica: number): void {
    if (this.names.length === 0) return;
    state.load({ [VARIED]: Float32Array.from(this.names, (name) => this.of(replica, name)) }, replica);
  }
}
