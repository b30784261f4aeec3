/** The ground under a robot: tiles that show how fast it moves, and vanish in the distance. */
import {
  Color,
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  LinearMipmapNearestFilter,
  Mesh,
  MeshLambertMaterial,
  NoColorSpace,
  PlaneGeometry,
  RepeatWrapping,
  ShaderMaterial,
  SRGBColorSpace,
  type Texture,
} from 'three';
import { lightOnFloor, THEMES, type ThemeName } from './robot-light.js';

/** Metres on each side. */
export const SIZE = 120;
/** Metres after which the pattern repeats. */
export const PERIOD = 2;
/** Pixels of the pattern on each side. */
const PIXELS = 256;
/** Half the width of the line around a tile, in pixels. */
const LINE = 1.5;

/** How a plain floor goes from its colours to those of the sky, for shaders. */
export const VANISHING = `
    uniform sampler2D tiles;
    uniform vec3 sky;
    uniform vec2 mist;
    varying float away;
    vec4 vanishing(vec3 ground) { return vec4(mix(ground, sky, smoothstep(mist.x, mist.y, away)), 1.0); }`;

/**
 * A floor for those who draw with the processor, which should compute as little as possible for each of its many pixels:
 * it is under the same light everywhere, so the light is in its colours, and they go to the screen as they are.
 */
const PLAIN = {
  vertexShader: `
    varying vec2 place;
    varying float away;
    void main() {
      vec4 seen = modelViewMatrix * vec4(position, 1.0);
      place = uv * ${(SIZE / PERIOD).toFixed(1)};
      away = -seen.z;
      gl_Position = projectionMatrix * seen;
    }`,
  fragmentShader: `
    ${VANISHING}
    varying vec2 place;
    void main() { gl_FragColor = vanishing(texture2D(tiles, place).rgb); }`,
};

export class Floor {
  readonly mesh: Mesh<PlaneGeometry, MeshLambertMaterial | ShaderMaterial>;
  private readonly lit = new MeshLambertMaterial();
  private readonly plain = new ShaderMaterial({
    ...PLAIN,
    uniforms: { tiles: { value: null }, sky: { value: new Color() }, mist: { value: [0, 0] } },
  });
  private theme: ThemeName = 'dark';

  /** @param fog where it begins and where nothing else is seen, in metres */
  constructor(
    private readonly patterns: Patterns,
    fog: readonly [number, number],
  ) {
    this.mesh = new Mesh(new PlaneGeometry(SIZE, SIZE), this.lit);
    this.mesh.receiveShadow = true;
    this.plain.uniforms.mist.value = fog;
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    this.dress();
  }

  /** @param isPlain whether all of it gets the same light, and no shadow but what is drawn upon it */
  setPlain(isPlain: boolean): void {
    this.mesh.material = isPlain ? this.plain : this.lit;
    this.dress();
  }

  /** Moves along with a robot by whole tiles, so that it seems to be at rest. */
  follow(x: number, y: number): void {
    this.mesh.position.x = Math.round(x / PERIOD) * PERIOD;
    this.mesh.position.y = Math.round(y / PERIOD) * PERIOD;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.lit.dispose();
    this.plain.dispose();
  }

  private dress(): void {
    if (this.mesh.material === this.lit) {
      this.lit.map = this.patterns.of(this.theme, 'lit');
      return;
    }
    const { tiles, sky } = this.plain.uniforms;
    tiles.value = this.patterns.of(this.theme, 'plain');
    (sky.value as Color).set(THEMES[this.theme].sky).convertLinearToSRGB();
  }
}

/** Pictures of tiles, which the floors of all panes share. */
export class Patterns {
  private readonly made = new Map<string, Texture>();

  constructor(private readonly anisotropy: number) {}

  of(theme: ThemeName, kind: 'lit' | 'plain'): Texture {
    const name = `${theme} ${kind}`;
    let pattern = this.made.get(name);
    if (pattern === undefined) {
      pattern = kind === 'lit' ? this.lit(theme) : this.plain(theme);
      this.made.set(name, pattern);
    }
    return pattern;
  }

  dispose(): void {
    for (const pattern of this.made.values()) pattern.dispose();
  }

  /** Its light is computed where it is drawn. */
  private lit(theme: ThemeName): Texture {
    const pattern = tiles(THEMES[theme].floor.map((css) => new Color(css)));
    pattern.colorSpace = SRGBColorSpace;
    pattern.minFilter = LinearMipmapLinearFilter;
    pattern.anisotropy = this.anisotropy;
    return pattern;
  }

  private plain(theme: ThemeName): Texture {
    const { lit } = lightOnFloor(theme);
    const pattern = tiles(THEMES[theme].floor.map((css) => new Color(css).multiply(lit)));
    pattern.colorSpace = NoColorSpace;
    pattern.minFilter = LinearMipmapNearestFilter;
    return pattern;
  }
}

/** Two tiles by two, a metre each, with a line around each. */
function tiles(colours: readonly Color[]): DataTexture {
  const [light, dark, line] = colours.map((colour) => colour.getHex());
  const pixels = new Uint8Array(4 * PIXELS * PIXELS).fill(255);
  const tile = PIXELS / 2;
  // How far a pixel is from the line around its tile: 0 on it, 1 beside it, and between them where it is on both.
  const within = Array.from({ length: PIXELS }, (_, pixel) => {
    return Math.min(Math.max(Math.min(pixel % tile, tile - 1 - (pixel % tile)) + 1 - LINE, 0), 1);
  });
  for (let y = 0, i = 0; y < PIXELS; y++) {
    for (let x = 0; x < PIXELS; x++, i += 4) {
      const inner = x < tile === y < tile ? light : dark;
      const share = within[x] * within[y];
      for (let k = 0, shift = 16; k < 3; k++, shift -= 8) {
        pixels[i + k] = share * ((inner >> shift) & 255) + (1 - share) * ((line >> shift) & 255);
      }
    }
  }
  const texture = new DataTexture(pixels, PIXELS, PIXELS);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.repeat.set(SIZE / PERIOD, SIZE / PERIOD);
  texture.magFilter = LinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}
