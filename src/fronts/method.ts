/** Where fronts come from: trainings, of which those that differ by their seeds alone are one method. */

/** The training that a front comes from: what makes its method, and what it took. */
export interface Origin {
  readonly env: string;
  readonly algorithm: string;
  readonly preset: string;
  /** Every setting, as it is typed. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of the environment, as they are typed too. */
  readonly envOptions: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly envSteps: number;
  readonly gradientSteps: number;
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

export type Method = Pick<Origin, 'env' | 'algorithm' | 'preset' | 'settings' | 'envOptions'>;

/** The same for trainings that differ by their seeds alone, and for no others. */
export function methodKeyOf({ env, envOptions, algorithm, preset, settings }: Method): string {
  return JSON.stringify([env, algorithm, preset, inOrder(envOptions), inOrder(settings)]);
}

function inOrder(record: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What tells a method from others of its algorithm and preset, and a label of all that, which no other of them has. */
export function methodLabel(method: Method, others: readonly Method[]): Pick<Method, 'settings'> & { label: string } {
  const { algorithm, preset } = method;
  const alike = others.filter((other) => other.algorithm === algorithm && other.preset === preset);
  const settings = differences(method, alike);
  const shown = Object.entries(settings).map(([setting, value]) => `${setting}=${value}`);
  return { label: [algorithm, preset, ...shown].join(' '), settings };
}

/** Those of a training's settings and options of its environment that are not the same in all trainings. */
function differences(method: Method, all: readonly Method[]): Record<string, string> {
  const typed = ({ settings, envOptions }: Method) => ({ ...settings, ...envOptions });
  const others = all.map(typed);
  return Object.fromEntries(
    Object.entries(typed(method)).filter(([name, value]) => others.some((other) => other[name] !== value)),
  );
}
