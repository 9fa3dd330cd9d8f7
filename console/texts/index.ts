// Every text that the console shows is in this room, one file for each page.
export { account } from './account.ts';
export { login } from './login.ts';
export { shell } from './shell.ts';
