import { render } from 'preact';
import { App } from './app.js';
import { connect } from './simulation.js';
import { failure, start } from './state.js';

render(<App />, document.getElementById('app')!);
connect();
start().catch((error: unknown) => {
  failure.value = error instanceof Error ? error.message : String(error);
});
