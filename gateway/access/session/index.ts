export type { Authenticator, AuthHookSettings, RevocationSettings } from './authentication/index.ts';
export {
  type AuthenticationDependencies,
  type AuthenticationSettings,
  createWrongSecrets,
  knownSessionVariables,
  MIN_ADMIN_SECRET_LENGTH,
  openAuthenticator,
  type WrongSecrets,
} from './authentication/index.ts';
export { refuseCrossSite } from './cross-site.ts';
export { CHALLENGE, roleNotAllowed } from './errors.ts';
export { type JwtSecret, parseJwtSecret, parseJwtSecrets } from './jwt/index.ts';
export { createSession, type Session, type SessionValidity } from './session.ts';
export {
  ADMIN_ROLE,
  OPERATOR_SCOPE,
  ROLE_VARIABLE,
  sessionVariableProblem,
  TENANT_VARIABLE,
} from './session-variables.ts';
