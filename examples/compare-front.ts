/**
 * A front from elsewhere beside a trained one: reads points from a CSV file, as pandas, R or a spreadsheet write them, and says
 * which of the two reaches more, and what each adds.
 *
 * usage: node examples/compare-front.ts (Node 22.18 and newer), or in a clone node dist/examples/compare-front.js FILE [run]
 */
import { hypervolume, nonDominated, readFront, readReturns, setCoverage } from 'psl-morl';

const [file, folder = 'examples/runs/half-cheetah'] = process.argv.slice(2);
const theirs = (await readFront(file)).points;
const ours = nonDominated(readReturns(folder).returns);
const reference = theirs[0].map(() => 0);

for (const [name, front] of [
  [file, theirs],
  [folder, ours],
] as const) {
  console.log(`${name}: ${nonDominated(front).length} points, hypervolume ${hypervolume(front, reference).toFixed(0)}`);
}
const both = hypervolume([...theirs, ...ours], reference);
console.log(`together: ${both.toFixed(0)}`);
const { covered } = setCoverage(theirs, ours);
console.log(`${covered} of the ${theirs.length} points of ${file} are no better than some point of ${folder}`);
