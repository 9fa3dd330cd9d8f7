import { render } from 'preact';
import { App } from './app/index.ts';
import { restore } from './session/index.ts';

void restore();
const place = document.getElementById('console');
if (place) render(<App />, place);
