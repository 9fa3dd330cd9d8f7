export { type ConsoleFiles, readConsoleFiles } from './console-files.ts';
export { CONSOLE_PATH, consolePage, isConsolePath } from './console-page.ts';
export { takeSessionCookies } from './session-cookie.ts';
