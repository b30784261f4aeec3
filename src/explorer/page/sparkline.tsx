/** Small lines that change many times a second. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSize } from './charts.js';

interface SparklineProps {
  /** The second one is dashed. */
  readonly lines: readonly (readonly number[])[];
  readonly colour: string;
  /** How many values there is room for. */
  readonly length: number;
}

const HEIGHT = 30;
/** Grey enough on dark and on light ground. */
const ZERO_LINE = 'rgb(128 140 160 / 35%)';

/**
 * A canvas that the processor draws to, small as it is: as a part of the document each change would have a large part of
 * the page painted again, which takes most of the time where there is no graphics card.
 */
export function Sparkline({ lines, colour, length }: SparklineProps) {
  const { ref, width } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const ratio = devicePixelRatio;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d', { willReadFrequently: true });
    if (context === undefined || context === null) return;
    const all = lines.flat();
    const [low, high] = [Math.min(0, ...all), Math.max(1e-6, ...all)];
    const y = (value: number) => HEIGHT - 1.5 - ((HEIGHT - 3) * (value - low)) / (high - low);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    context.lineWidth = 1;
    context.strokeStyle = ZERO_LINE;
    stroke(context, [0, width], [y(0), y(0)]);
    context.lineWidth = 1.6;
    context.lineJoin = 'round';
    context.strokeStyle = colour;
    lines.forEach((values, i) => {
      context.setLineDash(i === 1 ? [3, 2] : []);
      const across = values.map((_, i) => (width * i) / length);
      stroke(context, across, values.map(y));
    });
    context.setLineDash([]);
  });
  return (
    <div class="sparkline" ref={ref} aria-hidden="true">
      <canvas ref={canvas} width={Math.round(width * ratio)} height={HEIGHT * ratio} />
    </div>
  );
}

function stroke(context: CanvasRenderingContext2D, x: readonly number[], y: readonly number[]): void {
  context.beginPath();
  x.forEach((across, i) => context.lineTo(across, y[i]));
  context.stroke();
}
