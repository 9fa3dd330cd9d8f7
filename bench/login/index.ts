export { type LoginFigures, measureLoginFigures } from './measure-login.ts';
export { BCRYPT_COST } from './platform.ts';
