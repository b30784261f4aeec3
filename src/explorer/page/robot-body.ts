/** The body of a robot: a mesh for each of its geoms, and the shadow that they cast on flat ground. */
import {
  CapsuleGeometry,
  Color,
  Group,
  Mesh,
  NotEqualStencilFunc,
  ReplaceStencilOp,
  ShaderMaterial,
  SphereGeometry,
  type Matrix4,
} from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { RobotFrame } from './messages.js';
import { Motion } from './robot-motion.js';
import { shadowOnFloor, TO_SUN, type ThemeName } from './robot-light.js';
import { PLACED, Skin } from './robot-skin.js';

/** How far a flat shadow is above the floor, in metres, so that it is seen. */
const ABOVE_FLOOR = 0.003;

/** How much of a ghost is seen. */
const GHOST_OPACITY = 0.4;

/** Each pixel is darkened once, however many geoms cast a shadow on it. */
const SHADE = {
  vertexShader: `
    ${PLACED}
    void main() { gl_Position = projectionMatrix * (modelViewMatrix * placed()); }`,
  fragmentShader: 'uniform float darkness; void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, darkness); }',
  transparent: true,
  depthWrite: false,
  stencilWrite: true,
  stencilRef: 1,
  stencilFunc: NotEqualStencilFunc,
  stencilZPass: ReplaceStencilOp,
};

/** What flat shadows are made of. */
export class Shade extends ShaderMaterial {
  constructor() {
    super({ ...SHADE, uniforms: { darkness: { value: 0 } } });
  }

  setTheme(theme: ThemeName): void {
    this.uniforms.darkness.value = shadowOnFloor(theme);
  }
}

/** Presses what is above a floor of this height onto it, along the light. */
export function flattening(out: Matrix4, height: number): Matrix4 {
  const [right, away] = [-TO_SUN.x / TO_SUN.z, -TO_SUN.y / TO_SUN.z];
  const level = height + ABOVE_FLOOR;
  return out.set(1, 0, right, -right * height, 0, 1, away, -away * height, 0, 0, 0, level, 0, 0, 0, 1);
}

/** Limbs have the colour of the torso, but lighter. */
export function limbColour(torso: Color): Color {
  return torso.clone().lerp(new Color('#ffffff'), 0.45);
}

export class Body {
  readonly group = new Group();
  /** All geoms again, pressed onto the floor along the light: a shadow that needs no picture from the sun's side. */
  readonly flatShadow = new Group();
  readonly motion: Motion;
  private readonly torso: Skin;
  private readonly limbs: Skin;
  private readonly shade = new Shade();
  private readonly parts: (Part | undefined)[];

  /** @param isGhost whether it can be seen through, and casts no shadow */
  constructor(
    geoms: readonly RobotGeom[],
    private readonly isGhost = false,
  ) {
    const opacity = isGhost ? GHOST_OPACITY : 1;
    this.torso = new Skin(40, '#555555', opacity);
    this.limbs = new Skin(25, '#333333', opacity);
    const torso = geoms.find(({ kind }) => kind !== 'plane')?.body;
    this.motion = new Motion(geoms.length);
    this.flatShadow.matrixAutoUpdate = false;
    this.parts = geoms.map(({ kind, body, radius, halfLength }) => {
      if (kind === 'plane') return undefined;
      const geometry =
        kind === 'sphere'
          ? new SphereGeometry(radius, 24, 16)
          : new CapsuleGeometry(radius, 2 * halfLength, 8, 20).rotateX(Math.PI / 2);
      const skin = body === torso ? this.torso : this.limbs;
      const mesh = new Mesh(geometry, skin.material(true));
      mesh.castShadow = mesh.receiveShadow = !isGhost;
      const shadow = new Mesh(geometry, this.shade);
      this.group.add(mesh);
      this.flatShadow.add(shadow);
      return { mesh, shadow, skin };
    });
  }

  colour(css: string): void {
    this.torso.colour.set(css);
    this.limbs.colour.copy(limbColour(this.torso.colour));
  }

  setTheme(theme: ThemeName): void {
    this.torso.setTheme(theme);
    this.limbs.setTheme(theme);
    this.shade.setTheme(theme);
  }

  /**
   * @param isPlain whether no shadow falls on the robot itself
   * @param hasFlatShadow whether it casts one on the floor all the same
   */
  setPlain(isPlain: boolean, hasFlatShadow: boolean): void {
    this.flatShadow.visible = hasFlatShadow && !this.isGhost;
    for (const part of this.parts) if (part !== undefined) part.mesh.material = part.skin.material(isPlain);
  }

  /** Where a flat shadow falls. */
  setFloor(height: number): void {
    flattening(this.flatShadow.matrix, height);
    this.flatShadow.matrixWorldNeedsUpdate = true;
  }

  place(now: number): void {
    const { motion } = this;
    motion.move(now);
    this.parts.forEach((part, i) => {
      if (part === undefined) return;
      const { mesh, shadow } = part;
      mesh.position.copy(motion.positions[i]);
      mesh.quaternion.copy(motion.turns[i]);
      shadow.position.copy(mesh.position);
      shadow.quaternion.copy(mesh.quaternion);
    });
  }

  dispose(): void {
    for (const part of this.parts) part?.mesh.geometry.dispose();
    this.torso.dispose();
    this.limbs.dispose();
    this.shade.dispose();
  }
}

interface Part {
  readonly mesh: Mesh;
  readonly shadow: Mesh;
  readonly skin: Skin;
}

/** Half the size of a robot, in metres. */
export function reachOf({ picture: { positions, centreOfMass } }: RobotFrame, geoms: readonly RobotGeom[]): number {
  const reaches = geoms.map(({ kind, radius, halfLength }, i) => {
    if (kind === 'plane') return 0;
    const [x, y, z] = [0, 1, 2].map((k) => positions[3 * i + k] - centreOfMass[k]);
    return Math.hypot(x, y, z) + radius + halfLength;
  });
  return Math.max(0.5, ...reaches);
}
