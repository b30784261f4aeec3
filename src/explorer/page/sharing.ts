/** Pictures and videos of robots to be taken away, with what the page writes beside them. */
import { robotView } from './early.js';
import { fanCaption, isNamed, returnsOf, weightsOf } from './fan-labels.js';
import { paneColour } from './panes.js';
import type { RobotView } from './robot-view.js';
import { frames, isFan, preferences, run, theme } from './state.js';

const INK = {
  light: { text: '#18202b', muted: '#5b6675', card: '#ffffff', line: '#dbe1e9' },
  dark: { text: '#e8edf5', muted: '#97a3b5', card: '#131822', line: '#273142' },
} as const;
const FONT = 'Inter, system-ui, sans-serif';
/** Sharp also on screens with small pixels. */
const PICTURE_SCALE = 2;

export async function robotPicture(): Promise<Blob> {
  const view = await robotView();
  const canvas = canvasFor(view, PICTURE_SCALE);
  view.drawSharply(PICTURE_SCALE, () => paint(canvas, view, PICTURE_SCALE));
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be drawn.')) : resolve(blob)));
  });
}

const VIDEO_TYPES = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
const VIDEO_FPS = 30;
const VIDEO_BITS_PER_SECOND = 8e6;

export interface Recording {
  /** Ends it. */
  stop(): Promise<{ readonly video: Blob; readonly extension: 'mp4' | 'webm' }>;
}

/** Records what robots do from now on. */
export async function record(): Promise<Recording> {
  const canRecord = 'MediaRecorder' in globalThis;
  const mimeType = canRecord ? VIDEO_TYPES.find((type) => MediaRecorder.isTypeSupported(type)) : undefined;
  if (mimeType === undefined) throw new Error('this browser cannot record videos');
  const view = await robotView();
  const canvas = canvasFor(view, 1);
  const stream = canvas.captureStream(VIDEO_FPS);
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: VIDEO_BITS_PER_SECOND });
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
  view.afterDrawing = () => paint(canvas, view, 1);
  recorder.start();
  return {
    stop: async () => {
      view.afterDrawing = undefined;
      recorder.stop();
      await ended;
      for (const track of stream.getTracks()) track.stop();
      const type = mimeType.split(';', 1)[0];
      return { video: new Blob(pieces, { type }), extension: type === 'video/mp4' ? 'mp4' : 'webm' };
    },
  };
}

function canvasFor({ canvas: { clientWidth, clientHeight } }: RobotView, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  // Codecs want even numbers.
  canvas.width = 2 * Math.round((scale * clientWidth) / 2);
  canvas.height = 2 * Math.round((scale * clientHeight) / 2);
  return canvas;
}

/** Copies what has been drawn just now, and writes on it. */
function paint(canvas: HTMLCanvasElement, view: RobotView, scale: number): void {
  const context = canvas.getContext('2d')!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(view.canvas, 0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  const [width, height] = [canvas.width / scale, canvas.height / scale];
  if (isFan.value) {
    // From the back to the front, which leaves the numbers of those in the back in sight.
    [...view.labels.entries()]
      .reverse()
      .forEach(([pane, [right, down]]) => paintLabel(context, pane, width * right, height * down, 'above'));
  } else {
    const each = width / preferences.value.length;
    preferences.value.forEach((_, pane) => paintLabel(context, pane, pane * each + 12, 12, 'below'));
  }
  paintTitle(context, height);
}

/** What a policy is asked for, and what it earned so far. */
function paintLabel(
  context: CanvasRenderingContext2D,
  pane: number,
  x: number,
  y: number,
  side: 'above' | 'below',
): void {
  if (frames.value.at(pane) === undefined) return;
  const { text, muted, card, line } = INK[theme.value];
  const isWithNames = !isFan.value || isNamed(pane);
  const returns = returnsOf(pane).map(({ name, value }) => ({ name: isWithNames ? name : '', value }));
  const title = weightsOf(pane);
  context.font = `700 12px ${FONT}`;
  const widths = [context.measureText(title).width];
  context.font = `400 12px ${FONT}`;
  for (const { name, value } of returns) widths.push(context.measureText(`${name}  ${value}`.trim()).width);
  const [width, height] = [Math.max(...widths) + 20, 16 * (1 + returns.length) + 8];
  const room = context.canvas.width / context.getTransform().a;
  const within = Math.max(4, Math.min(x - 0.75 * width, room - width - 4));
  const [left, top] = side === 'above' ? [within, y - height] : [x, y];
  context.fillStyle = card;
  context.strokeStyle = line;
  context.beginPath();
  context.roundRect(left, top, width, height, 6);
  context.fill();
  context.stroke();
  context.fillStyle = paneColour(pane);
  context.fillRect(left, top + 4, 4, height - 8);
  context.fillStyle = text;
  context.font = `700 12px ${FONT}`;
  context.fillText(title, left + 12, top + 16);
  context.font = `400 12px ${FONT}`;
  returns.forEach(({ name, value }, k) => {
    const baseline = top + 16 * (k + 2);
    context.fillStyle = muted;
    context.fillText(name, left + 12, baseline);
    context.fillStyle = text;
    context.textAlign = 'right';
    context.fillText(value, left + width - 8, baseline);
    context.textAlign = 'left';
  });
}

/** In the lower left corner: what this is. */
function paintTitle(context: CanvasRenderingContext2D, height: number): void {
  const { text, muted } = INK[theme.value];
  if (run.value === undefined) return;
  const { env, algorithm } = run.value;
  context.fillStyle = text;
  context.font = `600 14px ${FONT}`;
  context.fillText(`${env.id}, ${algorithm}`, 16, height - 34);
  context.fillStyle = muted;
  context.font = `400 12px ${FONT}`;
  context.fillText(fanCaption(), 16, height - 16);
}
