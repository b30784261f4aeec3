/** What the parts of a robot are made of, in two ways: with shadows upon them, and so that a processor can draw them fast. */
import { Color, MeshPhongMaterial, ShaderMaterial, type ColorRepresentation } from 'three';
import { ALL_AROUND, SUNWARDS, THEMES, type ThemeName } from './robot-light.js';

/**
 * Where a point of a geom is in its model, for shaders: of a mesh of its own, or of one among many capsules, each of its own size.
 * Multiplied by matrices from the right: a processor that draws makes its program twice as fast as of a product of matrices.
 */
export const PLACED = `
    #ifdef USE_INSTANCING
      attribute vec2 extent;
      vec4 placed() {
        return instanceMatrix * vec4(extent.x * normal + vec3(0.0, 0.0, sign(position.z) * extent.y), 1.0);
      }
    #else
      vec4 placed() { return vec4(position, 1.0); }
    #endif`;

/**
 * The same formulas as those of three.js, for one sun and light from all around, and nothing else. A program for the
 * processor has to be made of it before the first picture, and its own is twenty times as long.
 */
const PLAIN = {
  vertexShader: `
    ${PLACED}
    #ifdef USE_INSTANCING
      attribute vec3 paint;
    #endif
    uniform vec3 colour;
    varying vec3 skin;
    varying vec3 facing;
    varying vec3 eye;
    void main() {
      vec4 place = modelMatrix * placed();
      #ifdef USE_INSTANCING
        skin = paint;
        facing = mat3(modelMatrix) * (mat3(instanceMatrix) * normal);
      #else
        skin = colour;
        facing = mat3(modelMatrix) * normal;
      #endif
      eye = cameraPosition - place.xyz;
      gl_Position = projectionMatrix * (viewMatrix * place);
    }`,
  fragmentShader: `
    uniform vec3 sunwards;
    uniform vec3 sky;
    uniform vec3 ground;
    uniform float sunlight;
    uniform float shininess;
    uniform float gloss;
    uniform float opacity;
    varying vec3 skin;
    varying vec3 facing;
    varying vec3 eye;
    void main() {
      vec3 normal = normalize(facing);
      float direct = sunlight * max(dot(normal, sunwards), 0.0);
      float mirrored = max(dot(normal, normalize(sunwards + normalize(eye))), 0.0);
      float glint = direct * gloss * pow(mirrored, shininess);
      vec3 light = skin * (direct + mix(ground, sky, 0.5 + 0.5 * normal.y)) + glint;
      gl_FragColor = vec4(pow(light, vec3(0.4545)), opacity);
    }`,
};

export class Skin {
  private readonly shaded: MeshPhongMaterial;
  private readonly plain: ShaderMaterial;

  constructor(shininess: number, specular: ColorRepresentation, opacity = 1) {
    const transparent = opacity < 1;
    this.shaded = new MeshPhongMaterial({ shininess, specular, opacity, transparent });
    const gloss = 0.25 * (0.5 * shininess + 1) * this.shaded.specular.r;
    this.plain = new ShaderMaterial({
      ...PLAIN,
      transparent,
      uniforms: {
        colour: { value: this.shaded.color },
        sunwards: { value: SUNWARDS },
        sky: { value: new Color() },
        ground: { value: new Color() },
        sunlight: { value: 0 },
        shininess: { value: shininess },
        gloss: { value: gloss },
        opacity: { value: opacity },
      },
    });
  }

  get colour(): Color {
    return this.shaded.color;
  }

  /** @param isPlain whether no shadow falls on it */
  material(isPlain: boolean): MeshPhongMaterial | ShaderMaterial {
    return isPlain ? this.plain : this.shaded;
  }

  setTheme(theme: ThemeName): void {
    const { ambient, sun } = THEMES[theme];
    const { sky, ground, sunlight } = this.plain.uniforms;
    (sky.value as Color).set(ALL_AROUND.sky).multiplyScalar(ambient / Math.PI);
    (ground.value as Color).set(ALL_AROUND.ground).multiplyScalar(ambient / Math.PI);
    sunlight.value = sun / Math.PI;
  }

  dispose(): void {
    this.shaded.dispose();
    this.plain.dispose();
  }
}
