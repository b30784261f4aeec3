/** What the page and its worker say to each other. */
import type { Continuous, OptionValues, RobotGeom, RobotPicture } from '../../envs/index.js';

export type Preference = readonly number[];

export type ToWorker =
  /** Loads what an environment needs, because a run of it is about to be opened. */
  | { readonly kind: 'prepare'; readonly env: string; readonly module: string | undefined }
  /** Loads a run and begins to play it, one pane for each preference. Every answer names the session. */
  | {
      readonly kind: 'open';
      readonly session: number;
      /** Addresses of folders of runs, with a slash at their end: that of all panes, or one for each of two. */
      readonly runs: readonly string[];
      /** The files of those that are on no server, by address and name. */
      readonly held?: ReadonlyMap<string, ReadonlyMap<string, string | Uint8Array>>;
      readonly env: string;
      /** Address of the module that the environment is imported from, where it does not come with the page. */
      readonly module: string | undefined;
      readonly envOptions: OptionValues;
      /** Those of the second of two runs. */
      readonly rivalOptions?: OptionValues;
      /** How the run's returns were measured. */
      readonly returnDiscount: number;
      readonly episodes: number;
      readonly preferences: readonly Preference[];
    }
  /** Ends what was opened. */
  | { readonly kind: 'close' }
  /** Opens and closes panes, until there is one for each preference. */
  | { readonly kind: 'panes'; readonly preferences: readonly Preference[] }
  /** Changes the policy of a pane; the environment goes on where it is. `askedAt` is in milliseconds since 1970. */
  | { readonly kind: 'prefer'; readonly pane: number; readonly preference: Preference; readonly askedAt: number }
  /** Simulated seconds per second; 0 pauses. */
  | { readonly kind: 'play'; readonly speed: number }
  | { readonly kind: 'step' }
  | { readonly kind: 'reset' }
  /** A force on the torso in newtons, for one step. */
  | { readonly kind: 'push'; readonly pane: number; readonly force: Force }
  /** One on some body, until another one or none takes its place. */
  | { readonly kind: 'pull'; readonly pane: number; readonly pull: Pull | undefined };

/** In newtons, along the axes of the world. */
export type Force = readonly [x: number, y: number, z: number];

/** What somebody does who has taken hold of a robot. */
export interface Pull {
  readonly body: string;
  readonly force: Force;
}

/** An environment after a step. */
export interface PaneFrame {
  /** Where the parts of a robot are. */
  readonly picture?: RobotPicture;
  readonly observation: Float32Array;
  /** What is done next: an index where actions are discrete. */
  readonly action: number | Float32Array;
  readonly reward: readonly number[];
  /** Of the episode so far, discounted as the run's returns are. */
  readonly returns: readonly number[];
  readonly step: number;
  readonly episode: number;
}

/** A robot after a step. */
export interface RobotFrame extends PaneFrame {
  readonly picture: RobotPicture;
}

/** What a preference achieves. */
export interface Achieved {
  readonly preference: Preference;
  /** The mean of the episodes that have been played so far; after the last one what an evaluation would find. */
  readonly returns: readonly number[];
  /** Where the first one led, in environments with few states. */
  readonly path: readonly Place[];
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

export type FromWorker = { readonly session: number } & (
  | {
      readonly kind: 'robot';
      readonly geoms: readonly RobotGeom[];
      readonly mass: number;
      readonly stepSeconds: number;
    }
  /** Of an environment that is shown step by step, for each pane that there is at first. */
  | { readonly kind: 'world'; readonly observationSpaces: readonly Continuous[] }
  | {
      readonly kind: 'frame';
      readonly panes: readonly PaneFrame[];
      /** When this is how things stand, in milliseconds since 1970, and how long until the next frame. */
      readonly at: number;
      readonly duration: number;
      /** Milliseconds that physics and policies took. */
      readonly cost: number;
    }
  /** The policy of a pane has changed, and so has its next action. */
  | {
      readonly kind: 'policy';
      readonly pane: number;
      /** Undefined where nobody asked for another preference. */
      readonly askedAt: number | undefined;
      readonly actedAt: number;
      /** Some of its parameters, evenly spread. */
      readonly parameters: Float32Array;
      /** The preference whose policy it is, where the model answers by that of another one. */
      readonly used: Preference | undefined;
    }
  | { readonly kind: 'achieved'; readonly pane: number; readonly achieved: Achieved }
  | { readonly kind: 'problem'; readonly message: string }
  /** The first one, before anything is opened: from now on it hears what it is told, whatever the page is busy with. */
  | { readonly kind: 'alive' }
);

/** What draws the robots. */
export interface Spectator {
  /** @param mass in kilograms */
  meet(geoms: readonly RobotGeom[], mass: number, stepSeconds: number): void;
  see(panes: readonly RobotFrame[], at: number, duration: number): void;
}

/** Milliseconds since 1970, more exactly than Date.now(), and the same in page and worker. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
