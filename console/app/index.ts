export { App } from './app.tsx';
export { loadSettings } from './console-settings.ts';
