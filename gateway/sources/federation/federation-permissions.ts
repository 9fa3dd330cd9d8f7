import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { FieldConditions, SessionCondition } from '../../access/variables/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import type { Preset, Presets } from '../permissions/index.ts';
import {
  evadablePresetProblems,
  type Permitted,
  permissionProblems,
  permittedConditions,
  permittedSchema,
} from '../permissions/index.ts';
import type { SourceProblem } from '../source.ts';
import {
  type Coordinates,
  coordinatesOf,
  type SchemaFilter,
  schemaFilter,
  supergraphTypeName,
} from './schema-coordinates.ts';

/** A member of a federated graph, with its permissions. */
export interface PermittedMember {
  readonly name: string;
  readonly permissions: RemoteSchemaMetadata['permissions'];
  /** The part of the graph that this member resolves. */
  readonly coordinates: Coordinates;
}

/** The schemas of roles over a federated graph. A role sees the union of what the members permit. */
export interface FederatedPermissions {
  /** Undefined for a role without permissions. Roles with the same permissions get the same object. */
  partFor(role: string): Permitted | typeof WHOLE_SUPERGRAPH | undefined;
}

interface Granted {
  readonly coordinates: Coordinates;
  readonly presets: Presets;
  readonly conditions?: FieldConditions | undefined;
}

/** The whole supergraph is visible. */
export const WHOLE_SUPERGRAPH = 'whole';

/** Stands for all roles that no permission names. */
const ANY_OTHER: unique symbol = Symbol('any other role');

/**
 * Reads the permissions of all members. As with a remote schema, a member without permissions is open to every role
 * except the public role.
 *
 * @returns the problems of each member instead if there are any.
 */
export async function federatedPermissions(
  members: readonly PermittedMember[],
  schema: GraphQLSchema,
  publicRole: string,
): Promise<FederatedPermissions | { problems: ReadonlyMap<string, readonly SourceProblem[]> }> {
  if (members.every(({ permissions }) => permissions === undefined))
    return { partFor: (role) => (role === publicRole ? undefined : WHOLE_SUPERGRAPH) };
  const partOf = schemaFilter(schema);
  const problems = new Map<string, SourceProblem[]>();
  const note = (member: string, problem: SourceProblem) =>
    problems.set(member, [...(problems.get(member) ?? []), problem]);
  const granted = new Map(members.map((member) => [member, grantsOf(member, partOf, (one) => note(member.name, one))]));
  const named = new Set(members.flatMap(({ permissions = [] }) => permissions.map(({ role }) => role)));
  const parts = new Map<string | typeof ANY_OTHER, Permitted | undefined>();
  const alike = new Map<string, Permitted | undefined>();
  const roles: readonly (string | typeof ANY_OTHER)[] = [...named, publicRole, ANY_OTHER];
  for (const role of roles) {
    // Yields between roles, since each role takes a moment in a large graph and operations must go on.
    await setImmediate();
    const grants = members.flatMap((member): readonly (readonly [PermittedMember, Granted])[] => {
      if (member.permissions) {
        const grant = typeof role === 'string' ? granted.get(member)?.get(role) : undefined;
        return grant ? [[member, grant]] : [];
      }
      return role === publicRole ? [] : [[member, { coordinates: member.coordinates, presets: new Map() }]];
    });
    const presets = new Map<string, Preset>();
    for (const [member, grant] of grants)
      for (const [key, preset] of grant.presets) {
        const other = presets.get(key);
        if (other && JSON.stringify(other) !== JSON.stringify(preset))
          note(member.name, {
            path: ['permissions'],
            message: `permission of role "${String(role)}": @preset of "${key}": another subgraph has a different one`,
          });
        presets.set(key, preset);
      }
    const conditions = allConditions(grants.map(([, grant]) => grant));
    const coordinates = new Set(grants.flatMap(([, grant]) => [...grant.coordinates]));
    const key = JSON.stringify([[...coordinates].sort(), [...presets].sort(), [...(conditions ?? [])].sort()]);
    const part = alike.get(key) ?? withConditions(permitted(partOf, coordinates, presets), conditions);
    alike.set(key, part);
    parts.set(role, part);
    if (part)
      for (const message of evadablePresetProblems(presets, part.withPresets))
        for (const [member, grant] of grants)
          if (grant.presets.size > 0)
            note(member.name, { path: ['permissions'], message: `permission of role "${String(role)}": ${message}` });
  }
  if (problems.size > 0) return { problems };
  return { partFor: (role) => (parts.has(role) ? parts.get(role) : parts.get(ANY_OTHER)) };
}

/** The fields that a member permits, by role. */
function grantsOf(
  member: PermittedMember,
  partOf: SchemaFilter,
  note: (problem: SourceProblem) => void,
): ReadonlyMap<string, Granted> {
  const grants = new Map<string, Granted>();
  if (!member.permissions) return grants;
  const own = partOf(member.coordinates);
  member.permissions.forEach(({ role, definition, session_conditions: written, inheritedFrom }, index) => {
    const same = inheritedFrom === undefined ? undefined : grants.get(inheritedFrom);
    if (same) grants.set(role, same);
    if (inheritedFrom !== undefined) return;
    const path = ['permissions', index, 'definition', 'schema'];
    const part = permittedSchema(definition.schema, own);
    if ('problems' in part) {
      for (const problem of permissionProblems(role, definition.schema, part.problems, path)) note(problem);
      return;
    }
    const presets = new Map(
      [...part.presets].map(([key, preset]) => [inSupergraph(key, part.withPresets), preset] as const),
    );
    const conditions = permittedConditions(written, part.withPresets, partOf(member.coordinates));
    grants.set(role, { coordinates: coordinatesOf(part.withPresets), presets, conditions });
  });
  return grants;
}

/** The conditions of all grants. If several grants have conditions of one field, all of them must hold. */
function allConditions(grants: readonly Granted[]): FieldConditions | undefined {
  const all = new Map<string, readonly SessionCondition[]>();
  for (const { conditions } of grants)
    for (const [field, ofField] of conditions ?? []) all.set(field, [...(all.get(field) ?? []), ...ofField]);
  return all.size > 0 ? all : undefined;
}

function withConditions(part: Permitted | undefined, conditions: FieldConditions | undefined): Permitted | undefined {
  return part && conditions ? { ...part, conditions } : part;
}

/** Replaces the type name in a preset's key with the name in the supergraph. */
function inSupergraph(key: string, schema: GraphQLSchema): string {
  const [type = '', ...rest] = key.split('.');
  return [supergraphTypeName(type, schema), ...rest].join('.');
}

function permitted(partOf: SchemaFilter, coordinates: Coordinates, presets: Presets): Permitted | undefined {
  const withPresets = partOf(coordinates);
  if (!hasRoot(withPresets)) return undefined;
  if (presets.size === 0) return { schema: withPresets, withPresets, presets };
  const hidden = new Set([...presets.keys()].map(coordinateOf));
  const visible = partOf(new Set([...coordinates].filter((coordinate) => !hidden.has(coordinate))));
  return hasRoot(visible) ? { schema: visible, withPresets, presets } : undefined;
}

function hasRoot(schema: GraphQLSchema): boolean {
  return Boolean(schema.getQueryType() ?? schema.getMutationType() ?? schema.getSubscriptionType());
}

/** Converts a preset's key (`Type.field.argument` or `Type.field`) into a coordinate. */
function coordinateOf(key: string): string {
  const [type, field, argument] = key.split('.');
  return argument === undefined ? `${type}.${field}` : `${type}.${field}(${argument}:)`;
}
