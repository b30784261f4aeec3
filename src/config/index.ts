export { describe, describeFields, fieldsTable, shownDefault } from './describe.js';
export { ConfigError } from './error.js';
export {
  checkValue,
  choice,
  flag,
  integer,
  integers,
  number,
  numbers,
  orNone,
  text,
  type ConfigOf,
  type Declare,
  type Described,
  type Documentation,
  type Field,
  type Fields,
  type SettingsOf,
} from './fields.js';
export { allowedInstead, readNumber } from './kinds.js';
export type { Bounds, Kind, Length, OpenBounds } from './kinds.js';
export { twoColumns, wrap } from './layout.js';
export { refusal, type Allowed } from './refusal.js';
export { parseSettings, resolveConfig } from './resolve.js';
