import { render } from 'preact';
import { App } from './app.tsx';
import { liveFeed } from './live.ts';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
liveFeed.start();
