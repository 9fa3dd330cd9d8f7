export type { Claims } from './credentials.ts';
export {
  allowedRoles,
  authorization,
  authorized,
  claims,
  endedBecause,
  enterAccessToken,
  enterAdminSecret,
  isLoggedIn,
  kindOfSession,
  type Login,
  logIn,
  logOut,
  pickRole,
  query,
  role,
} from './session.ts';
export { USER_STORAGE, whenLoggedOut } from './user-storage.ts';
