/** Draws robots with three.js: one canvas, a part of it for each of two panes, or all of it for a fan. */
import { PCFShadowMap, Raycaster, Vector2, Vector3, WebGLRenderer, type Ray } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import { FanScene } from './fan-scene.js';
import { wallClock, type Force, type Pull, type RobotFrame, type Spectator } from './messages.js';
import { reachOf } from './robot-body.js';
import { Patterns } from './robot-floor.js';
import { graspOf, Hand } from './robot-hand.js';
import type { ThemeName } from './robot-light.js';
import { QualityControl, WITH_GPU, WITHOUT_GPU, type Shadow } from './robot-quality.js';
import { RobotScene } from './robot-scene.js';
import { clampDistance, clampElevation, HOME, type Orbit, type Shot } from './robot-shot.js';

/** Opaque, so that a browser need not mix it with what is below; three.js does not do so by itself. */
const CONTEXT: WebGLContextAttributes = {
  alpha: false,
  antialias: false,
  stencil: true,
  powerPreference: 'high-performance',
};

/** Velocity that a push gives, in metres per second, if the whole robot were one piece. */
const PUSH_SPEED = 2.5;

/** The mark in the performance timeline of a page where its first robot is there, for whoever measures how long that takes. */
const FIRST_FRAME = 'first frame of a robot';

export interface DrawingStatistics {
  readonly fps: number;
  readonly draw: number;
  readonly quality: number;
}

export interface RobotViewEvents {
  /** A click on the canvas: the force in newtons that it means. */
  readonly onPush: (pane: number, force: Force) => void;
  /** Somebody has hold of a robot, or, where it is undefined, has let go of it. */
  readonly onPull: (pane: number, pull: Pull | undefined) => void;
  /** The camera was moved. */
  readonly onOrbit: (orbit: Orbit) => void;
  readonly onStatistics: (statistics: DrawingStatistics) => void;
  readonly onFirstFrame: () => void;
  /** Where the labels of robots belong that have one in the picture, when that changes. */
  readonly onLabels: (places: readonly LabelPlace[]) => void;
}

/** A pointer that is down. */
interface Press {
  /** Where it went down; where it is, once it pulls at a robot. */
  x: number;
  y: number;
  moved: boolean;
  readonly held: Held | undefined;
}

/** What a hand has hold of. */
interface Held {
  readonly shot: number;
  readonly pane: number;
  readonly body: string;
}

/** As shares of the picture's width and height. */
export type LabelPlace = readonly [right: number, down: number];

export class RobotView implements Spectator {
  readonly canvas = document.createElement('canvas');
  /** Whether the processor does what a graphics card is for. */
  readonly isSoftware: boolean;
  /** Where the labels of robots belong that have one in the picture. */
  labels: readonly LabelPlace[] = [];
  /** Called with each picture while it can still be copied from the canvas. */
  afterDrawing: (() => void) | undefined;
  private readonly renderer: WebGLRenderer;
  private orbit = HOME;
  private isFollowing = true;
  private hasGhost = false;
  private readonly observer = new ResizeObserver(([{ contentRect }]) => {
    this.resize(contentRect.width, contentRect.height);
  });
  private events: RobotViewEvents | undefined;
  /** Side by side. */
  private shots: Shot[] = [];
  private robots = 0;
  private lastSeen: Parameters<Spectator['see']> | undefined;
  private geoms: readonly RobotGeom[] = [];
  /** The force that changes the speed of the whole robot by one metre per second in one step. */
  private inertia = 0;
  private mass = 0;
  /** Half the size of the robot. */
  private reach = 1;
  private colours: readonly string[] = [];
  /** Of the canvas on the page. */
  private width = 0;
  private height = 0;
  private readonly patterns: Patterns;
  private readonly control: QualityControl;
  private request = 0;
  /** From then on the picture stays as it is, and is not drawn again. */
  private stillAt = 0;
  private drawMs = 0;
  private isSeen = false;
  /** Whether the first pictures were. */
  private isJudged = false;
  private pressed: Press | undefined;
  private readonly hand = new Hand();
  private readonly raycaster = new Raycaster();

  constructor(private theme: ThemeName) {
    const { canvas } = this;
    const context = canvas.getContext('webgl2', CONTEXT) ?? undefined;
    this.renderer = new WebGLRenderer({ canvas, context });
    // Asking whether a program was made waits until it is.
    this.renderer.debug.checkShaderErrors = false;
    this.isSoftware = drawsWithProcessor(this.renderer.getContext());
    this.patterns = new Patterns(this.isSoftware ? 1 : 8);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setScissorTest(true);
    this.control = new QualityControl(this.isSoftware ? WITHOUT_GPU : WITH_GPU);
    this.warmUp();
    document.addEventListener('visibilitychange', this.onReturn);
    canvas.addEventListener('pointerdown', this.onDown);
    canvas.addEventListener('pointermove', this.onMove);
    canvas.addEventListener('pointerup', this.onUp);
    canvas.addEventListener('pointercancel', this.onCancel);
    canvas.addEventListener('wheel', this.onWheel, { passive: false });
  }

  /** Draws below an element, until it leaves it. */
  enter(parent: Element, events: RobotViewEvents): void {
    this.events = events;
    this.labels = [];
    parent.append(this.canvas);
    this.resize(parent.clientWidth, parent.clientHeight);
    this.observer.observe(this.canvas);
    this.request = requestAnimationFrame(this.loop);
  }

  leave(): void {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.canvas.remove();
    this.setRobots(0, 1);
    this.events = undefined;
  }

  meet(geoms: readonly RobotGeom[], mass: number, stepSeconds: number): void {
    this.geoms = geoms;
    this.inertia = mass / stepSeconds;
    this.mass = mass;
    this.lastSeen = undefined;
    this.setRobots(0, 1);
    this.isSeen = false;
  }

  see(frames: readonly RobotFrame[], at: number, duration: number): void {
    this.lastSeen = [frames, at, duration];
    if (frames.length !== this.robots) this.setRobots(frames.length, reachOf(frames[0], this.geoms));
    const floor = this.geoms.findIndex(({ kind }) => kind === 'plane');
    const height = floor < 0 ? 0 : frames[0].picture.positions[3 * floor + 2];
    this.wake(duration);
    this.eachShot((shot, from, to) => shot.show(frames.slice(from, to), height, at, duration));
  }

  setColours(colours: readonly string[]): void {
    this.wake();
    this.colours = colours;
    this.eachShot((shot, from, to) => {
      shot.setColours(Array.from({ length: to - from }, (_, i) => colours.at(from + i) ?? '#888888'));
    });
  }

  setTheme(theme: ThemeName): void {
    this.wake();
    this.theme = theme;
    for (const shot of this.shots) shot.setTheme(theme);
  }

  setOrbit(orbit: Orbit): void {
    this.wake();
    this.orbit = orbit;
  }

  setFollowing(isFollowing: boolean): void {
    this.wake();
    this.isFollowing = isFollowing;
  }

  /** @param hasGhost whether the second of two robots is shown in the scene of the first, as its ghost */
  setGhost(hasGhost: boolean): void {
    if (this.hasGhost === hasGhost) return;
    this.hasGhost = hasGhost;
    const { lastSeen } = this;
    this.setRobots(0, 1);
    if (lastSeen !== undefined) this.see(...lastSeen);
  }

  /** Compiles everything while the worker loads physics. What this draws is never disposed of, so it is not done again. */
  private warmUp(): void {
    const pane = new RobotScene([{ body: 'none', kind: 'sphere', radius: 1, halfLength: 0 }], 1, this.patterns);
    pane.setTheme(this.theme);
    pane.setShadow(this.shadow);
    this.renderer.render(pane.scene, pane.camera);
  }

  private setRobots(count: number, reach: number): void {
    this.letGo();
    for (const shot of this.shots) shot.dispose();
    this.robots = count;
    this.reach = reach;
    this.shots =
      count > 2
        ? [new FanScene(this.geoms, count, reach, this.patterns)]
        : this.hasGhost && count === 2
          ? [new RobotScene(this.geoms, reach, this.patterns, true)]
          : Array.from({ length: count }, () => new RobotScene(this.geoms, reach, this.patterns));
    this.setColours(this.colours);
    this.setTheme(this.theme);
    this.applyQuality();
  }

  /** With which of the robots it shows. */
  private eachShot(visit: (shot: Shot, from: number, to: number) => void): void {
    let from = 0;
    for (const shot of this.shots) visit(shot, from, (from += shot.robots.length));
  }

  /** A processor draws the first pictures without, since it has to make a program for every kind of thing in them. */
  private get shadow(): Shadow {
    return this.isSoftware && !this.isJudged ? 'none' : this.control.quality.shadow;
  }

  private applyQuality(): void {
    for (const shot of this.shots) shot.setShadow?.(this.shadow);
    this.resize(this.width, this.height);
  }

  private resize(width: number, height: number): void {
    this.wake();
    [this.width, this.height] = [width, height];
    if (width === 0 || height === 0) return;
    const { canvas } = this;
    const { pixelRatio } = this.control.quality;
    // Also where its size is the same as before, a canvas that is told a size is emptied and made anew.
    if (canvas.width === Math.floor(width * pixelRatio) && canvas.height === Math.floor(height * pixelRatio)) return;
    this.renderer.setDrawingBufferSize(width, height, pixelRatio);
  }

  private readonly loop = (time: number): void => {
    this.request = requestAnimationFrame(this.loop);
    if (this.robots === 0 || this.width * this.height === 0 || performance.now() > this.stillAt) {
      this.control.restart(time);
      return;
    }
    this.judge(time);
    if (!this.control.isDrawing) return;
    const began = performance.now();
    this.draw();
    this.control.noteDrawn();
    this.drawMs = 0.9 * this.drawMs + 0.1 * (performance.now() - began);
    if (!this.isSeen) {
      this.isSeen = true;
      markWhenDrawn(this.renderer.getContext() as WebGL2RenderingContext, FIRST_FRAME);
      this.control.begin(time);
      this.events?.onFirstFrame();
    }
  };

  /** Something is about to change, for so many milliseconds; the camera needs a while longer to come to rest. */
  private wake(duration = 0): void {
    this.stillAt = Math.max(this.stillAt, performance.now() + duration + 600);
  }

  private draw(): void {
    const { width, height } = this;
    const now = wallClock();
    const each = width / this.shots.length;
    this.pull();
    this.shots.forEach((shot, i) => {
      shot.camera.aspect = each / height;
      shot.camera.updateProjectionMatrix();
      shot.look(now, this.orbit, each / height, this.isFollowing);
      this.renderer.setViewport(i * each, 0, each, height);
      this.renderer.setScissor(i * each, 0, each, height);
      this.renderer.render(shot.scene, shot.camera);
    });
    this.placeLabels();
    this.afterDrawing?.();
  }

  /** Draws once with that many pixels for each of the page, for somebody who copies it at once. */
  drawSharply(pixelRatio: number, copy: () => void): void {
    this.renderer.setDrawingBufferSize(this.width, this.height, pixelRatio);
    this.draw();
    copy();
    this.applyQuality();
    this.draw();
  }

  private placeLabels(): void {
    const places = this.shots.flatMap(({ labelled, camera }) => {
      return labelled.map((place): LabelPlace => {
        const { x, y } = place.clone().project(camera);
        return [round((1 + x) / 2), round((1 - y) / 2)];
      });
    });
    if (places.flat().join() === this.labels.flat().join()) return;
    this.labels = places;
    this.events?.onLabels(places);
  }

  private judge(time: number): void {
    const judged = this.control.tick(time);
    if (judged === undefined) return;
    this.events?.onStatistics({ fps: judged.fps, draw: this.drawMs, quality: judged.level });
    if (judged.isChanged || !this.isJudged) {
      this.isJudged = true;
      this.applyQuality();
    }
  }

  private readonly onReturn = (): void => this.control.restart(performance.now());

  private readonly onDown = (event: PointerEvent): void => {
    this.canvas.setPointerCapture(event.pointerId);
    this.pressed = {
      x: event.clientX,
      y: event.clientY,
      moved: false,
      held: this.graspAt(event.clientX, event.clientY),
    };
  };

  private readonly onMove = (event: PointerEvent): void => {
    const { pressed } = this;
    if (pressed === undefined) return;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (far > 4) pressed.moved = true;
    if (!pressed.moved) return;
    this.wake();
    if (pressed.held !== undefined) {
      [pressed.x, pressed.y] = [event.clientX, event.clientY];
      return;
    }
    const { azimuth, elevation, distance } = this.orbit;
    const first = this.shots.at(0)?.elevation ?? 0;
    const turned = clampElevation(first + elevation + event.movementY * 0.006) - first;
    this.events?.onOrbit({ azimuth: azimuth - event.movementX * 0.008, elevation: turned, distance });
  };

  private readonly onUp = (event: PointerEvent): void => {
    const wasClick = this.pressed?.moved === false;
    this.letGo();
    if (wasClick && this.robots > 0) this.pushFrom(event);
  };

  private readonly onCancel = (): void => this.letGo();

  private letGo(): void {
    const { pressed } = this;
    this.pressed = undefined;
    if (pressed?.held === undefined) return;
    this.wake();
    this.hand.release();
    if (pressed.moved) this.events?.onPull(pressed.held.pane, undefined);
  }

  /** The robot at a place on the page, if there is one, which the hand then holds. */
  private graspAt(x: number, y: number): Held | undefined {
    const { index, ray } = this.rayAt(x, y);
    let held: Held | undefined;
    this.eachShot((shot, from) => {
      if (shot !== this.shots[index]) return;
      shot.robots.forEach((robot, i) => {
        const grasp = held === undefined ? graspOf(ray, robot, this.geoms) : undefined;
        if (grasp === undefined) return;
        this.hand.hold(shot, robot, grasp);
        held = { shot: index, pane: from + i, body: this.geoms[grasp.geom].body };
      });
    });
    return held;
  }

  /** Again for every picture: the robot moves also where the pointer does not. */
  private pull(): void {
    const { pressed, reach, mass } = this;
    if (pressed?.held === undefined || !pressed.moved) return;
    this.wake();
    const { shot, pane, body } = pressed.held;
    const force = this.hand.pull(this.rayAt(pressed.x, pressed.y, shot).ray, reach, mass);
    this.events?.onPull(pane, { body, force });
  }

  /** What a place on the page is a view of. */
  private rayAt(
    clientX: number,
    clientY: number,
    wanted?: number,
  ): { readonly index: number; readonly x: number; readonly y: number; readonly ray: Ray } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const each = width / this.shots.length;
    const index = wanted ?? Math.min(Math.max(Math.floor((clientX - left) / each), 0), this.shots.length - 1);
    const x = ((clientX - left - index * each) / each) * 2 - 1;
    const y = 1 - ((clientY - top) / height) * 2;
    if (index >= 0) this.raycaster.setFromCamera(new Vector2(x, y), this.shots[index].camera);
    return { index, x, y, ray: this.raycaster.ray };
  }

  /** Away from where the click was, as seen by the person who clicked. */
  private pushFrom(event: PointerEvent): void {
    const { index, x, y } = this.rayAt(event.clientX, event.clientY);
    const { camera, robots } = this.shots[index];
    const places = robots.map(({ centre }) => centre.clone().project(camera));
    const distances = places.map((place) => Math.hypot((place.x - x) * camera.aspect, place.y - y));
    const nearest = distances.indexOf(Math.min(...distances));
    const seen = places[nearest];
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const direction = right.multiplyScalar((seen.x - x) * camera.aspect).add(up.multiplyScalar(seen.y - y));
    this.push(index + nearest, direction);
  }

  /** A push forwards, for those who use no pointer. */
  pushForwards(): void {
    for (let i = 0; i < this.robots; i++) this.push(i, new Vector3(1, 0, 0));
  }

  private push(pane: number, direction: Vector3): void {
    const { x, y, z } = direction.normalize().multiplyScalar(this.inertia * PUSH_SPEED);
    this.events?.onPush(pane, [x, y, z]);
  }

  private readonly onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const distance = clampDistance(this.orbit.distance * Math.exp(event.deltaY * 0.001));
    this.events?.onOrbit({ ...this.orbit, distance });
  };
}

/** Finer than a pixel, and steady where nothing changes. */
function round(share: number): number {
  return Math.round(5000 * share) / 5000;
}

function drawsWithProcessor(context: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = names === null ? '' : String(context.getParameter(names.UNMASKED_RENDERER_WEBGL));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** Marks when all is drawn that was asked for until now: graphics are busy for long after they were asked. */
function markWhenDrawn(context: WebGL2RenderingContext, mark: string): void {
  const fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (fence === null) return;
  const look = () => {
    if (context.clientWaitSync(fence, context.SYNC_FLUSH_COMMANDS_BIT, 0) === context.TIMEOUT_EXPIRED) {
      requestAnimationFrame(look);
      return;
    }
    context.deleteSync(fence);
    performance.mark(mark);
  };
  requestAnimationFrame(look);
}
