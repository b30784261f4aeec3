/** Draws robots with three.js: one canvas, a part of it for each pane. */
import { PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import { wallClock, type RobotFrame, type Spectator } from './messages.js';
import { reachOf } from './robot-body.js';
import { Patterns } from './robot-floor.js';
import type { ThemeName } from './robot-light.js';
import { QualityControl, WITH_GPU, WITHOUT_GPU } from './robot-quality.js';
import { RobotScene, type Orbit } from './robot-scene.js';

/** Opaque, so that a browser need not mix it with what is below; three.js does not do so by itself. */
const CONTEXT: WebGLContextAttributes = {
  alpha: false,
  antialias: false,
  stencil: true,
  powerPreference: 'high-performance',
};

/** Velocity that a push gives, in metres per second, if the whole robot were one piece. */
const PUSH_SPEED = 2.5;

export interface DrawingStatistics {
  readonly fps: number;
  readonly draw: number;
  readonly quality: number;
}

export interface RobotViewEvents {
  /** A click on the canvas: the force in newtons that it means. */
  readonly onPush: (pane: number, force: readonly [number, number, number]) => void;
  readonly onStatistics: (statistics: DrawingStatistics) => void;
  readonly onFirstFrame: () => void;
}

export class RobotView implements Spectator {
  readonly canvas = document.createElement('canvas');
  /** Whether the processor does what a graphics card is for. */
  readonly isSoftware: boolean;
  private readonly renderer: WebGLRenderer;
  private readonly orbit: Orbit = { azimuth: 0.25, elevation: 0.2, distance: 4.6 };
  private readonly observer = new ResizeObserver(([{ contentRect }]) => {
    this.resize(contentRect.width, contentRect.height);
  });
  private events: RobotViewEvents | undefined;
  private panes: RobotScene[] = [];
  private geoms: readonly RobotGeom[] = [];
  /** The force that changes the speed of the whole robot by one metre per second in one step. */
  private inertia = 0;
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
  private pressed: { readonly x: number; readonly y: number; moved: boolean } | undefined;

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
    canvas.addEventListener('wheel', this.onWheel, { passive: false });
  }

  /** Draws below an element, until it leaves it. */
  enter(parent: Element, events: RobotViewEvents): void {
    this.events = events;
    parent.append(this.canvas);
    this.resize(parent.clientWidth, parent.clientHeight);
    this.observer.observe(this.canvas);
    this.request = requestAnimationFrame(this.loop);
  }

  leave(): void {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.canvas.remove();
    this.setPanes(0, 1);
    this.events = undefined;
  }

  meet(geoms: readonly RobotGeom[], mass: number, stepSeconds: number): void {
    this.geoms = geoms;
    this.inertia = mass / stepSeconds;
    this.setPanes(0, 1);
    this.isSeen = false;
  }

  see(frames: readonly RobotFrame[], at: number, duration: number): void {
    if (frames.length !== this.panes.length) this.setPanes(frames.length, reachOf(frames[0], this.geoms));
    const floor = this.geoms.findIndex(({ kind }) => kind === 'plane');
    this.wake(duration);
    frames.forEach((frame, i) => {
      const height = floor < 0 ? 0 : frame.picture.positions[3 * floor + 2];
      this.panes[i].show(frame, height, at, duration);
    });
  }

  setColours(colours: readonly string[]): void {
    this.wake();
    this.colours = colours;
    this.panes.forEach((pane, i) => pane.body.colour(colours[i] ?? '#888888'));
  }

  setTheme(theme: ThemeName): void {
    this.wake();
    this.theme = theme;
    for (const pane of this.panes) pane.setTheme(theme);
  }

  /** Compiles everything while the worker loads physics. What this draws is never disposed of, so it is not done again. */
  private warmUp(): void {
    const pane = new RobotScene([{ body: 'none', kind: 'sphere', radius: 1, halfLength: 0 }], 1, this.patterns);
    pane.setTheme(this.theme);
    pane.setShadow(this.control.quality.shadow);
    this.renderer.render(pane.scene, pane.camera);
  }

  private setPanes(count: number, reach: number): void {
    for (const pane of this.panes) pane.dispose();
    this.panes = Array.from({ length: count }, () => new RobotScene(this.geoms, reach, this.patterns));
    this.setColours(this.colours);
    this.setTheme(this.theme);
    this.applyQuality();
  }

  private applyQuality(): void {
    for (const pane of this.panes) pane.setShadow(this.control.quality.shadow);
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
    if (this.panes.length === 0 || this.width * this.height === 0 || performance.now() > this.stillAt) {
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

  private judge(time: number): void {
    const judged = this.control.tick(time);
    if (judged === undefined) return;
    this.events?.onStatistics({ fps: judged.fps, draw: this.drawMs, quality: judged.level });
    if (judged.isChanged) this.applyQuality();
  }

  private readonly onReturn = (): void => this.control.restart(performance.now());

  private readonly onDown = (event: PointerEvent): void => {
    this.canvas.setPointerCapture(event.pointerId);
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
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
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
    this.events?.onPush(pane, [x, y, z]);
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
