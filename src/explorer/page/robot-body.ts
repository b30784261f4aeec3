/** The body of a robot: a mesh for each of its geoms, and the shadow that they cast on flat ground. */
import {
  CapsuleGeometry,
  Color,
  Group,
  Matrix4,
  Mesh,
  NotEqualStencilFunc,
  Quaternion,
  ReplaceStencilOp,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
} from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { RobotFrame } from './messages.js';
import { shadowOnFloor, TO_SUN, type ThemeName } from './robot-light.js';
import { Skin } from './robot-skin.js';

/** How far a flat shadow is above the floor, in metres, so that it is seen. */
const ABOVE_FLOOR = 0.003;

/** Each pixel is darkened once, however many geoms cast a shadow on it. */
const SHADE = {
  vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
  fragmentShader: 'uniform float darkness; void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, darkness); }',
  transparent: true,
  depthWrite: false,
  stencilWrite: true,
  stencilRef: 1,
  stencilFunc: NotEqualStencilFunc,
  stencilZPass: ReplaceStencilOp,
};

/** The pose of all geoms: interpolated between two steps, because a robot acts less often than a screen refreshes. */
export class Body {
  readonly group = new Group();
  /** All geoms again, pressed onto the floor along the light: a shadow that needs no picture from the sun's side. */
  readonly flatShadow = new Group();
  readonly centre = new Vector3();
  private readonly torso = new Skin(40, '#555555');
  private readonly limbs = new Skin(25, '#333333');
  private readonly shade = new ShaderMaterial({ ...SHADE, uniforms: { darkness: { value: 0 } } });
  private readonly parts: (Part | undefined)[];
  private from: Pose[] = [];
  private to: Pose[] = [];
  private readonly fromCentre = new Vector3();
  private readonly toCentre = new Vector3();
  private at = 0;
  private duration = 0;
  private episode = -1;
  private step = -1;

  constructor(geoms: readonly RobotGeom[]) {
    const torso = geoms.find(({ kind }) => kind !== 'plane')?.body;
    this.flatShadow.matrixAutoUpdate = false;
    this.parts = geoms.map(({ kind, body, radius, halfLength }) => {
      if (kind === 'plane') return undefined;
      const geometry =
        kind === 'sphere'
          ? new SphereGeometry(radius, 24, 16)
          : new CapsuleGeometry(radius, 2 * halfLength, 8, 20).rotateX(Math.PI / 2);
      const skin = body === torso ? this.torso : this.limbs;
      const mesh = new Mesh(geometry, skin.material(true));
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      const shadow = new Mesh(geometry, this.shade);
      this.group.add(mesh);
      this.flatShadow.add(shadow);
      return { mesh, shadow, skin };
    });
  }

  colour(css: string): void {
    this.torso.colour.set(css);
    this.limbs.colour.set(css).lerp(new Color('#ffffff'), 0.45);
  }

  setTheme(theme: ThemeName): void {
    this.torso.setTheme(theme);
    this.limbs.setTheme(theme);
    this.shade.uniforms.darkness.value = shadowOnFloor(theme);
  }

  /** @param isFlat whether it has a flat shadow, and none falls on the robot itself */
  setFlat(isFlat: boolean): void {
    this.flatShadow.visible = isFlat;
    for (const part of this.parts) if (part !== undefined) part.mesh.material = part.skin.material(isFlat);
  }

  /** Where a flat shadow falls. */
  setFloor(height: number): void {
    const [right, away] = [-TO_SUN.x / TO_SUN.z, -TO_SUN.y / TO_SUN.z];
    const level = height + ABOVE_FLOOR;
    this.flatShadow.matrix.set(1, 0, right, -right * height, 0, 1, away, -away * height, 0, 0, 0, level, 0, 0, 0, 1);
    this.flatShadow.matrixWorldNeedsUpdate = true;
  }

  show({ picture, episode, step }: RobotFrame, at: number, duration: number): void {
    const isNext = episode === this.episode && step === this.step + 1 && duration > 0;
    this.from = this.to;
    this.fromCentre.copy(this.toCentre);
    this.to = this.parts.map((_, i) => poseOf(picture.positions, picture.rotations, i));
    this.toCentre.fromArray(picture.centreOfMass);
    if (!isNext) {
      this.from = this.to;
      this.fromCentre.copy(this.toCentre);
      this.centre.copy(this.toCentre);
    }
    [this.at, this.duration, this.episode, this.step] = [at, duration, episode, step];
  }

  place(now: number): void {
    const share = this.duration > 0 ? Math.min(Math.max((now - this.at) / this.duration, 0), 1) : 1;
    this.parts.forEach((part, i) => {
      if (part === undefined || i >= this.to.length) return;
      const { mesh, shadow } = part;
      mesh.position.lerpVectors(this.from[i].position, this.to[i].position, share);
      mesh.quaternion.slerpQuaternions(this.from[i].turn, this.to[i].turn, share);
      shadow.position.copy(mesh.position);
      shadow.quaternion.copy(mesh.quaternion);
    });
    this.centre.lerpVectors(this.fromCentre, this.toCentre, share);
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

interface Pose {
  readonly position: Vector3;
  readonly turn: Quaternion;
}

const matrix = new Matrix4();

function poseOf(positions: Float64Array, r: Float64Array, i: number): Pose {
  const m = 9 * i;
  matrix.set(r[m], r[m + 1], r[m + 2], 0, r[m + 3], r[m + 4], r[m + 5], 0, r[m + 6], r[m + 7], r[m + 8], 0, 0, 0, 0, 1);
  return {
    position: new Vector3().fromArray(positions, 3 * i),
    turn: new Quaternion().setFromRotationMatrix(matrix),
  };
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
