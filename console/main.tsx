import { render } from 'preact';
import { App, loadSettings } from './app/index.ts';
import { restoreSession } from './session/index.ts';

void loadSettings();
void restoreSession();
// It would be looked for below the address of each page that is opened.
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
if (icon) icon.setAttribute('href', icon.href);
const place = document.getElementById('console');
if (place) render(<App />, place);
