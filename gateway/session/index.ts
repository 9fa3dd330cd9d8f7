export type { AuthHookSettings } from './auth-hook.ts';
export type { Authenticator } from './authenticator.ts';
export { refuseCrossSite } from './cross-site.ts';
export { type JwtSecret, parseJwtSecret, parseJwtSecrets } from './jwt-secret.ts';
export { knownSessionVariables } from './known-variables.ts';
export { type AuthenticationSettings, openAuthenticator } from './open-authenticator.ts';
export { CHALLENGE, roleNotAllowed } from './refusals.ts';
export type { RevocationSettings } from './revocations.ts';
export { createSession, type Session, type Standing } from './session.ts';
