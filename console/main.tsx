import { render } from 'preact';
import { App } from './app/index.ts';

const place = document.getElementById('console');
if (place) render(<App />, place);
