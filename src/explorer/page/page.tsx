/** Shows the page, as soon as there is something to show. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.js';
import { isBegun, showTheRest } from './early.js';
import { describeInHead } from './head.js';
import { connect } from './simulation.js';
import { failure, run, runId, start } from './state.js';

/** The longest that the page stays empty. */
const EMPTY_MS = 500;

connect();
describeInHead();
start().catch((error: unknown) => {
  failure.value = error instanceof Error ? error.message : String(error);
});
effect(() => {
  const isWithoutPicture = runId.value !== '' && run.value?.hasModel !== true;
  if (isWithoutPicture || failure.value !== '') showTheRest();
});
await Promise.race([isBegun, new Promise((resolve) => setTimeout(resolve, EMPTY_MS))]);
render(<App />, document.getElementById('app')!);
