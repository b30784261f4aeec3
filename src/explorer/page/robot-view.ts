/** Draws robots with three.js: one canvas, a part of it for each pane. */
import { PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import { wallClock, type PaneFrame } from './messages.js';
import { reachOf, RobotScene, type Orbit, type THEMES } from './robot-scene.js';
import type { Spectator } from './simulation.js';

/** From best to least. */
const QUALITIES = [
  // More pixels than the screen has, which makes edges smooth.
  { pixelRatio: 2, shadow: 2048, everyFrame: 1 },
  { pixelRatio: 1, shadow: 1024, everyFrame: 1 },
  { pixelRatio: 0.75, shadow: 512, everyFrame: 1 },
  { pixelRatio: 0.6, shadow: 512, everyFrame: 2 },
  { pixelRatio: 0.4, shadow: 0, everyFrame: 3 },
] as const;
const BEST_WITHOUT_GPU = 2;
/** Screens that refresh more slowly than this on average, because drawing holds them up, lower the quality. */
const SLOW_MS = 28;
const SMOOTH_MS = 18;
/** How long frames are watched before they are judged. */
const JUDGED_MS = 500;
/** How long a lowered quality stays before a better one is tried again; longer each time. */
const RETRY_MS = 8000;

/** Velocity that a push gives, in metres per second, if the whole robot were one piece. */
const PUSH_SPEED = 2.5;

export interface DrawingStatistics {
  readonly fps: number;
  readonly draw: number;
  readonly quality: number;
}

export interface RobotViewOptions {
  readonly canvas: HTMLCanvasElement;
  /** A click on the canvas: the force in newtons that it means. */
  readonly onPush: (pane: number, force: readonly [number, number, number]) => void;
  readonly onStatistics: (statistics: DrawingStatistics) => void;
  readonly onFirstFrame: () => void;
}

export class RobotView implements Spectator {
  private readonly renderer: WebGLRenderer;
  private readonly orbit: Orbit = { azimuth: 0.25, elevation: 0.2, distance: 4.6 };
  private readonly observer: ResizeObserver;
  private panes: RobotScene[] = [];
  private warm: RobotScene | undefined;
  private geoms: readonly RobotGeom[] = [];
  /** The force that changes the speed of the whole robot by one metre per second in one step. */
  private inertia = 0;
  private colours: readonly string[] = [];
  private theme: keyof typeof THEMES = 'dark';
  private readonly anisotropy: number;
  private readonly best: number;
  private quality: number;
  private request = 0;
  /** From then on the picture stays as it is, and is not drawn again. */
  private stillAt = 0;
  private ticks = 0;
  private drawn = 0;
  private patience = RETRY_MS / 2;
  private retryAt = RETRY_MS / 2;
  private judgedAt = 0;
  private drawMs = 0;
  private isSeen = false;
  private pressed: { readonly x: number; readonly y: number; moved: boolean } | undefined;

  constructor(private readonly options: RobotViewOptions) {
    const { canvas } = options;
    this.renderer = new WebGLRenderer({ canvas, powerPreference: 'high-performance' });
    const isSoftware = drawsWithProcessor(this.renderer.getContext());
    this.anisotropy = isSoftware ? 1 : 8;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setScissorTest(true);
    this.best = isSoftware ? BEST_WITHOUT_GPU : 0;
    // It must not be slow while it finds out how slow it is.
    this.quality = isSoftware ? this.best + 1 : this.best;
    this.warmUp();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    canvas.addEventListener('pointerdown', this.onDown);
    canvas.addEventListener('pointermove', this.onMove);
    canvas.addEventListener('pointerup', this.onUp);
    canvas.addEventListener('wheel', this.onWheel, { passive: false });
    this.request = requestAnimationFrame(this.loop);
  }

  meet(geoms: readonly RobotGeom[], mass: number, stepSeconds: number): void {
    this.geoms = geoms;
    this.inertia = mass / stepSeconds;
    this.setPanes(0, 1);
    this.isSeen = false;
  }

  see(frames: readonly PaneFrame[], at: number, duration: number): void {
    if (frames.length !== this.panes.length) this.setPanes(frames.length, reachOf(frames[0], this.geoms));
    const floor = this.geoms.findIndex(({ kind }) => kind === 'plane');
    this.wake(duration);
    frames.forEach((frame, i) => {
      const height = floor < 0 ? 0 : frame.positions[3 * floor + 2];
      this.panes[i].show(frame, height, at, duration);
    });
  }

  setColours(colours: readonly string[]): void {
    this.wake();
    this.colours = colours;
    this.panes.forEach((pane, i) => pane.body.colour(colours[i] ?? '#888888'));
  }

  setTheme(theme: keyof typeof THEMES): void {
    this.wake();
    this.theme = theme;
    for (const pane of this.panes) pane.setTheme(theme);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.setPanes(0, 1);
    this.warm?.dispose();
    this.renderer.dispose();
  }

  /** Compiles everything while the worker loads physics: the first of them stays, so that it is not done again. */
  private warmUp(): void {
    const pane = new RobotScene([{ body: 'none', kind: 'sphere', radius: 1, halfLength: 0 }], 1, this.anisotropy);
    pane.setTheme(this.theme);
    pane.setShadow(QUALITIES[this.quality].shadow);
    this.renderer.render(pane.scene, pane.camera);
    this.warm = pane;
  }

  private setPanes(count: number, reach: number): void {
    for (const pane of this.panes) pane.dispose();
    this.panes = Array.from({ length: count }, () => new RobotScene(this.geoms, reach, this.anisotropy));
    this.setColours(this.colours);
    this.setTheme(this.theme);
    this.applyQuality();
  }

  private applyQuality(): void {
    const { pixelRatio, shadow } = QUALITIES[this.quality];
    this.renderer.setPixelRatio(pixelRatio);
    for (const pane of this.panes) pane.setShadow(shadow);
    this.resize();
  }

  private resize(): void {
    this.wake();
    const { clientWidth, clientHeight } = this.options.canvas;
    if (clientWidth > 0 && clientHeight > 0) this.renderer.setSize(clientWidth, clientHeight, false);
  }

  private readonly loop = (time: number): void => {
    this.request = requestAnimationFrame(this.loop);
    if (this.panes.length === 0 || performance.now() > this.stillAt) {
      [this.judgedAt, this.ticks, this.drawn] = [time, 0, 0];
      return;
    }
    this.judge(time);
    if (this.ticks % QUALITIES[this.quality].everyFrame !== 0) return;
    const began = performance.now();
    this.draw();
    this.drawn++;
    this.drawMs = 0.9 * this.drawMs + 0.1 * (performance.now() - began);
    if (!this.isSeen) {
      this.isSeen = true;
      this.options.onFirstFrame();
    }
  };

  /** Something is about to change, for so many milliseconds; the camera needs a while longer to come to rest. */
  private wake(duration = 0): void {
    this.stillAt = Math.max(this.stillAt, performance.now() + duration + 600);
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.options.canvas;
    const now = wallClock();
    const each = width / this.panes.length;
    this.panes.forEach((pane, i) => {
      pane.look(now, this.orbit);
      pane.camera.aspect = each / height;
      pane.camera.updateProjectionMatrix();
      this.renderer.setViewport(i * each, 0, each, height);
      this.renderer.setScissor(i * each, 0, each, height);
      this.renderer.render(pane.scene, pane.camera);
    });
  }

  /** Lowers the quality before the picture falls behind the simulation, and tries a better one again later. */
  private judge(time: number): void {
    this.ticks++;
    const passed = time - this.judgedAt;
    if (passed < JUDGED_MS) return;
    const interval = passed / this.ticks;
    const fps = (1000 * this.drawn) / passed;
    [this.judgedAt, this.ticks, this.drawn] = [time, 0, 0];
    // A page that was hidden was not slow.
    if (interval > JUDGED_MS) return;
    this.options.onStatistics({ fps, draw: this.drawMs, quality: this.quality });
    if (interval > SLOW_MS && this.quality < QUALITIES.length - 1) {
      this.quality++;
      this.patience *= 2;
      this.retryAt = time + this.patience;
    } else if (interval < SMOOTH_MS && this.quality > this.best && time > this.retryAt) {
      this.quality--;
    } else return;
    this.applyQuality();
  }

  private readonly onDown = (event: PointerEvent): void => {
    this.options.canvas.setPointerCapture(event.pointerId);
    this.pressed = { x: event.clientX, y: event.clientY, moved: false };
  };

  private readonly onMove = (event: PointerEvent): void => {
    if (this.pressed === undefined) return;
    const far = Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y);
    if (far > 4) this.pressed.moved = true;
    if (!this.pressed.moved) return;
    this.wake();
    this.orbit.azimuth -= event.movementX * 0.008;
    this.orbit.elevation = Math.min(Math.max(this.orbit.elevation + event.movementY * 0.006, -0.05), 1.4);
  };

  private readonly onUp = (event: PointerEvent): void => {
    const wasClick = this.pressed?.moved === false;
    this.pressed = undefined;
    if (wasClick && this.panes.length > 0) this.pushFrom(event);
  };

  /** Away from where the click was, as seen by the person who clicked. */
  private pushFrom(event: PointerEvent): void {
    const { left, top, width, height } = this.options.canvas.getBoundingClientRect();
    const each = width / this.panes.length;
    const index = Math.min(Math.floor((event.clientX - left) / each), this.panes.length - 1);
    const { camera, body } = this.panes[index];
    const seen = body.centre.clone().project(camera);
    const x = ((event.clientX - left - index * each) / each) * 2 - 1;
    const y = 1 - ((event.clientY - top) / height) * 2;
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const direction = right.multiplyScalar((seen.x - x) * camera.aspect).add(up.multiplyScalar(seen.y - y));
    this.push(index, direction);
  }

  /** A push forwards, for those who use no pointer. */
  pushForwards(): void {
    this.panes.forEach((_, i) => this.push(i, new Vector3(1, 0, 0)));
  }

  private push(pane: number, direction: Vector3): void {
    const { x, y, z } = direction.normalize().multiplyScalar(this.inertia * PUSH_SPEED);
    this.options.onPush(pane, [x, y, z]);
  }

  private readonly onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.wake();
    this.orbit.distance = Math.min(Math.max(this.orbit.distance * Math.exp(event.deltaY * 0.001), 2), 14);
  };
}

function drawsWithProcessor(context: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = names === null ? '' : String(context.getParameter(names.UNMASKED_RENDERER_WEBGL));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
