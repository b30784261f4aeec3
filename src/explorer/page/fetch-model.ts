import { DESCRIPTION_FILE, readModel, WEIGHTS_FILE, type Model } from '../../model/index.js';

/** The model of a run, from the files of its folder. Rejects with a sentence for people. */
export async function fetchModel(run: string): Promise<Model> {
  const [description, weights] = await Promise.all([
    fetched(run, DESCRIPTION_FILE).then((response): Promise<unknown> => response.json()),
    fetched(run, WEIGHTS_FILE).then((response) => response.arrayBuffer()),
  ]);
  try {
    return readModel(description, new Uint8Array(weights));
  } catch (error) {
    throw error instanceof RangeError ? new Error(`This run cannot be played: ${error.message}.`) : error;
  }
}

async function fetched(run: string, name: string): Promise<Response> {
  const response = await fetch(run + name);
  if (!response.ok) throw new Error(`${name} of this run cannot be read (${response.status}).`);
  return response;
}
