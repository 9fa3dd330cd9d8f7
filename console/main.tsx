import { render } from 'preact';
import { App, loadSettings } from './app/index.ts';
import { restore } from './session/index.ts';

void loadSettings();
void restore();
const place = document.getElementById('console');
if (place) render(<App />, place);
