/** The bodies of many robots of one kind, drawn at once: a draw for each part of each would take a processor too long. */
import {
  CapsuleGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Vector3,
} from 'three';
import type { RobotGeom } from '../../envs/index.js';
import { flattening, limbColour, Shade } from './robot-body.js';
import type { ThemeName } from './robot-light.js';
import type { Motion } from './robot-motion.js';
import { Skin } from './robot-skin.js';

const ONE = new Vector3(1, 1, 1);
const matrix = new Matrix4();

export class FanBodies {
  readonly meshes: readonly InstancedMesh[];
  private readonly parts: readonly { readonly index: number; readonly isTorso: boolean }[];
  private readonly skin = new Skin(40, '#555555');
  private readonly shade = new Shade();
  private readonly solid: InstancedMesh;
  private readonly shadow: InstancedMesh;
  private readonly paint: InstancedBufferAttribute;

  constructor(
    geoms: readonly RobotGeom[],
    private readonly robots: number,
  ) {
    const shown = geoms.flatMap((geom, index) => (geom.kind === 'plane' ? [] : { geom, index }));
    this.parts = shown.map(({ geom, index }) => ({ index, isTorso: geom.body === shown[0].geom.body }));
    // A capsule of no particular size: the shader takes its two halves apart.
    const geometry = new CapsuleGeometry(1, 2, 5, 14).rotateX(Math.PI / 2);
    const count = robots * shown.length;
    const extents = shown.flatMap(({ geom }) => [geom.radius, geom.halfLength]);
    const all = Float32Array.from({ length: 2 * count }, (_, i) => extents[i % extents.length]);
    this.paint = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
    geometry.setAttribute('extent', new InstancedBufferAttribute(all, 2));
    geometry.setAttribute('paint', this.paint);
    this.solid = new InstancedMesh(geometry, this.skin.material(true), count);
    this.shadow = new InstancedMesh(geometry, this.shade, count);
    this.shadow.instanceMatrix = this.solid.instanceMatrix;
    this.solid.instanceMatrix.setUsage(DynamicDrawUsage);
    this.shadow.matrixAutoUpdate = false;
    this.meshes = [this.solid, this.shadow];
    for (const mesh of this.meshes) mesh.frustumCulled = false;
  }

  setColours(colours: readonly string[]): void {
    colours.forEach((css, robot) => {
      const torso = new Color(css);
      const limbs = limbColour(torso);
      this.parts.forEach(({ isTorso }, part) => {
        (isTorso ? torso : limbs).toArray(this.paint.array, 3 * (robot * this.parts.length + part));
      });
    });
    this.paint.needsUpdate = true;
  }

  setTheme(theme: ThemeName): void {
    this.skin.setTheme(theme);
    this.shade.setTheme(theme);
  }

  /** Where shadows fall. */
  setFloor(height: number): void {
    flattening(this.shadow.matrix, height);
    this.shadow.matrixWorldNeedsUpdate = true;
  }

  /** @param shift what has to be taken from a place in the robot's world to have the one where it is shown */
  place(robot: number, { positions, turns }: Motion, shift: Vector3): void {
    const { parts, solid } = this;
    parts.forEach(({ index }, part) => {
      matrix.compose(positions[index], turns[index], ONE);
      matrix.elements[12] -= shift.x;
      matrix.elements[13] -= shift.y;
      solid.setMatrixAt(robot * parts.length + part, matrix);
    });
    if (robot === this.robots - 1) solid.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.solid.geometry.dispose();
    this.solid.dispose();
    this.skin.dispose();
    this.shade.dispose();
  }
}
