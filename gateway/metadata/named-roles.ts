import type { Grants, InheritedRole } from './inherited-roles.ts';

/** Returns every role that has a permission in the metadata. */
export function namedRoles({
  remoteSchemas,
  actions,
  services,
  inheritedRoles,
}: Grants & { readonly inheritedRoles: readonly InheritedRole[] }): readonly string[] {
  const permissions = [
    ...remoteSchemas.flatMap((remote) => remote.permissions ?? []),
    ...actions.actions.flatMap((action) => action.permissions),
    ...services.flatMap((service) => service.permissions ?? []),
  ];
  const named = permissions.map((permission) => permission.role);
  return [...new Set([...named, ...inheritedRoles.map(({ role_name }) => role_name)])];
}
