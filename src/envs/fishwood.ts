/** Fishwood: a fisherman who is at the river or in the woods, and finds fish or wood with some luck. */
import { quickForFewStates } from './few-states.js';
import { checkDiscount, defineEnv } from './registration.js';
import { circle, polygon, rectangle } from './scene.js';
import { continuous, discrete } from './spaces.js';
import { loadInteger } from './world.js';

const HORIZON = 200;
/** Places and actions, which go there, have the number of the objective that is served there. */
const [FISHING, WOODS] = [0, 1];
/** Of finding something with a step at a place. */
const LUCK = [0.1, 0.9];

/** Where the fisherman stands, from the left, and what is there. */
const PLACES = [1, 3];
const SCENE = [
  rectangle('ground', [0, 0], 4, 0.3),
  rectangle(FISHING, [0, 0], 0.7, 0.3),
  ...[2.3, 3.5].map((x) =>
    polygon(WOODS, [
      [x - 0.3, 0.3],
      [x + 0.3, 0.3],
      [x, 1.7],
    ]),
  ),
];

/** As MO-Gymnasium has it (docs/fidelity.md): a step earns where it begins, and then leads where it goes. */
export const fishwood = defineEnv({
  id: 'fishwood-v0',
  summary: 'Fishwood: catch fish or collect wood, with luck.',
  family: 'mo-gymnasium',
  source: 'Roijers, Steckelmacher and Nowé, ALA 2018',
  objectives: [{ name: 'Fish' }, { name: 'Wood' }],
  actionSpace: discrete(2),
  horizon: HORIZON,
  discount: 0.99,
  // Below nothing, so that wood alone counts for something.
  referencePoint: [-1, -1],
  coverageTolerance: 5,
  settings: [quickForFewStates(20_000, 10)],
  knownFront(discount) {
    checkDiscount(discount);
    // The policies without memory: stay in the woods, go fishing and stay, or go to and fro. All lie on one line.
    return [() => WOODS, () => FISHING, (place: number) => 1 - place].map((next) => {
      const expected = [0, 0];
      let place = WOODS;
      for (let step = 0; step < HORIZON; step++) {
        expected[place] += discount ** step * LUCK[place];
        place = next(place);
      }
      return expected;
    });
  },
  view: {
    kind: 'scene',
    width: 4,
    height: 2,
    draw: ([place]) => [...SCENE, circle('actor', [PLACES[place], 0.5], 0.2)],
  },
  make() {
    let place = WOODS;
    return {
      observationSpace: continuous([0], [1]),
      start: () => void (place = WOODS),
      advance(action, reward, random) {
        if (random.uniform() < LUCK[place]) reward[place] = 1;
        place = action;
        return false;
      },
      observe: (out) => void (out[0] = place),
      info: () => ({ place: place === WOODS ? 'woods' : 'river' }),
      save: () => ({ place }),
      load: (state) => void (place = loadInteger(state, 'place', 1)),
    };
  },
});
