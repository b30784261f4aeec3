export { checksum } from './checksum.js';
export { checksummed, checksummedAgain, decodeJson, isChecksumIntact } from './checksummed.js';
export {
  checksumBeside,
  createExclusive,
  makeFolder,
  namesIn,
  reasonOf,
  removeTemporaries,
  whyNotWritable,
  writeAtomic,
  writeAtomicAsync,
  WriteError,
  writeJson,
} from './files.js';
export { isObject, jsonText } from './json-text.js';
