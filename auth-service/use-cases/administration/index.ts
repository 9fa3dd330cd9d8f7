export type { AdministeredClient } from './administered-clients.ts';
export { type AdministeredUser, placeAfter } from './administered-users.ts';
export { type Administration, createAdministration } from './administration.ts';
export {
  type AdministrationUseCase,
  type Administrator,
  createIdentifyAdministrator,
  type IdentifyAdministrator,
  PLATFORM_SCOPE,
} from './administrator.ts';
export { AdministrationError, type AdministrationErrorCode, notAdministrator } from './errors.ts';
export { MAX_TENANT_ID, type NamedClaim, type Page, readRoleSet, readUsername } from './input.ts';
export type { AdministeredKey } from './signing-keys.ts';
export type { ListedTenant } from './tenant-list.ts';
export type { ThrottledUser } from './throttled-accounts.ts';
