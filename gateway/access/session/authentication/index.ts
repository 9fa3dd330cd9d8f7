export { MIN_ADMIN_SECRET_LENGTH } from './admin-secret.ts';
export type { AuthHookSettings } from './auth-hook.ts';
export type { Authenticator } from './authenticator.ts';
export { knownSessionVariables } from './known-variables.ts';
export {
  type AuthenticationDependencies,
  type AuthenticationSettings,
  openAuthenticator,
} from './open-authenticator.ts';
export type { RevocationSettings } from './revocations.ts';
export { createWrongSecrets, type WrongSecrets } from './wrong-secrets.ts';
