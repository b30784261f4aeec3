export { checksummed, isChecksumIntact } from './checksummed.js';
export {
  checksum,
  checksumBeside,
  jsonText,
  namesIn,
  reasonOf,
  removeTemporaries,
  writeAtomic,
  writeAtomicAsync,
  WriteError,
  writeJson,
} from './files.js';
