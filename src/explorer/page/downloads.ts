/** What a person can take away from the page. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { frontCsv } from '../../fronts/front-csv.js';
import { plainPolicy, policyAsJson, policyAsOnnx, type PlainPolicy } from '../../model/index.js';
import { frontPlot } from '../../plots/index.js';
import { fetchModel } from '../../model/fetch-model.js';
import { fetchFile } from './held-files.js';
import type { Preference } from './messages.js';
import type { RunData } from './run-data.js';
import { robotPicture } from './sharing.js';
import { run, say } from './state.js';
import { frontThen, isPlayable, pastSteps, played } from './time.js';

export interface Download {
  /** Whether the run that is shown has it. */
  readonly isThere: ReadonlySignal<boolean>;
  /**
   * By the time that it is saved another run and another preference may be shown.
   * @param of the run that is shown when it is asked for
   * @param preference the one that is shown then
   */
  readonly begin: (of: RunData, preference: Preference) => void | Promise<void>;
}

/** Whether the run that is shown has been evaluated. */
export const isEvaluated = computed(() => run.value?.kept !== undefined);

export const DOWNLOADS: Readonly<Record<string, Download>> = {
  'Policy at this preference (ONNX)': {
    isThere: isPlayable,
    begin: async (of, preference) => {
      const policy = await policyOf(of, preference);
      save(of, 'policy.onnx', policyAsOnnx(policy), 'application/octet-stream');
    },
  },
  'Policy at this preference (JSON)': {
    isThere: isPlayable,
    begin: async (of, preference) => {
      const policy = await policyOf(of, preference);
      save(of, 'policy.json', JSON.stringify(policyAsJson(policy)), 'application/json');
    },
  },
  'Picture of the robot (PNG)': {
    isThere: isPlayable,
    begin: async (of) => {
      if (of.env.view?.kind !== 'robot') throw new Error('there is no robot in this run.');
      save(of, 'picture.png', await robotPicture());
    },
  },
  'Front (CSV)': { isThere: isEvaluated, begin: (of) => save(of, 'front.csv', csvOf(of), 'text/csv') },
  'Front (SVG)': { isThere: isEvaluated, begin: (of) => save(of, 'front.svg', svgOf(of), 'image/svg+xml') },
  'Front (PNG)': {
    isThere: isEvaluated,
    begin: async (of) => save(of, 'front.png', await pngOf(svgOf(of)), 'image/png'),
  },
};

async function policyOf(of: RunData, preference: Preference): Promise<PlainPolicy> {
  const [{ url }] = played(of);
  const policy = plainPolicy(await fetchModel(url, fetchFile));
  policy.prefer(preference);
  return policy;
}

/** As psl front writes it. */
function csvOf({ env, referencePoint }: RunData): string {
  const names = env.objectives.map(({ name }) => name);
  return frontCsv(names, frontThen.value, referencePoint);
}

/** The picture that psl front draws. */
function svgOf({ env, algorithm, name, returnDiscount }: RunData): string {
  const { preferences, returns } = frontThen.value;
  return frontPlot({
    title: `${env.id}: Pareto front of ${algorithm}`,
    subtitle: pastSteps.value === undefined ? name : `${name}, after ${pastSteps.value.toLocaleString('en')} steps`,
    objectives: env.objectives.map(({ name: objective, unit }) =>
      unit === undefined ? objective : `${objective} (${unit})`,
    ),
    points: returns,
    preferences,
    trueFront: env.knownFront?.(returnDiscount),
  });
}

async function pngOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    // Sharp also on screens with small pixels.
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be drawn.')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param of the run that it belongs to, by which it is named */
export function save({ id }: Pick<RunData, 'id'>, name: string, content: string | Uint8Array | Blob, type = ''): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  saveAs(`${id}-${name}`, blob);
}

/** Begins a download, and says so where it fails. */
export async function download(begin: () => void | Promise<void>): Promise<void> {
  try {
    await begin();
  } catch (error) {
    say(`The download failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function saveAs(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
