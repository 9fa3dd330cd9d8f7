export type { ReadEntry } from '../audit/index.ts';
export { isDatabaseUnavailable } from '../database/index.ts';
export { HashQueueFullError, type PasswordProblem } from '../passwords/index.ts';
export { FIRST_PARTY_CLIENT } from '../tokens/index.ts';
export { normalizeUsername } from './account.ts';
export {
  type AdministeredClient,
  type AdministeredKey,
  type AdministeredUser,
  type Administration,
  AdministrationError,
  type AdministrationErrorCode,
  type AdministrationUseCase,
  type Administrator,
  createAdministration,
  createIdentifyAdministrator,
  type IdentifyAdministrator,
  type ListedTenant,
  MAX_TENANT_ID,
  type NamedClaim,
  notAdministrator,
  type Page,
  PLATFORM_SCOPE,
  placeAfter,
  readRoleSet,
  readUsername,
  type ThrottledUser,
} from './administration/index.ts';
export {
  type ChangePassword,
  type ChangePasswordInput,
  type ChangePasswordResult,
  createChangePassword,
} from './change-password.ts';
export {
  type ActiveToken,
  type AuthenticateClient,
  addClient,
  type ClientAccount,
  type ClientCredentials,
  clientSecretHash,
  createAuthenticateClient,
  createClientCredentials,
  createIntrospect,
  createRevokeToken,
  type Introspect,
  type NewClient,
  type RevokeToken,
} from './clients/index.ts';
export { countPasswords } from './count-passwords.ts';
export { type AuthenticatedCaller, createIdentifyCaller, type IdentifyCaller } from './identify-caller.ts';
export { createListSessions, type ListedSession, type ListSessions } from './list-sessions.ts';
export type { LivingSession } from './living-sessions.ts';
export { createLogin, type Login, type LoginInput, type LoginResult, type RequestOrigin } from './login.ts';
export { createLogout, type Logout, type LogoutInput, type LogoutResult } from './logout.ts';
export { addUser, importUsers, type NewUser } from './manage-users.ts';
export { acceptPepper, type PepperVerification, requireKnownPeppers, verifyPeppers } from './pepper-checks.ts';
export {
  createReadAudit,
  type ReadAudit,
  type ReadAuditInput,
  type ReadAuditResult,
} from './read-audit.ts';
export {
  type ConfirmRotations,
  createConfirmRotations,
  createRefresh,
  type Refresh,
  type RefreshInput,
  type RefreshResult,
  type SpentToken,
} from './refresh/index.ts';
export {
  createListRevocations,
  type ListRevocations,
} from './revocations.ts';
export {
  createRevokeSession,
  type RevokeSession,
  type RevokeSessionInput,
  type RevokeSessionResult,
} from './revoke-session.ts';
export type { SessionLifetime, Tokens } from './session-terms.ts';
export { createDisableTenant, createEnableTenant } from './switch-tenant.ts';
