/** Ground in lanes, each of which moves by itself, and has a tinge of a colour. */
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, Vector2 } from 'three';
import { PERIOD, SIZE, VANISHING, type Patterns } from './robot-floor.js';
import { THEMES, type ThemeName } from './robot-light.js';

/** How much of its colour a lane has, and the line at its far side. */
const TINGE = { light: 0.2, dark: 0.16 } as const;
const LINE_TINGE = 0.35;
/** Metres. */
const LINE = 0.08;
/** Metres on each side; the outermost lanes go on to both. */
const GROUND = 2 * SIZE;

/** As that of the plain floor, whose light is in its colours. */
const LANE = {
  vertexShader: `
    uniform vec2 shift;
    varying vec2 tile;
    varying float across;
    varying float away;
    void main() {
      vec4 place = modelMatrix * vec4(position, 1.0);
      vec4 seen = viewMatrix * place;
      tile = (place.xy + shift) / ${PERIOD.toFixed(1)};
      across = place.y;
      away = -seen.z;
      gl_Position = projectionMatrix * seen;
    }`,
  fragmentShader: `
    ${VANISHING}
    uniform vec3 colour;
    uniform float tinge;
    uniform float line;
    varying vec2 tile;
    varying float across;
    void main() {
      float share = tinge + (across > line ? ${LINE_TINGE} : 0.0);
      gl_FragColor = vanishing(mix(texture2D(tiles, tile).rgb, colour, share));
    }`,
};

export class LaneFloor {
  readonly group = new Group();
  private readonly geometry = new PlaneGeometry(GROUND, 1);
  private readonly lanes: readonly ShaderMaterial[];
  private readonly sky = { value: new Color() };
  private readonly tiles = { value: null as unknown };
  private readonly tinge = { value: 0 };
  private readonly mist = { value: [0, 0] };

  /** @param width of a lane, in metres */
  constructor(
    private readonly patterns: Patterns,
    count: number,
    width: number,
  ) {
    const { sky, tiles, tinge, mist } = this;
    this.lanes = Array.from({ length: count }, (_, i) => {
      const [low, high] = [i, i + 1].map((border) => (border - count / 2) * width);
      const [near, far] = [i === 0 ? -GROUND / 2 : low, i === count - 1 ? GROUND / 2 : high];
      const own = { shift: { value: new Vector2() }, colour: { value: new Color() }, line: { value: high - LINE } };
      if (i === count - 1) own.line.value = Infinity;
      const material = new ShaderMaterial({ ...LANE, uniforms: { sky, tiles, tinge, mist, ...own } });
      const mesh = new Mesh(this.geometry, material);
      mesh.position.y = (near + far) / 2;
      mesh.scale.y = far - near;
      this.group.add(mesh);
      return material;
    });
  }

  setColours(colours: readonly string[]): void {
    // They go to the screen as they are.
    this.lanes.forEach(({ uniforms }, i) => (uniforms.colour.value as Color).set(colours[i]).convertLinearToSRGB());
  }

  setTheme(theme: ThemeName): void {
    this.tiles.value = this.patterns.of(theme, 'plain');
    this.sky.value.set(THEMES[theme].sky).convertLinearToSRGB();
    this.tinge.value = TINGE[theme];
  }

  /** Where it begins to vanish, and where it has, in metres from the camera. */
  setMist(near: number, far: number): void {
    this.mist.value = [near, far];
  }

  /** @param lane whose ground is that of another place, which is so far away */
  shift(lane: number, x: number, y: number): void {
    // Large numbers have too few digits on a graphics card, and the pattern repeats.
    (this.lanes[lane].uniforms.shift.value as Vector2).set(x % PERIOD, y % PERIOD);
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.lanes) material.dispose();
  }
}
