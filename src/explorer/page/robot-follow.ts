/** What a camera looks at: a place that comes after a robot, gently. */
import { Vector3 } from 'three';

/** How far it is behind what it follows. */
const FOLLOW_MS = 130;
/** The farthest that is ahead or aside of the camera, in units of its reach: what runs fast would leave a narrow picture. */
const LEASH = 0.25;
/** As much above or below of it: what hops high would leave the picture at its top. */
const HOP_LEASH = 0.5;

export class Follower {
  readonly focus = new Vector3();
  private lookedAt = -Infinity;

  /** @param reach half the size of the robot */
  constructor(private readonly reach: number) {}

  /** Whether there is anything yet that it looks at. */
  get hasSeen(): boolean {
    return this.lookedAt > -Infinity;
  }

  follow(centre: Vector3, now: number): void {
    const { focus } = this;
    const isLost = focus.distanceTo(centre) > 3 * this.reach || !this.hasSeen;
    const pull = isLost ? 1 : 1 - Math.exp((this.lookedAt - now) / FOLLOW_MS);
    this.lookedAt = now;
    const behind = Math.hypot(centre.x - focus.x, centre.y - focus.y);
    const closer = Math.max(pull, 1 - (LEASH * this.reach) / behind);
    focus.x += closer * (centre.x - focus.x);
    focus.y += closer * (centre.y - focus.y);
    // Up and down less than forth: a hop should look like one.
    const above = Math.abs(centre.z - focus.z);
    focus.z += Math.max(isLost ? 1 : 0.3 * pull, 1 - (HOP_LEASH * this.reach) / above) * (centre.z - focus.z);
  }
}
