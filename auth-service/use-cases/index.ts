export type { ReadEntry } from '../audit/index.ts';
export { isDatabaseAway } from '../database/index.ts';
export type { PasswordProblem } from '../passwords/index.ts';
export { FIRST_PARTY_CLIENT } from '../tokens/index.ts';
export { normalizeUsername } from './account.ts';
export { type AuthenticateClient, type ClientAccount, createAuthenticateClient } from './authenticate-client.ts';
export {
  type ChangePassword,
  type ChangePasswordInput,
  type ChangePasswordResult,
  createChangePassword,
} from './change-password.ts';
export { type ClientCredentials, createClientCredentials } from './client-credentials.ts';
export { type ConfirmRotations, createConfirmRotations, type SpentToken } from './confirm-rotations.ts';
export { countPasswords } from './count-passwords.ts';
export { endSessions, lockUser, type SessionsToEnd } from './end-sessions.ts';
export { type Caller, createIdentifyCaller, type IdentifyCaller } from './identify-caller.ts';
export { type ActiveToken, createIntrospect, type Introspect } from './introspect.ts';
export { createListSessions, type ListedSession, type ListSessions } from './list-sessions.ts';
export { type Client, createLogin, type Login, type LoginInput, type LoginResult } from './login.ts';
export { createLogout, type Logout, type LogoutInput, type LogoutResult } from './logout.ts';
export { addClient, type NewClient, revokeClient } from './manage-clients.ts';
export { addUser, generatePassword, importUsers, type NewUser, resetPassword } from './manage-users.ts';
export { acceptPepper, judgePeppers, type PepperVerdict, requireKnownPeppers } from './pepper-checks.ts';
export {
  createReadAudit,
  type ReadAudit,
  type ReadAuditInput,
  type ReadAuditResult,
} from './read-audit.ts';
export { createRefresh, type Refresh, type RefreshInput, type RefreshResult } from './refresh.ts';
export {
  createListRevocations,
  type ListRevocations,
  type NewRevocation,
  recordRevocations,
} from './revocations.ts';
export {
  createRevokeSession,
  type RevokeSession,
  type RevokeSessionInput,
  type RevokeSessionResult,
} from './revoke-session.ts';
export { createRevokeToken, type RevokeToken } from './revoke-token.ts';
export type { SessionLifetime, Tokens } from './session-terms.ts';
export { createDisableTenant, createEnableTenant, type SwitchTenant } from './switch-tenant.ts';
export { createDisableUser, createEnableUser, type DisableUser, type EnableUser, type UserKey } from './switch-user.ts';
