/** Puts a configuration together: defaults, presets, and the settings that a user gives, each checked. */
import { ConfigError } from './error.js';
import { checkValue, type ConfigOf, type Field, type Fields, type SettingsOf } from './fields.js';

/**
 * The complete configuration: the defaults, then each layer over what came before it. Every value is checked, also one
 * that a later layer replaces, and an entry that is undefined counts as absent. What it returns survives JSON: reading
 * it back and resolving it again gives an equal record.
 * @param layers objects with values by field name; unknown, because they come from command lines and files
 */
export function resolveConfig<F extends Fields>(fields: F, ...layers: readonly unknown[]): ConfigOf<F> {
  const config: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) config[name] = canonical(fields[name].default);
  for (const layer of layers) {
    if (typeof layer !== 'object' || layer === null || Array.isArray(layer)) {
      throw new ConfigError('configuration', layer, 'an object with a value for each setting');
    }
    const settings = layer as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(settings)) {
      const [field, value] = [fieldNamed(fields, name), settings[name]];
      if (value !== undefined) config[name] = canonical(checkValue(name, field, current(field, value)));
    }
  }
  return config as ConfigOf<F>;
}

/** The settings in texts such as `alpha=0.1` and `hidden=256,256`, checked. The last one of a name counts. */
export function parseSettings<F extends Fields>(fields: F, texts: readonly string[]): SettingsOf<F> {
  const settings: Record<string, unknown> = {};
  for (const text of texts) {
    const end = text.indexOf('=');
    if (end < 1) throw new ConfigError('setting', text, 'NAME=VALUE');
    const name = text.slice(0, end).trim();
    const field = fieldNamed(fields, name);
    const value = current(field, field.read(text.slice(end + 1).trim()));
    settings[name] = canonical(checkValue(name, field, value));
  }
  return settings as SettingsOf<F>;
}

function fieldNamed(fields: Fields, name: string): Field<unknown> {
  if (!Object.hasOwn(fields, name)) throw new ConfigError('setting', name, Object.keys(fields));
  return fields[name];
}

/** The value that a value of an older version is now. */
function current({ formerly = {} }: Field<unknown>, value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'boolean') return value;
  return Object.hasOwn(formerly, String(value)) ? formerly[String(value)] : value;
}

/** A copy, so that nobody changes a default through it, without the negative zeros that JSON does not keep. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  return typeof value === 'number' ? value + 0 : value;
}
