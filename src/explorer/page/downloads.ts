/** What a person can take away from the page. */
import { frontCsv } from '../../fronts/front-csv.js';
import { plainPolicy, policyAsJson, policyAsOnnx, type PlainPolicy } from '../../model/index.js';
import { frontPlot } from '../../plots/index.js';
import { fetchModel } from '../../model/fetch-model.js';
import { fetchFile } from './held-files.js';
import { robotPicture } from './sharing.js';
import { activePane, preferences, run, say } from './state.js';
import { frontThen, pastSteps, played } from './time.js';

export const DOWNLOADS: Readonly<Record<string, () => void | Promise<void>>> = {
  'Policy at this preference (ONNX)': async () => {
    const policy = await currentPolicy();
    save('policy.onnx', policyAsOnnx(policy), 'application/octet-stream');
  },
  'Policy at this preference (JSON)': async () => {
    const policy = await currentPolicy();
    save('policy.json', JSON.stringify(policyAsJson(policy)), 'application/json');
  },
  'Picture of the robot (PNG)': async () => {
    if (run.value?.env.view?.kind !== 'robot') throw new Error('there is no robot in this run.');
    save('picture.png', await robotPicture());
  },
  'Front (CSV)': () => save('front.csv', csvOf(), 'text/csv'),
  'Front (SVG)': () => save('front.svg', svgOf(), 'image/svg+xml'),
  'Front (PNG)': async () => save('front.png', await pngOf(svgOf()), 'image/png'),
};

async function currentPolicy(): Promise<PlainPolicy> {
  const [{ url }] = played(run.value!);
  const policy = plainPolicy(await fetchModel(url, fetchFile));
  policy.prefer(preferences.value[activePane.value]);
  return policy;
}

/** As psl front writes it. */
function csvOf(): string {
  const { env, referencePoint } = run.value!;
  const names = env.objectives.map(({ name }) => name);
  return frontCsv(names, frontThen.value, referencePoint);
}

/** The picture that psl front draws. */
function svgOf(): string {
  const { env, algorithm, name, returnDiscount } = run.value!;
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

export function save(name: string, content: string | Uint8Array | Blob, type = ''): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  saveAs(`${run.value!.id}-${name}`, blob);
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
