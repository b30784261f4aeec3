/** How a robot moves: its pose, interpolated between two steps, because it acts less often than a screen refreshes. */
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { RobotFrame } from './messages.js';

export class Motion {
  /** Where the robot is now, and each of its geoms. */
  readonly centre = new Vector3();
  readonly positions: readonly Vector3[];
  readonly turns: readonly Quaternion[];
  private from: Pose[] = [];
  private to: Pose[] = [];
  private readonly fromCentre = new Vector3();
  private readonly toCentre = new Vector3();
  private at = 0;
  private duration = 0;
  private episode = -1;
  private step = -1;

  /** @param geoms how many there are */
  constructor(geoms: number) {
    this.positions = Array.from({ length: geoms }, () => new Vector3());
    this.turns = Array.from({ length: geoms }, () => new Quaternion());
  }

  show({ picture, episode, step }: RobotFrame, at: number, duration: number): void {
    const isNext = episode === this.episode && step === this.step + 1 && duration > 0;
    this.from = this.to;
    this.fromCentre.copy(this.toCentre);
    this.to = this.positions.map((_, i) => poseOf(picture.positions, picture.rotations, i));
    this.toCentre.fromArray(picture.centreOfMass);
    if (!isNext) {
      this.from = this.to;
      this.fromCentre.copy(this.toCentre);
      this.centre.copy(this.toCentre);
    }
    [this.at, this.duration, this.episode, this.step] = [at, duration, episode, step];
  }

  move(now: number): void {
    const share = this.duration > 0 ? Math.min(Math.max((now - this.at) / this.duration, 0), 1) : 1;
    this.to.forEach(({ position, turn }, i) => {
      this.positions[i].lerpVectors(this.from[i].position, position, share);
      this.turns[i].slerpQuaternions(this.from[i].turn, turn, share);
    });
    this.centre.lerpVectors(this.fromCentre, this.toCentre, share);
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
