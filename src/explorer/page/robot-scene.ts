/** What a robot is drawn with: its body, the ground, light and a camera. Lengths are metres, z is up, as in MuJoCo. */
import {
  CanvasTexture,
  CapsuleGeometry,
  Color,
  DirectionalLight,
  Fog,
  Group,
  HemisphereLight,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  MeshPhongMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  RepeatWrapping,
  Scene,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { PaneFrame } from './messages.js';

const FLOOR_SIZE = 120;
const TILE = 2;
export const THEMES = {
  light: { sky: '#e4eaf1', floor: ['#e9eef4', '#dde4ec', '#b9c4d2'], ambient: 1.35, sun: 1.9 },
  dark: { sky: '#0f141d', floor: ['#1a212d', '#161c27', '#303c4f'], ambient: 1.5, sun: 2.8 },
} as const;

/** The pose of all geoms: interpolated between two steps, because a robot acts less often than a screen refreshes. */
class Body {
  readonly group = new Group();
  private readonly material = new MeshPhongMaterial({ shininess: 40, specular: '#555555' });
  private readonly limbs = new MeshPhongMaterial({ shininess: 25, specular: '#333333' });
  readonly centre = new Vector3();
  private readonly meshes: (Mesh | undefined)[];
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
    this.meshes = geoms.map(({ kind, body, radius, halfLength }) => {
      if (kind === 'plane') return undefined;
      const geometry =
        kind === 'sphere'
          ? new SphereGeometry(radius, 24, 16)
          : new CapsuleGeometry(radius, 2 * halfLength, 8, 20).rotateX(Math.PI / 2);
      const mesh = new Mesh(geometry, body === torso ? this.material : this.limbs);
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      this.group.add(mesh);
      return mesh;
    });
  }

  colour(css: string): void {
    this.material.color.set(css);
    this.limbs.color.set(css).lerp(new Color('#ffffff'), 0.45);
  }

  show({ positions, rotations, centreOfMass, episode, step }: PaneFrame, at: number, duration: number): void {
    const isNext = episode === this.episode && step === this.step + 1 && duration > 0;
    this.from = this.to;
    this.fromCentre.copy(this.toCentre);
    this.to = this.meshes.map((_, i) => poseOf(positions, rotations, i));
    this.toCentre.fromArray(centreOfMass);
    if (!isNext) {
      this.from = this.to;
      this.fromCentre.copy(this.toCentre);
      this.centre.copy(this.toCentre);
    }
    [this.at, this.duration, this.episode, this.step] = [at, duration, episode, step];
  }

  place(now: number): void {
    const share = this.duration > 0 ? Math.min(Math.max((now - this.at) / this.duration, 0), 1) : 1;
    this.meshes.forEach((mesh, i) => {
      if (mesh === undefined || i >= this.to.length) return;
      mesh.position.lerpVectors(this.from[i].position, this.to[i].position, share);
      mesh.quaternion.slerpQuaternions(this.from[i].turn, this.to[i].turn, share);
    });
    this.centre.lerpVectors(this.fromCentre, this.toCentre, share);
  }

  dispose(): void {
    for (const mesh of this.meshes) mesh?.geometry.dispose();
    this.material.dispose();
    this.limbs.dispose();
  }
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

/** A robot on its ground, with a sun and a camera that follow it. */
export class RobotScene {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.05, 200);
  readonly focus = new Vector3();
  readonly body: Body;
  private readonly sun = new DirectionalLight('#ffffff');
  private readonly ambient = new HemisphereLight('#ffffff', '#8f9bb0');
  private readonly floor: Mesh<PlaneGeometry, MeshLambertMaterial>;
  private readonly fog = new Fog('#000000', 8, 34);
  private isPlaced = false;

  constructor(
    geoms: readonly RobotGeom[],
    private readonly reach: number,
    private readonly anisotropy: number,
  ) {
    this.body = new Body(geoms);
    this.camera.up.set(0, 0, 1);
    this.floor = new Mesh(new PlaneGeometry(FLOOR_SIZE, FLOOR_SIZE), new MeshLambertMaterial());
    this.floor.receiveShadow = true;
    this.sun.castShadow = true;
    const { camera } = this.sun.shadow;
    [camera.left, camera.right, camera.top, camera.bottom] = [-2.2 * reach, 2.2 * reach, 2.2 * reach, -2.2 * reach];
    [camera.near, camera.far] = [0.5, 8 * reach + 10];
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.floor, this.body.group, this.sun, this.sun.target, this.ambient);
    this.scene.fog = this.fog;
    this.fog.near = 5 * reach;
    this.fog.far = 26 * reach;
  }

  setTheme(name: keyof typeof THEMES): void {
    const { sky, floor, ambient, sun } = THEMES[name];
    this.scene.background = new Color(sky);
    this.fog.color.set(sky);
    this.ambient.intensity = ambient;
    this.sun.intensity = sun;
    this.floor.material.map?.dispose();
    this.floor.material.map = tiles(floor, this.anisotropy);
    this.floor.material.needsUpdate = true;
  }

  setShadow(size: number): void {
    this.sun.castShadow = size > 0;
    if (size === 0) return;
    this.sun.shadow.mapSize.set(size, size);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  show(frame: PaneFrame, floorHeight: number, at: number, duration: number): void {
    this.body.show(frame, at, duration);
    this.floor.position.z = floorHeight;
  }

  /** Follows the robot, gently, and carries floor and sun along. The floor moves by whole tiles, so it seems at rest. */
  look(now: number, orbit: Orbit): void {
    this.body.place(now);
    const { centre } = this.body;
    const pull = this.isPlaced && this.focus.distanceTo(centre) < 3 * this.reach ? 0.12 : 1;
    this.isPlaced = true;
    this.focus.x += pull * (centre.x - this.focus.x);
    this.focus.y += pull * (centre.y - this.focus.y);
    // Up and down less than forth: a hop should look like one.
    this.focus.z += 0.3 * pull * (centre.z - this.focus.z) + (pull === 1 ? 0.7 * (centre.z - this.focus.z) : 0);
    const { azimuth, elevation, distance } = orbit;
    const flat = distance * this.reach * Math.cos(elevation);
    this.camera.position.set(
      this.focus.x + flat * Math.sin(azimuth),
      this.focus.y - flat * Math.cos(azimuth),
      Math.max(this.focus.z + distance * this.reach * Math.sin(elevation), this.floor.position.z + 0.1),
    );
    this.camera.lookAt(this.focus);
    this.sun.target.position.copy(this.focus);
    this.sun.position.set(
      this.focus.x - 1.5 * this.reach,
      this.focus.y - 2 * this.reach,
      this.focus.z + 4 * this.reach,
    );
    this.floor.position.x = Math.round(this.focus.x / TILE) * TILE;
    this.floor.position.y = Math.round(this.focus.y / TILE) * TILE;
  }

  dispose(): void {
    this.body.dispose();
    this.floor.geometry.dispose();
    this.floor.material.map?.dispose();
    this.floor.material.dispose();
    this.sun.dispose();
  }
}

export interface Orbit {
  azimuth: number;
  elevation: number;
  distance: number;
}

/** Two tiles by two, a metre each, with a line around each. */
function tiles([light, dark, line]: readonly [string, string, string], anisotropy: number): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 256;
  const context = canvas.getContext('2d')!;
  for (const [x, y] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]) {
    context.fillStyle = line;
    context.fillRect(128 * x, 128 * y, 128, 128);
    context.fillStyle = (x + y) % 2 === 0 ? light : dark;
    context.fillRect(128 * x + 1.5, 128 * y + 1.5, 125, 125);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.repeat.set(FLOOR_SIZE / TILE, FLOOR_SIZE / TILE);
  texture.anisotropy = anisotropy;
  return texture;
}

/** Half the size of a robot, in metres. */
export function reachOf({ positions, centreOfMass }: PaneFrame, geoms: readonly RobotGeom[]): number {
  const reaches = geoms.map(({ kind, radius, halfLength }, i) => {
    if (kind === 'plane') return 0;
    const [x, y, z] = [0, 1, 2].map((k) => positions[3 * i + k] - centreOfMass[k]);
    return Math.hypot(x, y, z) + radius + halfLength;
  });
  return Math.max(0.5, ...reaches);
}
