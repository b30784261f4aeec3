/** An evaluation that people watch, and can end with Ctrl-C. */
import { EvaluationLine } from './progress.js';
import type { Output } from './terminal.js';

class Interrupted extends Error {}

/** What an evaluation finds while people watch; undefined where they do not wait for it. */
export async function watched<T>(
  output: Output,
  evaluate: (watch: (share: number) => void) => Promise<T>,
): Promise<T | undefined> {
  const line = new EvaluationLine(output.human);
  let isAsked = false;
  const ignoreInterrupts = output.onInterrupt(() => {
    isAsked = true;
  });
  try {
    return await evaluate((share) => {
      if (isAsked) throw new Interrupted();
      line.evaluating(share);
    });
  } catch (error) {
    if (error instanceof Interrupted) return undefined;
    throw error;
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}
