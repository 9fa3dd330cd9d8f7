export {
  type AdministeredTenants,
  type AssignableRights,
  createAdministeredTenants,
} from './administered-tenants.ts';
export type { AdministeredUser, ListUsersInput, UserInput } from './administered-users.ts';
export { type Administration, type AdministrationOptions, createAdministration } from './administration.ts';
export {
  type Administrator,
  createIdentifyAdministrator,
  type IdentifyAdministrator,
  PLATFORM_SCOPE,
} from './administrator.ts';
export type {
  ChangedUser,
  CreatedUser,
  CreateUserInput,
  SetClaimsInput,
  SetRolesInput,
} from './change-users.ts';
export { AdministrationError, type AdministrationErrorCode, notAdministrator } from './errors.ts';
export type { NamedClaim, Page, PageInput } from './input.ts';
export type { ListedTenant, ListTenantsInput, TenantInput } from './tenant-list.ts';
