import { text, type Field } from '../config/index.js';

const UNITS = { s: 1, m: 60, h: 3600 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(s|m|h)$/;

/** Seconds of a duration such as 2s, 1.5m or 1h. */
export function secondsOf(duration: string): number {
  const [, number, unit] = DURATION.exec(duration) as unknown as [string, string, keyof typeof UNITS];
  return Number(number) * UNITS[unit];
}

export function durationOption({ about, default: otherwise }: Pick<Field<string>, 'about' | 'default'>): Field<string> {
  return {
    ...text({ placeholder: 'DURATION', allowed: 'a duration such as 2s, 1m or 1h', about }),
    accepts: (value): value is string => typeof value === 'string' && DURATION.test(value),
    default: otherwise,
  };
}

export const checkpointOption = durationOption({
  about: 'How often to save.',
  default: '1m',
});
