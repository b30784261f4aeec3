export { Random, type FloatArray, type IndexArray, type RandomState, type Shuffleable } from './random.js';
