import { likelyMeant } from '../../../platform/index.ts';
import type { AllowListEntry } from '../allow-list.ts';
import type { ApiLimits } from '../api-limits.ts';
import type { Grants, InheritanceConflict, InheritedRole } from '../inherited-roles.ts';
import type { Kind } from '../store.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from '../yaml/index.ts';

/** The metadata that names roles, without inherited permissions. */
export interface RoleMentions extends Grants {
  readonly allowList: readonly AllowListEntry[];
  readonly apiLimits: ApiLimits;
  readonly introspectionDisabledFor: readonly string[];
  readonly inheritedRoles: readonly InheritedRole[];
}

type Locate = (kind: Kind, path: ValuePath) => MetadataLocation;

interface Mention {
  readonly role: string;
  readonly place: MetadataLocation;
  /** Whether the role gets a permission here. */
  readonly isPermission: boolean;
}

/** Roles that always exist. */
const WELL_KNOWN = ['admin', 'anonymous'];

/** Warns about role names that are probably misspelt. */
export function roleWarnings(
  metadata: RoleMentions,
  conflicts: readonly InheritanceConflict[],
  place: Locate,
): readonly MetadataProblem[] {
  const mentions = mentionsIn(metadata, place);
  return [
    ...slips(mentions),
    ...adminPermissions(mentions),
    ...emptyInheritance(metadata, mentions, place),
    ...conflicts.map(({ role, remoteSchema, between: [one, other] }) => ({
      ...place('inheritedRoles', [indexOf(metadata.inheritedRoles, role), 'role_set']),
      message:
        other === undefined
          ? `"${role}" sees nothing of the remote schema "${remoteSchema}" because the roles of its role "${one}" have different permissions there`
          : `"${role}" sees nothing of the remote schema "${remoteSchema}": its roles "${one}" and "${other}" have different permissions there; give the role its own permission to resolve this`,
    })),
  ];
}

function mentionsIn(metadata: RoleMentions, place: Locate): readonly Mention[] {
  const permission = (role: string, kind: Kind, ...path: PropertyKey[]): Mention => ({
    role,
    place: place(kind, path),
    isPermission: true,
  });
  const other = (role: string, kind: Kind, ...path: PropertyKey[]): Mention => ({
    role,
    place: place(kind, path),
    isPermission: false,
  });
  const { remoteSchemas, actions, services, allowList, apiLimits, introspectionDisabledFor, inheritedRoles } = metadata;
  return [
    ...remoteSchemas.flatMap(({ permissions = [] }, index) =>
      permissions.map(({ role }, at) => permission(role, 'remoteSchemas', index, 'permissions', at, 'role')),
    ),
    ...actions.actions.flatMap(({ permissions }, index) =>
      permissions.map(({ role }, at) => permission(role, 'actions', 'actions', index, 'permissions', at, 'role')),
    ),
    ...services.flatMap(({ permissions = [] }, index) =>
      permissions.map(({ role }, at) => permission(role, 'services', index, 'permissions', at, 'role')),
    ),
    ...allowList.flatMap(({ scope }, index) =>
      (scope.roles ?? []).map((role, at) => other(role, 'allowList', index, 'scope', 'roles', at)),
    ),
    ...Object.entries(apiLimits).flatMap(([limit, value]) =>
      typeof value === 'object' && value !== null
        ? Object.keys(value.per_role).map((role) => other(role, 'apiLimits', limit, 'per_role', role))
        : [],
    ),
    ...introspectionDisabledFor.map((role, index) => other(role, 'introspection', 'disabled_for_roles', index)),
    ...inheritedRoles.flatMap(({ role_name, role_set }, index) => [
      other(role_name, 'inheritedRoles', index, 'role_name'),
      ...role_set.map((role, at) => other(role, 'inheritedRoles', index, 'role_set', at)),
    ]),
  ];
}

/** Warns about roles that are named once and resemble one that is named more often or always exists. */
function slips(mentions: readonly Mention[]): readonly MetadataProblem[] {
  const counts = new Map<string, number>(WELL_KNOWN.map((role) => [role, 2]));
  for (const { role } of mentions) counts.set(role, (counts.get(role) ?? 0) + 1);
  const known = [...counts].filter(([, count]) => count > 1).map(([role]) => role);
  return mentions.flatMap(({ role, place }) => {
    const meant = counts.get(role) === 1 ? likelyMeant(role, known) : undefined;
    return meant
      ? [{ ...place, message: `the role "${role}" is not used anywhere else: did you mean "${meant}"?` }]
      : [];
  });
}

function adminPermissions(mentions: readonly Mention[]): readonly MetadataProblem[] {
  return mentions
    .filter(({ role, isPermission }) => role === 'admin' && isPermission)
    .map(({ place }) => ({
      ...place,
      message: 'has no effect: the role "admin" always has access to everything',
    }));
}

/** Warns about roles without permissions that others inherit from. With databases, they may have permissions there. */
function emptyInheritance(
  { inheritedRoles }: RoleMentions,
  mentions: readonly Mention[],
  place: Locate,
): readonly MetadataProblem[] {
  const permitted = new Set(mentions.filter(({ isPermission }) => isPermission).map(({ role }) => role));
  for (const { role_name } of inheritedRoles) permitted.add(role_name);
  return inheritedRoles.flatMap(({ role_set }, index) =>
    role_set.flatMap((role, at) => {
      if (permitted.has(role) && role !== 'admin') return [];
      const why =
        role === 'admin'
          ? 'the role "admin" has no permissions to inherit'
          : `no remote schema, action or service has a permission for the role "${role}"`;
      return [{ ...place('inheritedRoles', [index, 'role_set', at]), message: `grants nothing: ${why}` }];
    }),
  );
}

function indexOf(roles: readonly InheritedRole[], role: string): number {
  return roles.findIndex(({ role_name }) => role_name === role);
}
