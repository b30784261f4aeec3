/**
 * The worker in which the page trains: the loop, the settings and the files of a run are those of Node. Computes on WebGPU
 * where there is a graphics card, and otherwise with onnxruntime as WebAssembly.
 */
import { snapshotFiles } from '../../runs/file-contents.js';
import { trainInMemory } from '../../runs/train-in-memory.js';
import { openDevice, resolveDevice } from '../../tensor/index.js';
import { useOnnxruntimeWeb } from '../../tensor/onnx/open-in-browser.js';
import { modelOf, planTraining, stepsTaken } from '../../training/index.js';
import type { FromTrainer, ToTrainer, TrainRequest } from './messages.js';

/** What is used of a worker's global scope; it is checked without the declarations of browsers, like all that trains. */
const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: ToTrainer }) => void;
  postMessage(message: FromTrainer): void;
  readonly navigator: { readonly userAgent: string };
  readonly location: { readonly href: string };
};

/** How often the page is told of progress, in milliseconds. */
const TELL_MS = 100;

useOnnxruntimeWeb(async () => (await import('./onnxruntime.js')).loadOnnxruntime(scope.location.href));

let isStopping = false;

scope.onmessage = ({ data }) => {
  if (data.kind === 'stop') isStopping = true;
  else void run(data.request);
};

async function run(request: TrainRequest): Promise<void> {
  try {
    await train(request);
  } catch (error) {
    scope.postMessage({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

async function train(request: TrainRequest): Promise<void> {
  const device = await resolveDevice(request.device);
  const { description } = await openDevice(device);
  const plan = planTraining({ ...request, device });
  let envSteps = 0;
  let told = -Infinity;
  let best = -Infinity;
  const tell = (evaluated: number | undefined) => {
    if (performance.now() - told < TELL_MS) return;
    told = performance.now();
    scope.postMessage({ kind: 'progress', envSteps, evaluated });
  };
  const { stopped, envSteps: taken } = await trainInMemory(plan, {
    versions: { browser: scope.navigator.userAgent },
    put: (name, content) => scope.postMessage({ kind: 'file', name, content }),
    events: {
      started: () => scope.postMessage({ kind: 'begun', device: description, steps: stepsTaken(plan) }),
      shouldStop: () => isStopping,
      progress: (progress) => {
        envSteps = progress.envSteps;
        tell(undefined);
      },
      evaluating: tell,
      evaluated: () => scope.postMessage({ kind: 'evaluated' }),
      measured: async (evaluated, learner) => {
        // The run would not keep it, and what is played is what it keeps.
        if (plan.config.keep === 'best' && evaluated.score.hypervolume < best) return;
        best = evaluated.score.hypervolume;
        const files = snapshotFiles(await modelOf(plan, learner, evaluated.replica));
        scope.postMessage({ kind: 'snapshot', envSteps: evaluated.envSteps, files });
      },
    },
  });
  scope.postMessage({ kind: 'done', stopped, envSteps: taken });
}
