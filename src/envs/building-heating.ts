/**
 * The heating of a flat with four rooms, whose boiler cannot heat all of them at once: comfort in each against energy. Rooms
 * are a network of resistances and capacities (Bacher and Madsen, Energy and Buildings 43, 2011), as are the buildings of
 * SustainGym (Yeh et al., NeurIPS 2023); capacities are of ISO 13790, and the ranges of comfort about those of EN 16798-1, but for
 * the bedroom's, which is what is advised for sleeping.
 */
import { defineEnv } from './registration.js';
import { circle, rectangle } from './scene.js';
import { cube } from './spaces.js';
import { loadInteger, loadNumber } from './world.js';

/** In hours; an episode is a day that begins at midnight. */
const STEP = 0.25;
const STEPS = 24 / STEP;

interface Room {
  readonly name: string;
  /** In Wh/K: 165 kJ/K for a square metre of floor, the medium class of ISO 13790. */
  readonly capacity: number;
  /** Through walls, windows and half a change of air in an hour, in W/K. */
  readonly loss: number;
  /** Of its radiator, in W. */
  readonly power: number;
  /** The hours from and to which somebody is there, who then wants it to be within these degrees. */
  readonly used: readonly (readonly [number, number])[];
  readonly comfort: readonly [number, number];
  /** What people and their devices give while it is used, and a clear sky at noon, in W. */
  readonly people: number;
  readonly sun: number;
}

const ROOMS: readonly Room[] = [
  // 30, 12, 16 and 14 m².
  {
    name: 'Living room',
    capacity: 1375,
    loss: 30,
    power: 1500,
    used: [[17, 23]],
    comfort: [20, 24],
    people: 250,
    sun: 600,
  },
  {
    name: 'Kitchen',
    capacity: 550,
    loss: 10,
    power: 600,
    used: [
      [6, 8],
      [12, 13],
      [18, 20],
    ],
    comfort: [20, 24],
    people: 400,
    sun: 0,
  },
  {
    name: 'Bedroom',
    capacity: 733,
    loss: 14,
    power: 800,
    used: [
      [0, 7],
      [22, 24],
    ],
    comfort: [17, 20],
    people: 120,
    sun: 0,
  },
  {
    name: 'Study',
    capacity: 642,
    loss: 12,
    power: 700,
    used: [[8, 17]],
    comfort: [21, 24],
    people: 200,
    sun: 200,
  },
];

/** Walls between two rooms, and what passes through them in W/K. */
const WALLS = [
  [0, 1, 25],
  [0, 2, 20],
  [0, 3, 20],
  [2, 3, 15],
] as const;

/** Of the boiler for all rooms together, in W. */
const BOILER = 2200;

/** How much colder than on average it is at four in the morning, and warmer twelve hours later. */
const DAILY_SWING = 4;
/** The weather's own way: how much of it stays in a step, and what comes to it, in degrees. */
const WEATHER = { stays: 0.98, change: 0.3 };

/** The share of the noon's sun at an hour of a winter's day. */
function sunAt(hour: number): number {
  return hour > 8 && hour < 16 ? Math.sin((Math.PI * (hour - 8)) / 8) : 0;
}

function isUsed({ used }: Room, hour: number): boolean {
  return used.some(([from, to]) => hour >= from && hour < to);
}

export const buildingHeating = defineEnv({
  id: 'building-heating',
  summary: 'The heating of a flat: be comfortable in four rooms when they are used, burn little.',
  family: 'psl-morl',
  source: 'after Bacher and Madsen, Energy and Buildings 2011, and Yeh et al., NeurIPS 2023',
  objectives: [
    ...ROOMS.map(({ name }) => ({ name: `${name} comfort`, unit: 'K h' })),
    { name: 'Energy saved', unit: 'kWh' },
  ],
  actionSpace: cube(ROOMS.length, -1, 1),
  horizon: STEPS,
  discount: 0.99,
  // About what a flat that is not heated comes to at 0 °C outside (at -15 °C the living room and the study come to -65 and -71 on
  // average, and policies that hardly heat count nothing), and a boiler that never rests.
  referencePoint: [...ROOMS.map(() => -60), -60],
  options: {
    outside: { summary: 'Degrees outside on average; it is different from day to day.', default: 0, min: -15, max: 15 },
  },
  view: { kind: 'scene', width: ROOMS.length + 2, height: 4, stepSeconds: 0.1, draw },
  make({ outside }) {
    const degrees = new Float64Array(ROOMS.length);
    let step = 0;
    let weather = 0;
    let clarity = 0;
    const hour = () => step * STEP;
    const outdoors = () => outside + weather - DAILY_SWING * Math.cos((Math.PI * (hour() - 4)) / 12);

    return {
      observationSpace: cube(ROOMS.length + 4, -Infinity, Infinity),
      start(random) {
        step = 0;
        weather = 3 * random.normal();
        clarity = random.uniform();
        for (const i of ROOMS.keys()) degrees[i] = 19 + random.normal();
      },

      advance(action, reward, random) {
        const wanted = ROOMS.map(({ power }, i) => (power * (Math.max(-1, Math.min(1, action[i])) + 1)) / 2);
        const sum = wanted.reduce((total, watts) => total + watts, 0);
        const share = Math.min(1, BOILER / sum);
        const watts = ROOMS.map(({ loss, people, sun }, i) => {
          const gains = (isUsed(ROOMS[i], hour()) ? people : 0) + sun * clarity * sunAt(hour());
          return share * wanted[i] + gains + loss * (outdoors() - degrees[i]);
        });
        for (const [a, b, conductance] of WALLS) {
          const flow = conductance * (degrees[a] - degrees[b]);
          watts[a] -= flow;
          watts[b] += flow;
        }
        ROOMS.forEach((room, i) => {
          degrees[i] += (STEP * watts[i]) / room.capacity;
          const [low, high] = room.comfort;
          const off = Math.max(0, low - degrees[i], degrees[i] - high);
          reward[i] = isUsed(room, hour()) ? -STEP * off : 0;
        });
        reward[ROOMS.length] = (-STEP * Math.min(BOILER, sum)) / 1000;
        step += 1;
        weather = WEATHER.stays * weather + WEATHER.change * random.normal();
        return false;
      },

      observe(out) {
        const angle = (2 * Math.PI * hour()) / 24;
        // About the size of one.
        for (const i of ROOMS.keys()) out[i] = (degrees[i] - 20) / 3;
        out.set([outdoors() / 10, clarity * sunAt(hour()), Math.sin(angle), Math.cos(angle)], ROOMS.length);
      },

      info: () => ({ hour: hour(), outside: outdoors(), degrees: [...degrees] }),
      save: () => ({ step, weather, clarity, degrees: degrees.slice() }),
      load(state) {
        const { degrees: saved } = (state ?? {}) as Record<string, unknown>;
        if (!(saved instanceof Float64Array) || saved.length !== ROOMS.length) {
          throw new RangeError(`state.world.degrees must be a Float64Array of ${ROOMS.length} numbers.`);
        }
        const loaded = loadInteger(state, 'step', STEPS);
        weather = loadNumber(state, 'weather', -Infinity, Infinity);
        clarity = loadNumber(state, 'clarity', 0, 1);
        step = loaded;
        degrees.set(saved);
      },
    };
  },
});

/** How high a temperature is drawn. */
function heightOf(degrees: number): number {
  return Math.max(0, (degrees + 10) / 10);
}

/** The temperatures of the rooms and outside, what people want where somebody is, and the sun. */
function draw(observation: readonly number[]) {
  const [outdoors, sun, sine, cosine] = observation.slice(ROOMS.length);
  // Of the step, as rooms are used from full hours on.
  const step = Math.round((Math.atan2(sine, cosine) / (2 * Math.PI)) * STEPS);
  const hour = ((step + STEPS) % STEPS) * STEP;
  return [
    ...ROOMS.flatMap((room, i) => {
      const [low, high] = room.comfort.map(heightOf);
      return isUsed(room, hour) ? [rectangle('ground', [i, low], 1, high - low)] : [];
    }),
    ...ROOMS.map((_, i) => rectangle(i, [i + 0.3, 0], 0.4, heightOf(20 + 3 * observation[i]))),
    rectangle('actor', [ROOMS.length + 0.8, 0], 0.4, heightOf(10 * outdoors)),
    ...(sun > 0 ? [circle('mark', [ROOMS.length + 1, 3.3], 0.15 + 0.4 * sun)] : []),
  ];
}
