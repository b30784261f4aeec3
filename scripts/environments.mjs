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
/** From where robots are seen: turned about the vertical, then from above, in radians. */
const CAMERA = { turn: 0.5, above: 0.35 };
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
[fidelity.md](fidelity.md), and how well the presets learn them in [benchmarks.md](benchmarks.md). One of your own is a file:
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
  if (view?.kind === 'tree') return svg(2, 1, treeShapes(view.leaves), 1);
  if (view === undefined) return undefined;
  await prepareEnv(id);
  const env = makeEnv(id);
  if (view.kind === 'robot') return robotPicture(/** @type {import('../src/envs/index.js').RobotEnvironment} */ (env));
  let { observation } = env.reset({ seed: 1 });
  if (view.kind === 'sea') {
    const place = /** @type {{ row: number, column: number }} */ (env.saveState().world);
    return svg(view.map[0].length, view.map.length, seaShapes(view.map, place));
  }
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
 * The sea bed, the treasures, which are the larger the more they are worth, and the submarine where it begins.
 * @param {readonly (readonly number[])[]} map
 * @param {{ row: number, column: number }} place
 * @returns {SceneShape[]}
 */
function seaShapes(map, place) {
  const most = Math.max(...map.flat());
  /** @type {SceneShape[]} */
  const shapes = [];
  /** @type {(row: number, column: number) => [number, number]} */
  const centreOf = (row, column) => [column + 0.5, map.length - 0.5 - row];
  map.forEach((cells, row) => {
    cells.forEach((value, column) => {
      const [x, y] = centreOf(row, column);
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
  return [...shapes, { kind: 'circle', centre: centreOf(place.row, place.column), radius: 0.35, paint: 'actor' }];
}

/**
 * Every way through the tree, with leaves in the colour of what they have most of beside the other leaves.
 * @param {readonly (readonly number[])[]} leaves
 * @returns {SceneShape[]}
 */
function treeShapes(leaves) {
  const depth = Math.log2(leaves.length);
  /** @type {(level: number, node: number) => [number, number]} */
  const place = (level, node) => [(2 * (node + 0.5)) / 2 ** level, 0.95 - (0.85 * level) / depth];
  const most = leaves[0].map((_, k) => Math.max(...leaves.map((leaf) => leaf[k])));
  /** @type {SceneShape[]} */
  const branches = [];
  for (let level = 1; level <= depth; level++) {
    for (let node = 0; node < 2 ** level; node++) {
      branches.push({ kind: 'line', points: [place(level - 1, node >> 1), place(level, node)], paint: 'ground' });
    }
  }
  const radius = Math.min(0.025, 0.8 / leaves.length);
  /** @type {SceneShape[]} */
  const ends = leaves.map((leaf, i) => {
    const shares = leaf.map((amount, k) => amount / most[k]);
    const paint = shares.indexOf(Math.max(...shares));
    return { kind: 'circle', centre: place(depth, i), radius, paint };
  });
  return [...branches, ...ends];
}

/**
 * A robot that has just begun to move, from the side and a little from above; what is nearer lies above.
 * @param {import('../src/envs/index.js').RobotEnvironment} env
 */
function robotPicture(env) {
  env.reset({ seed: 1 });
  const { high } = /** @type {Extract<EnvInfo['actionSpace'], { kind: 'continuous' }>} */ (env.actionSpace);
  // Every other joint the other way, so that limbs are bent.
  for (let step = 0; step < STEPS; step++) env.step(high.map((most, joint) => (joint % 2 === 0 ? 0.4 : -0.4) * most));
  const { positions, rotations } = env.robot.picture();
  const [sinTurn, cosTurn, sinAbove, cosAbove] = [
    Math.sin(CAMERA.turn),
    Math.cos(CAMERA.turn),
    Math.sin(CAMERA.above),
    Math.cos(CAMERA.above),
  ];
  /** @param {readonly number[]} point */
  const seen = ([x, y, z]) => {
    const away = sinTurn * x + cosTurn * y;
    return { x: cosTurn * x - sinTurn * y, y: cosAbove * z + sinAbove * away, away: cosAbove * away - sinAbove * z };
  };
  const parts = env.robot.geoms
    .map(({ kind, radius, halfLength }, i) => {
      const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
      const ends = [-1, 1].map((side) => {
        const along = kind === 'capsule' ? side * halfLength : 0;
        return seen([
          x + along * rotations[9 * i + 2],
          y + along * rotations[9 * i + 5],
          z + along * rotations[9 * i + 8],
        ]);
      });
      return { kind, radius, ends, away: (ends[0].away + ends[1].away) / 2 };
    })
    .filter(({ kind }) => kind !== 'plane')
    .sort((a, b) => b.away - a.away);
  env.close();
  const edge = (/** @type {'x' | 'y'} */ axis, /** @type {1 | -1} */ side) =>
    Math.max(...parts.flatMap(({ ends, radius }) => ends.map((end) => side * end[axis] + radius))) * side;
  const [left, right, below, above] = [edge('x', -1), edge('x', 1), edge('y', -1), edge('y', 1)];
  const margin = 0.1 * Math.max(right - left, above - below);
  // A picture of a robot that lies is at least a third as high as it is wide, one of a robot that stands at most as high as wide.
  const height = Math.max(above - below, (right - left) / 3) + 2 * margin;
  const width = Math.max(right - left + 2 * margin, height);
  const [fromX, fromY] = [(left + right - width) / 2, (below + above - height) / 2];
  /** @param {number} metres */
  const pixels = (metres) => pixelsOf(metres, width);
  const drawn = parts.flatMap(({ ends, radius }) => {
    const [x1, y1, x2, y2] = ends.flatMap(({ x, y }) => [pixels(x - fromX), pixels(height - (y - fromY))]);
    /** @type {(thick: number, colour: string) => string} */
    const capsule = (thick, colour) =>
      `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}" stroke-width="${pixels(thick)}" stroke-linecap="round"/>`;
    // The rim in white, so that limbs of one colour can be told apart.
    return [capsule(2 * radius * 1.12, '#fff'), capsule(2 * radius, COLOURS.actor)];
  });
  return page(width, height, drawn);
}

/**
 * A length in a picture of something this wide.
 * @param {number} length
 * @param {number} width
 */
function pixelsOf(length, width) {
  return Number(((WIDTH / width) * length).toFixed(1));
}

/**
 * @param {number} width
 * @param {number} height
 * @param {readonly SceneShape[]} shapes
 * @param {number} [stroke] of lines, in pixels
 */
function svg(width, height, shapes, stroke = 3) {
  /** @param {number} length */
  const pixels = (length) => pixelsOf(length, width);
  /** @param {readonly [number, number]} point */
  const at = ([x, y]) => [pixels(x), pixels(height - y)];
  const drawn = shapes.map((shape) => {
    const colour = colourOf(shape.paint);
    if (shape.kind === 'circle') {
      const [x, y] = at(shape.centre);
      return `<circle cx="${x}" cy="${y}" r="${pixels(shape.radius)}" fill="${colour}"/>`;
    }
    const points = shape.points.map((point) => at(point).join()).join(' ');
    if (shape.kind === 'line')
      return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="${stroke}"/>`;
    return `<polygon points="${points}" fill="${colour}"/>`;
  });
  return page(width, height, drawn);
}

/**
 * @param {number} width
 * @param {number} height
 * @param {readonly string[]} drawn
 */
function page(width, height, drawn) {
  const size = `width="${WIDTH}" height="${pixelsOf(height, width)}"`;
  const ground = `<rect ${size} fill="#fff" stroke="#dbe1e9"/>`;
  return [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, ground, ...drawn, '</svg>', ''].join('\n');
}

/** @param {ScenePaint} paint */
function colourOf(paint) {
  return typeof paint === 'number' ? OBJECTIVES[paint % OBJECTIVES.length] : COLOURS[paint];
}
