import type { Metadata } from './load.ts';

/** Every role that the metadata gives something to. */
export function namedRoles({ remoteSchemas, actions, services }: Metadata): readonly string[] {
  const permissions = [
    ...remoteSchemas.flatMap((remote) => remote.permissions ?? []),
    ...actions.actions.flatMap((action) => action.permissions),
    ...services.flatMap((service) => service.permissions ?? []),
  ];
  return [...new Set(permissions.map((permission) => permission.role))];
}
