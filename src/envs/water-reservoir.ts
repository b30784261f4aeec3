/** Water reservoir: how much to release from behind a dam, for those above it, those below it, and power. */
import type { Objective } from './contract.js';
import { defineEnv } from './registration.js';
import { circle, line, polygon, rectangle } from './scene.js';
import { continuous, cube } from './spaces.js';
import { loadNumber } from './world.js';

const STEPS = 100;
/** What flows in within a step. */
const INFLOW = { mean: 40, deviation: 10 };
/** What the reservoir can hold back: what is above it has to be released. */
const MOST_HELD = 100;
const FLOOD_LEVEL = 50;
const WATER_DEMAND = 50;
const POWER_DEMAND = 4.36;
const FLOOD_RELEASE = 30;
/** Power per level and release: gravity times the density of water, in kilowatt-hours. */
const POWER = (9.81 * 1000) / 3.6e6;
const LEVELS = [
  96.855361, 58.046026, 116.15767, 20.164311, 79.191, 140.13098, 131.01816, 44.351321, 13.185943, 73.508622,
];

/** An objective: by how much a step falls short of what is wanted, and the worst of that on average which is published for three and four. */
interface Term extends Objective {
  readonly shortfall: (release: number, level: number) => number;
  readonly worst: number;
}

const TERMS: readonly Term[] = [
  { name: 'No flood upstream', shortfall: (_, level) => level - FLOOD_LEVEL, worst: 65 },
  { name: 'Water supply', shortfall: (release) => WATER_DEMAND - release, worst: 12 },
  { name: 'Power', shortfall: (release, level) => POWER_DEMAND - POWER * level * release, worst: 0.7 },
  { name: 'No flood downstream', shortfall: (release) => release - FLOOD_RELEASE, worst: 12 },
];

/** That a picture shows. */
const HIGHEST = 200;

/** The water behind the dam with a buoy, and lines where it floods the land and where it can be held back no longer. */
function draw([level]: readonly number[]) {
  return [
    rectangle(0, [0, 0], 205, Math.min(HIGHEST, level)),
    polygon('ground', [
      [200, 0],
      [280, 0],
      [220, HIGHEST],
      [200, HIGHEST],
    ]),
    ...[FLOOD_LEVEL, MOST_HELD].map((height) =>
      line('mark', [
        [0, height],
        [200, height],
      ]),
    ),
    circle('actor', [100, Math.min(HIGHEST, level)], 8),
  ];
}

/** As MO-Gymnasium has it (docs/fidelity.md), with its first objectives. */
export function waterReservoir(objectives: 2 | 3 | 4) {
  const terms = TERMS.slice(0, objectives);
  return defineEnv({
    id: objectives === 2 ? 'water-reservoir-v0' : `water-reservoir-${objectives}obj-v0`,
    summary: `A dam: ${['flood no land', 'supply water', 'supply power', 'flood nobody below'].slice(0, objectives).join(', ')}.`,
    family: 'mo-gymnasium',
    source: 'Pianosi, Castelletti and Restelli, Journal of Hydroinformatics 2013',
    objectives: terms.map(({ name }) => ({ name })),
    actionSpace: cube(1, -1, 1),
    horizon: STEPS,
    discount: 0.99,
    referencePoint: terms.map(({ worst }) => -worst * STEPS),
    view: { kind: 'scene', width: 300, height: HIGHEST, draw },
    make() {
      let level = 0;
      return {
        observationSpace: continuous([0], [Infinity]),
        start: (random) => void (level = Math.fround(LEVELS[random.integer(LEVELS.length)])),
        advance(action, reward, random) {
          const least = Math.max(0, level - MOST_HELD);
          const share = (Math.max(-1, Math.min(1, action[0])) + 1) / 2;
          const release = least + share * (level - least);
          const inflow = INFLOW.mean + INFLOW.deviation * random.normal();
          level = Math.fround(Math.max(0, level + inflow - release));
          reward.set(terms.map(({ shortfall }) => Math.fround(-Math.max(0, shortfall(release, level)))));
          return false;
        },
        observe: (out) => void (out[0] = level),
        info: () => ({ level }),
        save: () => ({ level }),
        load: (state) => void (level = loadNumber(state, 'level', 0, Infinity)),
      };
    },
  });
}
