export { normalizeUsername } from './account.ts';
export { type Client, createLogin, type Login, type LoginInput, type LoginResult } from './login.ts';
export { type Caller, createReadUser, type ReadUser } from './read-user.ts';
