/**
 * Small pages for links to exported runs: what chats and social networks show of a link comes from the page that it leads to, without
 * its script, and that of the explorer is the same for all runs. Each leads on to its run.
 */
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { frontOf } from '../../fronts/index.js';
import { envInfo } from '../../envs/index.js';
import { hypervolume } from '../../pareto/index.js';
import { escapeXml } from '../../plots/index.js';
import { svgToJpeg } from '../../plots/png.js';
import { extent, formatNumber } from '../../plots/scale.js';
import { frontPicture, openRun, readReturns, RunError } from '../../runs/index.js';
import type { ServedRun } from './runs.js';

/** Where they are, below the page. */
const FOLDER = 'share';

/** What is known of a run that is shared. */
export interface Preview {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The name of its picture, beside the page. */
  readonly image: string;
}

/**
 * Writes a page for each run that is finished, with a picture of its front: as JPEG, which all who show links take, or as SVG where the
 * package that draws it is not installed.
 * @param out where the explorer was exported to
 */
export async function exportPreviews(runs: readonly ServedRun[], out: string): Promise<void> {
  const folder = join(out, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const run of runs) {
    const front = frontIn(run);
    if (front === undefined) continue;
    const { picture, ...words } = front;
    const jpeg = await svgToJpeg(picture, 1).catch(() => undefined);
    const image = `${run.id}.${jpeg === undefined ? 'svg' : 'jpg'}`;
    writeFileSync(join(folder, image), jpeg ?? picture);
    writeFileSync(join(folder, `${run.id}.html`), previewPage({ id: run.id, ...words, image }));
  }
}

/** Undefined where a run has not come to an end, or its environment is not known here. */
function frontIn({
  folder,
  name,
}: ServedRun): (Pick<Preview, 'title' | 'description'> & { picture: string }) | undefined {
  try {
    const run = openRun(folder);
    const { env, algorithm } = run.plan;
    const evaluated = readReturns(run);
    const front = frontOf(evaluated).returns;
    const ranges = envInfo(env).objectives.map(({ name: objective }, k) => {
      const [low, high] = extent(front.map((point) => point[k]))!;
      return `${objective} ${formatNumber(low)} to ${formatNumber(high)}`;
    });
    return {
      title: `${name} · ${env} · Pareto set explorer`,
      description: `One model, every preference: ${algorithm.name} on ${env}. ${ranges.join(', ')}.`,
      picture: frontPicture(run.plan, {
        ...evaluated,
        hypervolume: hypervolume(front, run.protocol.referencePoint),
      }),
    };
  } catch (error) {
    if (error instanceof RunError || error instanceof RangeError) return undefined;
    throw error;
  }
}

export function previewPage({ id, title, description, image }: Preview): string {
  const here = `../index.html#run=${encodeURIComponent(id)}`;
  const [heading, text] = [escapeXml(title), escapeXml(description)];
  const picture = encodeURIComponent(image);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${heading}</title>
    <meta name="description" content="${text}" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${heading}" />
    <meta property="og:description" content="${text}" />
    <meta property="og:image" content="${picture}" />
    <meta name="twitter:card" content="summary_large_image" />
    <meta http-equiv="refresh" content="0; url=${here}" />
  </head>
  <body>
    <h1>${heading}</h1>
    <p>${text}</p>
    <p><a href="${here}">Explore it</a></p>
    <img src="${picture}" alt="The front of this run" />
  </body>
</html>
`;
}
