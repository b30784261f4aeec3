import { integer } from '../config/index.js';

export const snapshotsOption = integer({
  default: 0,
  min: 0,
  about: 'Policy sets of earlier evaluations to keep, for the explorer to play.',
});
