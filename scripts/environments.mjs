// The list of environments in the documentation, with pictures of those that say what they look like.

/**
 * @typedef {import('../src/envs/index.js').EnvInfo} EnvInfo
 * @typedef {import('../src/envs/index.js').SceneShape} SceneShape
 * @typedef {import('../src/envs/index.js').ScenePaint} ScenePaint
 */

/** Steps before the picture, so that not all of them show the start. */
const STEPS = 12;
/** Of a picture, in pixels; it is as high as the scene asks for. */
const WIDTH = 240;
const COLOURS = { actor: '#c2410c', ground: '#c9b596', mark: '#e6b422' };
/** Of objectives; those of the explorer. */
const OBJECTIVES = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#0072b2', '#d55e00'];

/**
 * The page and its pictures, as files.
 * @param {typeof import('../src/envs/index.js')} envs
 * @returns {Promise<[path: string, content: string][]>}
 */
export async function environmentPages(envs) {
  const all = envs.envIds().map(envs.envInfo);
  /** @type {[path: string, content: string][]} */
  const pictures = [];
  for (const info of all) {
    const picture = await pictureOf(envs, info);
    if (picture !== undefined) pictures.push([imageOf(info), picture]);
  }
  const families = [...new Set(all.map(({ family }) => family))];
  const sections = families.map((family) => {
    const members = all.filter((info) => info.family === family);
    return [
      `## ${family}`,
      '',
      '| | Environment | Objectives | Actions | Steps | Front | Source |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...members.map((info) => rowOf(info, pictures)),
    ].join('\n');
  });
  const text = `<!-- Written by npm run docs from the environments themselves; npm run docs:check compares. -->

# Environments

\`psl envs\` has more about each, and chooses by \`--objectives\`, \`--actions\` and \`--family\`; where one differs from its publication is in
[fidelity.md](fidelity.md), and how well the presets learn some of them in [benchmarks.md](benchmarks.md). One of your own is a file:
[adding.md](adding.md).

${sections.join('\n\n')}
`;
  return [['docs/environments.md', text], ...pictures];
}

/** @param {EnvInfo} info */
function imageOf({ id }) {
  return `docs/images/environments/${id}.svg`;
}

/**
 * @param {EnvInfo} info
 * @param {readonly [string, string][]} pictures
 */
function rowOf(info, pictures) {
  const { id, summary, objectives, actionSpace, horizon, knownFront, source = '' } = info;
  const isDrawn = pictures.some(([path]) => path === imageOf(info));
  const picture = isDrawn ? `![${id}](${imageOf(info).replace('docs/', '')})` : '';
  const actions = actionSpace.kind === 'discrete' ? `${actionSpace.n}` : `${actionSpace.low.length} continuous`;
  const names = objectives.map(({ name }) => name).join(', ');
  const front = knownFront === undefined ? '' : 'known';
  return `| ${picture} | \`${id}\`<br>${summary} | ${names} | ${actions} | ${horizon} | ${front} | ${source} |`;
}

/**
 * An environment after some steps, or undefined where it does not say what it looks like.
 * @param {typeof import('../src/envs/index.js')} envs
 * @param {EnvInfo} info
 */
async function pictureOf({ makeEnv, prepareEnv }, { id, view, actionSpace }) {
  if (view?.kind === 'sea') return svg(view.map[0].length, view.map.length, seaShapes(view.map));
  if (view?.kind !== 'scene') return undefined;
  await prepareEnv(id);
  const env = makeEnv(id);
  let { observation } = env.reset({ seed: 1 });
  for (let step = 0; step < STEPS; step++) {
    const action = actionSpace.kind === 'discrete' ? (step >> 1) % actionSpace.n : actionSpace.high;
    const next = env.step(action);
    if (next.terminated || next.truncated) break;
    observation = next.observation;
  }
  env.close();
  return svg(view.width, view.height, view.draw([...observation]));
}

/**
 * The sea bed and the treasures, which are the larger the more they are worth.
 * @param {readonly (readonly number[])[]} map
 * @returns {SceneShape[]}
 */
function seaShapes(map) {
  const most = Math.max(...map.flat());
  /** @type {SceneShape[]} */
  const shapes = [];
  map.forEach((cells, row) => {
    cells.forEach((value, column) => {
      const [x, y] = [column + 0.5, map.length - 0.5 - row];
      /** @type {[number, number][]} */
      const corners = [
        [x - 0.5, y - 0.5],
        [x + 0.5, y - 0.5],
        [x + 0.5, y + 0.5],
        [x - 0.5, y + 0.5],
      ];
      if (value < 0) shapes.push({ kind: 'polygon', points: corners, paint: 'ground' });
      if (value > 0)
        shapes.push({ kind: 'circle', centre: [x, y], radius: 0.2 + (0.25 * value) / most, paint: 'mark' });
    });
  });
  return shapes;
}

/**
 * @param {number} width
 * @param {number} height
 * @param {readonly SceneShape[]} shapes
 */
function svg(width, height, shapes) {
  const scale = WIDTH / width;
  /** @param {number} value */
  const pixels = (value) => Number((scale * value).toFixed(1));
  /** @param {readonly [number, number]} point */
  const at = ([x, y]) => [pixels(x), pixels(height - y)];
  const drawn = shapes.map((shape) => {
    const colour = colourOf(shape.paint);
    if (shape.kind === 'circle') {
      const [x, y] = at(shape.centre);
      return `<circle cx="${x}" cy="${y}" r="${pixels(shape.radius)}" fill="${colour}"/>`;
    }
    const points = shape.points.map((point) => at(point).join()).join(' ');
    if (shape.kind === 'line') return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="3"/>`;
    return `<polygon points="${points}" fill="${colour}"/>`;
  });
  const size = `width="${WIDTH}" height="${pixels(height)}"`;
  const ground = `<rect ${size} fill="#fff" stroke="#dbe1e9"/>`;
  return [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, ground, ...drawn, '</svg>', ''].join('\n');
}

/** @param {ScenePaint} paint */
function colourOf(paint) {
  return typeof paint === 'number' ? OBJECTIVES[paint % OBJECTIVES.length] : COLOURS[paint];
}
