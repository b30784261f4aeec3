/** For what could not be loaded: a server may be back by now, or a file mended. */
import { tryAgain } from './state.js';

export function TryAgain() {
  return (
    <p>
      <button onClick={tryAgain}>Try again</button>
    </p>
  );
}
