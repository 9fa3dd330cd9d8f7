import { type ASTNode, Kind, parse, print, visit } from 'graphql';
import { z } from 'zod';
import type { SessionCondition } from '../access/variables/index.ts';
import type { ActionsMetadata } from './actions/index.ts';
import type { RemoteSchemaMetadata } from './remote-schemas.ts';
import type { ServiceMetadata } from './services.ts';
import { mapping, name } from './shapes/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** `inherited_roles.yaml`: roles that combine the permissions of other roles. */
export const inheritedRolesShape = z.array(mapping({ role_name: name, role_set: z.array(name) }));

export type InheritedRole = z.output<typeof inheritedRolesShape>[number];

const ADMIN = 'admin';

/**
 * Finds invalid inherited roles: repeated ones, `admin`, and those that inherit from themselves.
 *
 * @returns the problems, and the roles in an order in which each follows those that it inherits from.
 */
export function orderInheritedRoles(
  roles: readonly InheritedRole[],
  place: (path: ValuePath) => MetadataLocation,
): { ordered: readonly InheritedRole[]; problems: readonly MetadataProblem[] } {
  const problems: MetadataProblem[] = [];
  const known = new Map<string, InheritedRole>();
  roles.forEach((role, index) => {
    const at = place([index, 'role_name']);
    if (role.role_name === ADMIN)
      problems.push({ ...at, message: 'the role "admin" sees everything: it cannot inherit' });
    else if (known.has(role.role_name))
      problems.push({ ...at, message: `the inherited role "${role.role_name}" already exists` });
    else known.set(role.role_name, role);
  });
  const ordered: InheritedRole[] = [];
  const done = new Set<string>();
  const reported = new Set<string>();
  const follow = (role: InheritedRole, within: readonly string[]): void => {
    if (done.has(role.role_name)) return;
    const from = within.indexOf(role.role_name);
    if (from >= 0) {
      const circle = within.slice(from);
      if (circle.some((one) => reported.has(one))) return;
      for (const one of circle) reported.add(one);
      const path = [...circle, role.role_name].map((one) => `"${one}"`).join(' from ');
      problems.push({
        ...place([roles.indexOf(role), 'role_set']),
        message: `an inherited role cannot inherit from itself: ${path}`,
      });
      return;
    }
    for (const parent of role.role_set) {
      const inherited = known.get(parent);
      if (inherited) follow(inherited, [...within, role.role_name]);
    }
    if (done.has(role.role_name)) return;
    done.add(role.role_name);
    ordered.push(role);
  };
  for (const role of known.values()) follow(role, []);
  return { ordered, problems };
}

/** The kinds of objects with permissions. */
export interface Grants {
  readonly remoteSchemas: readonly RemoteSchemaMetadata[];
  readonly actions: ActionsMetadata;
  readonly services: readonly ServiceMetadata[];
}

/** An inherited role without a permission on a remote schema, because the permissions of its roles differ. */
export interface InheritanceConflict {
  readonly role: string;
  readonly remoteSchema: string;
  /** Two conflicting roles that the role inherits from, or a single one that has a conflict itself. */
  readonly between: readonly [string, string?];
}

/**
 * Adds inherited permissions, as Hasura v2 does. A role's own permission takes precedence. An action or a service is permitted
 * if any of the role's parents has the permission, under the session condition of any of them. A permission on a remote schema
 * is inherited if all parents with a permission have the same one with the same session conditions, ignoring order and
 * descriptions.
 *
 * @param roles in an order in which each follows those that it inherits from.
 */
export function withInherited(
  roles: readonly InheritedRole[],
  { remoteSchemas, actions, services }: Grants,
): Grants & { readonly conflicts: readonly InheritanceConflict[] } {
  if (roles.length === 0) return { remoteSchemas, actions, services, conflicts: [] };
  const conflicts: InheritanceConflict[] = [];
  return {
    remoteSchemas: remoteSchemas.map((remote) => {
      if (!remote.permissions) return remote;
      const inherited = inheritedPermissions(roles, remote, conflicts);
      return { ...remote, permissions: [...remote.permissions, ...inherited] };
    }),
    actions: {
      ...actions,
      actions: actions.actions.map((action) => ({
        ...action,
        permissions: [...action.permissions, ...heirs(roles, action.permissions)],
      })),
    },
    services: services.map((service) =>
      service.permissions
        ? { ...service, permissions: [...service.permissions, ...heirs(roles, service.permissions)] }
        : service,
    ),
    conflicts,
  };
}

/** A role's permission on an action or a service. Services have no session conditions. */
interface Grant {
  readonly role: string;
  readonly session_condition?: SessionCondition | undefined;
}

/** Returns the permissions of roles that inherit one. */
function heirs(roles: readonly InheritedRole[], permissions: readonly Grant[]): readonly Grant[] {
  const permitted = new Map<string, readonly Grant[]>();
  for (const grant of permissions) permitted.set(grant.role, [...(permitted.get(grant.role) ?? []), grant]);
  return roles.flatMap(({ role_name: role, role_set: parents }) => {
    const inherited = permitted.has(role) ? [] : parents.flatMap((parent) => permitted.get(parent) ?? []);
    if (inherited.length === 0) return [];
    const grant = { role, ...anyCondition(inherited) };
    permitted.set(role, [grant]);
    return [grant];
  });
}

/** The condition of a role that may do what any of the grants permits. It has none if a grant has none. */
function anyCondition(grants: readonly Grant[]): Pick<Grant, 'session_condition'> {
  const conditions = grants.flatMap(({ session_condition: condition }) => condition ?? []);
  if (conditions.length < grants.length) return {};
  const [only] = conditions;
  return { session_condition: only && conditions.length === 1 ? only : { kind: 'any', conditions } };
}

type Permission = NonNullable<RemoteSchemaMetadata['permissions']>[number];

/** A role's permission as written, its own or an inherited one. */
interface Held {
  readonly permission: Permission;
}

function inheritedPermissions(
  roles: readonly InheritedRole[],
  { name: remoteSchema, permissions = [] }: RemoteSchemaMetadata,
  conflicts: InheritanceConflict[],
): readonly Permission[] {
  const held = new Map<string, Held | 'conflict'>(permissions.map((permission) => [permission.role, { permission }]));
  return roles.flatMap(({ role_name: role, role_set: parents }): readonly Permission[] => {
    // The role's own permission replaces inherited ones.
    if (held.has(role)) return [];
    let found: (Held & { readonly parent: string }) | undefined;
    for (const parent of parents) {
      const one = held.get(parent);
      if (one === undefined || one === found) continue;
      if (one === 'conflict' || (found && !isSamePermission(found.permission, one.permission))) {
        held.set(role, 'conflict');
        conflicts.push({
          role,
          remoteSchema,
          between: one === 'conflict' || !found ? [parent] : [found.parent, parent],
        });
        return [];
      }
      found ??= { ...one, parent };
    }
    if (!found) return [];
    const { permission } = found;
    held.set(role, { permission });
    return [{ ...permission, role, inheritedFrom: permission.inheritedFrom ?? permission.role }];
  });
}

function isSamePermission(one: Permission, other: Permission): boolean {
  if (comparableConditions(one) !== comparableConditions(other)) return false;
  const [{ schema }, { schema: otherSchema }] = [one.definition, other.definition];
  return schema === otherSchema || comparable(schema) === comparable(otherSchema);
}

/** The session conditions of a permission by field, so that equal ones have equal texts however they are grouped. */
function comparableConditions({ session_conditions: written = [] }: Permission): string {
  const entries = written.flatMap(({ fields, condition }) =>
    fields.map((field) => `${field} ${JSON.stringify(condition)}`),
  );
  return [...new Set(entries)].sort().join('\n');
}

/** The keys of syntax nodes whose order does not matter. `values` are those of enums. The values of a list are ordered. */
const UNORDERED = ['fields', 'arguments', 'values', 'types', 'interfaces', 'directives', 'definitions'];

/**
 * Returns the SDL of a permission in a normal form, so that equal permissions have equal texts. Invalid SDL is reported
 * elsewhere.
 */
function comparable(sdl: string): string {
  try {
    const sorted = <T extends ASTNode>(nodes: readonly T[] | undefined) =>
      [...(nodes ?? [])].sort((one, other) => (print(one) < print(other) ? -1 : 1));
    const document = visit(parse(sdl), {
      leave: (node) => {
        const plain: Record<string, unknown> = { ...node };
        if ('description' in node) delete plain.description;
        for (const key of UNORDERED)
          if (Array.isArray(plain[key]) && node.kind !== Kind.LIST)
            plain[key] = sorted(plain[key] as readonly ASTNode[]);
        return plain;
      },
    });
    return print(document);
  } catch {
    return sdl;
  }
}
