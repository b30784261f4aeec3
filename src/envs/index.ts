export type {
  Action,
  ActionOf,
  Continuous,
  Discrete,
  Environment,
  EnvState,
  Info,
  Objective,
  Reset,
  ResetOptions,
  Space,
  StateValue,
  StepOutcome,
  EnvStep,
} from './contract.js';
export { checkEnv, CONTRACT, type ContractProblem, type ContractRule, type Subject } from './check.js';
export type { Vector as RobotVector } from './mujoco/robot.js';
export { isRobotEnvironment, type RobotEnvironment, type RobotGeom, type RobotPicture } from './mujoco/locomotion.js';
export { defineMujocoEnv, type MujocoDefinition, type MujocoObjective, type MujocoStep } from './mujoco/own.js';
export type {
  ArrayName as MujocoArrayName,
  Arrays as MujocoArrays,
  Derived as MujocoDerived,
} from './mujoco/simulation.js';
export {
  allowedFor,
  defineEnv,
  typicalValues,
  type ChoiceOption,
  type EnvDefinition,
  type EnvEntry,
  type EnvInfo,
  type EnvOption,
  type EnvOptionTable,
  type EnvSettings,
  type EnvView,
  type NumberOption,
  type OptionValue,
  type OptionValues,
  type PresetName,
  type Rules,
} from './registration.js';
export {
  envIds,
  envInfo,
  envModule,
  envOptions,
  importEnvs,
  isKnownToThreads,
  makeEnv,
  prepareEnv,
  register,
  type EnvOptions,
} from './registry.js';
export type { ScenePaint, ScenePoint, SceneShape } from './scene.js';
export { continuous, cube, dimensions, discrete } from './spaces.js';
export { environmentOf, loadInteger, loadNumber, type World } from './world.js';
export {
  linearScalarisation,
  normaliseObservations,
  normaliseRewards,
  recordReturns,
  timeLimit,
  type DiscountOptions,
  type EpisodeRecord,
} from './wrappers.js';
