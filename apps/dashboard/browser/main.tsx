import { render } from 'preact';
import { App } from './app.tsx';
import { liveFeed } from './live.ts';

const root = document.getElementById('app');
// What it says where nothing of this runs.
root?.replaceChildren();
if (root !== null) render(<App />, root);
liveFeed.start();
