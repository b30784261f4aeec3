import { text, type Field } from '../config/index.js';

const UNITS = { s: 1, m: 60, h: 3600 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(s|m|h)$/;

/** Seconds of a duration such as 2s, 1.5m or 1h. */
export function secondsOf(duration: string): number {
  const [, number, unit] = DURATION.exec(duration) as unknown as [string, string, keyof typeof UNITS];
  return Number(number) * UNITS[unit];
}

export const checkpointOption: Field<string> = {
  ...text({
    placeholder: 'DURATION',
    allowed: 'a duration such as 2s, 1m or 1h',
    about: 'How often to save everything that is needed to go on exactly from there: psl resume does.',
  }),
  accepts: (value): value is string => typeof value === 'string' && DURATION.test(value),
  default: '1m',
};
