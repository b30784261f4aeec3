import { DESCRIPTION_FILE, WEIGHTS_FILE } from './description.js';
import { readModel, type Model } from './model.js';

/**
 * The model of a run, from the files of its folder on a web server. Rejects with a sentence for people.
 * @param run the address of the folder, such as 'runs/half-cheetah/'
 * @param get fetches a file, where fetch itself is not to
 */
export async function fetchModel(
  run: string | URL,
  get: (address: string) => Promise<Response> = (address) => fetch(address),
): Promise<Model> {
  const folder = String(run).replace(/\/?$/, '/');
  const [description, weights] = await Promise.all([
    fetched(folder, DESCRIPTION_FILE, get).then((response): Promise<unknown> => response.json()),
    fetched(folder, WEIGHTS_FILE, get).then((response) => response.arrayBuffer()),
  ]);
  try {
    return readModel(description, new Uint8Array(weights));
  } catch (error) {
    throw error instanceof RangeError ? new Error(`This run cannot be played: ${error.message}.`) : error;
  }
}

async function fetched(folder: string, name: string, get: (address: string) => Promise<Response>): Promise<Response> {
  const response = await get(folder + name);
  if (response.status === 404) throw new Error(`${name} of this run is missing.`);
  if (!response.ok) throw new Error(`${name} of this run cannot be read (${response.status}).`);
  return response;
}
