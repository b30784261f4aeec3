export { checksummed, decodeJson, isChecksumIntact } from './checksummed.js';
export {
  checksum,
  checksumBeside,
  jsonText,
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
