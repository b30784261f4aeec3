/**
 * The tensor compiler: a step of a computation is traced into a graph of primitive operations, differentiated, replicated,
 * simplified, lowered for a device and run there. This file is the face of it for the rest of the project.
 */
export { compile, deviceNames, isDeviceName, openDevice, resolveDevice, threadsOf } from './devices.js';
export type { CompileOptions } from './devices.js';
export type { Device, Executable, Memory, Storage } from './device.js';
export { grad } from './grad.js';
export type { Graph } from './graph.js';
export { Program, State } from './program.js';
export type { InputsOf, OutputsOf, ProgramOptions } from './program.js';
export { RowPrograms } from './row-programs.js';
export { mapSpecs, mapTensors, specsOf, tensorsOf } from './sets.js';
export { float32, int32, ShapeError, sizeOf } from './shape.js';
export type { DType, Shape, Spec, Values } from './shape.js';
export { step } from './step.js';
export type { PartialTree, Specs, SpecTree, Step, StepResult, Tensors } from './step.js';
export { concat, constant, iota, leaf, scatterAdd, select, stack, Tensor, zeros } from './tensor.js';
export type { Axes, BinaryKind, CompareKind, Op, Operand, UnaryKind } from './tensor.js';
export type { MapTree, Tree } from './tree.js';
