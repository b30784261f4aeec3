/**
 * Sessions of onnxruntime that are opened once for all trainings of a test file. They hold no state, and where the same training
 * is begun and resumed again and again, opening them anew is most of what it takes.
 */
import type { OnnxRuntime, OnnxSession } from '../../src/tensor/onnx/session.js';

/** The module of the runtime with sessions that are shared; for vi.mock. */
export function sharing<M extends { readonly onnxruntimeNode: OnnxRuntime }>(module: M): M {
  const opened = new Map<string, Promise<OnnxSession>>();
  const open: OnnxRuntime['open'] = async (model, threads) => {
    const key = `${threads} ${Buffer.from(model).toString('latin1')}`;
    const session = opened.get(key) ?? module.onnxruntimeNode.open(model, threads);
    opened.set(key, session);
    const shared = await session;
    return { run: (inputs, into) => shared.run(inputs, into), release: () => Promise.resolve() };
  };
  return { ...module, onnxruntimeNode: { ...module.onnxruntimeNode, open } };
}
