export { ADMINISTRATOR_ROLES, OPERATOR_ROLES } from './administrator-roles.ts';
export type { Claims } from './credentials.ts';
export { isInterrupted } from './interrupted-session.ts';
export type { PasswordLogin } from './kept-session.ts';
export { pickRole } from './picked-role.ts';
export {
  allowedRoles,
  authorization,
  authorized,
  claims,
  endedBecause,
  enterAccessToken,
  enterAdminSecret,
  isLoggedIn,
  isRestoring,
  kindOfSession,
  logIn,
  logInWithServiceAccount,
  logOut,
  query,
  restoreProblem,
  restoreSession,
  role,
  userKey,
} from './session.ts';
export { ownsStorage, USER_STORAGE, whenLoggedOut } from './user-storage.ts';
