/**
 * The treatment of an infection with HIV by two drugs: a strong immune response and little virus, against what the drugs do
 * besides. The patient is the model of Adams, Banks, Kwon and Tran (Mathematical Biosciences and Engineering 1, 2004) with its
 * constants; the start, the steps of five days and the discount are those of Ernst, Stan, Gonçalves and Wehenkel (CDC 2006), as
 * RLPy has them too (Geramifard et al., JMLR 2015). They switch drugs on and off; here they are dosed, as in the former paper.
 *
 * Of the published reward, S E - Q V - R1 eps1² - R2 eps2² with S = 1000, Q = 0.1, R1 = 20,000 and R2 = 2,000, each term is an
 * objective. Returns are averages over the episode, and the published return of one is 2e5, 2e4, 19,600 and 360 times them.
 */
import { defineEnv } from './registration.js';
import { line, rectangle } from './scene.js';
import { cube } from './spaces.js';

/** In days. */
const STEP = 5;
const STEPS = 200;

/** The largest efficacies of the two drugs: inhibitors of reverse transcriptase (RTI) and of protease (PI). */
const STRONGEST = [0.7, 0.3];

/**
 * Healthy CD4 cells and macrophages, infected ones of both, viruses and immune effectors, for a millilitre. Without treatment
 * this is a stable state.
 */
const UNTREATED = [163_573, 5, 11_945, 46, 63_919, 24];
/** The stable state that the immune response holds without drugs, once it is there. */
const CONTROLLED = [967_839, 621, 76, 6, 415, 353_108];

/** The published constants, in days and millilitres. */
const CELLS = { supply: 1e4, death: 0.01, infection: 8e-7 };
const MACROPHAGES = { supply: 31.98, death: 0.01, infection: 1e-4, rtiShare: 0.34 };
const INFECTED = { death: 0.7, killing: 1e-5, viruses: 100 };
const VIRUS = { clearance: 13 };
const EFFECTORS = { supply: 1, birth: 0.3, halfBirth: 100, death: 0.25, halfDeath: 500, decay: 0.1 };

/** Of the fastest rate of change, the time of one integration step. */
const RESOLUTION = 0.5;

/** Fills in how fast a patient changes in a day under drugs of these efficacies. */
export function patientChange(y: ArrayLike<number>, rti: number, pi: number, out: Float64Array): void {
  const [cells, macrophages, virus, effectors] = [y[0], y[1], y[4], y[5]];
  const newCells = (1 - rti) * CELLS.infection * virus * cells;
  const newMacrophages = (1 - MACROPHAGES.rtiShare * rti) * MACROPHAGES.infection * virus * macrophages;
  const infected = y[2] + y[3];
  const loss = INFECTED.death + INFECTED.killing * effectors;
  out[0] = CELLS.supply - CELLS.death * cells - newCells;
  out[1] = MACROPHAGES.supply - MACROPHAGES.death * macrophages - newMacrophages;
  out[2] = newCells - loss * y[2];
  out[3] = newMacrophages - loss * y[3];
  // Each infection takes one virus.
  out[4] =
    (1 - pi) * INFECTED.viruses * INFECTED.death * infected - VIRUS.clearance * virus - newCells - newMacrophages;
  const birth = (EFFECTORS.birth * infected) / (infected + EFFECTORS.halfBirth);
  const death = (EFFECTORS.death * infected) / (infected + EFFECTORS.halfDeath);
  out[5] = EFFECTORS.supply + (birth - death - EFFECTORS.decay) * effectors;
}

/**
 * Takes a patient through some days, by the classical method of Runge and Kutta. Rates differ by orders of magnitude and macrophages
 * change the faster the more virus there is, so that a step is a part of the shortest of their times, which keeps it stable.
 */
export function treat(y: Float64Array, rti: number, pi: number, days: number, resolution = RESOLUTION): void {
  const slopes = [0, 1, 2, 3].map(() => new Float64Array(y.length));
  const at = new Float64Array(y.length);
  for (let left = days; left > 0;) {
    const fastest =
      VIRUS.clearance +
      CELLS.infection * y[0] +
      MACROPHAGES.infection * (y[1] + y[4]) +
      INFECTED.death +
      INFECTED.killing * y[5];
    const h = Math.min(left, resolution / fastest);
    patientChange(y, rti, pi, slopes[0]);
    for (let stage = 1; stage < 4; stage++) {
      const ahead = stage === 3 ? h : h / 2;
      for (let i = 0; i < y.length; i++) at[i] = y[i] + ahead * slopes[stage - 1][i];
      patientChange(at, rti, pi, slopes[stage]);
    }
    for (let i = 0; i < y.length; i++) {
      y[i] += (h / 6) * (slopes[0][i] + 2 * slopes[1][i] + 2 * slopes[2][i] + slopes[3][i]);
    }
    left -= h;
  }
}

/** What is observed of a number for a millilitre: its logarithm, about the size of one. */
function seen(count: number): number {
  return (Math.log10(Math.max(1e-5, count)) - 3) / 2;
}

/** How high a bar of it is in a picture. */
function heightOf(observed: number): number {
  return Math.max(0, 2 * observed + 4);
}

export const hivTreatment = defineEnv({
  id: 'hiv-treatment',
  summary: 'The treatment of HIV with two drugs: a strong immune response, little virus, few drugs.',
  family: 'psl-morl',
  source: 'Adams et al., Mathematical Biosciences and Engineering 2004, and Ernst et al., CDC 2006',
  objectives: [
    { name: 'Immune effectors', unit: 'cells/ml' },
    { name: 'Virus', unit: '1000 copies/ml' },
    // The squares of the doses, as they are published.
    { name: 'RTI cost', unit: '%' },
    { name: 'PI cost', unit: '%' },
  ],
  actionSpace: cube(STRONGEST.length, -1, 1),
  horizon: STEPS,
  discount: 0.98,
  // No effectors, about as much virus as without treatment, and both drugs at their strongest all the time.
  referencePoint: [0, -65, -100, -100],
  settings: [
    // An immune response grows by a few per cent in a day, where it is found at all: actions of the policy itself soon find it, and
    // returns of several steps tell of it sooner (docs/benchmarks.md).
    {
      presets: ['quick'],
      algorithms: ['psl-td3', 'pd-td3'],
      settings: { startSteps: 200, nStep: 5, finalLearningRate: 0.1 },
    },
  ],
  view: {
    kind: 'scene',
    width: 7,
    height: 7.5,
    // Bars of logarithms: CD4 cells and macrophages, infected ones, viruses, effectors; lines where the immune response would hold them.
    draw: (observation) => [
      ...observation.map((value, i) =>
        rectangle((['actor', 'actor', 'ground', 'ground', 1, 0] as const)[i], [i + 0.6, 0], 0.8, heightOf(value)),
      ),
      ...CONTROLLED.map((count, i) => {
        const y = heightOf(seen(count));
        return line('mark', [
          [i + 0.5, y],
          [i + 1.5, y],
        ]);
      }),
    ],
  },
  make() {
    const patient = new Float64Array(UNTREATED.length);
    return {
      observationSpace: cube(patient.length, -4, Infinity),
      start: () => patient.set(UNTREATED),

      advance(action, reward) {
        const doses = STRONGEST.map((_, k) => (Math.max(-1, Math.min(1, action[k])) + 1) / 2);
        const [rti, pi] = STRONGEST.map((strongest, k) => strongest * doses[k]);
        treat(patient, rti, pi, STEP);
        const [virus, effectors] = [patient[4], patient[5]];
        // Of about the same size without an immune response, so that none is nothing beside the others before there is one.
        reward.set([effectors, -virus / 1000, -100 * doses[0] ** 2, -100 * doses[1] ** 2]);
        for (let k = 0; k < reward.length; k++) reward[k] /= STEPS;
        return false;
      },

      observe: (out) => out.set(Array.from(patient, seen)),
      info: () => ({ patient: [...patient] }),
      save: () => ({ patient: patient.slice() }),
      load(state) {
        const { patient: saved } = (state ?? {}) as Record<string, unknown>;
        const isPatient = saved instanceof Float64Array && saved.length === patient.length;
        if (!isPatient || !saved.every((count) => count >= 0 && count < Infinity)) {
          throw new RangeError(`state.world.patient must be a Float64Array of ${patient.length} counts.`);
        }
        patient.set(saved);
      },
    };
  },
});
