import { type GraphQLNamedType, isInterfaceType, isObjectType } from 'graphql';
import {
  type AffectingChange,
  affectingChanges,
  type Generation,
  type RoleGraph,
  type SchemaChange,
} from '../../graph/index.ts';
import type { Metadata } from '../../metadata/index.ts';
import { checkedRoles } from './roles.ts';

/** A difference between two graphs. */
export interface Change extends SchemaChange {
  /** The affected roles. Absent if all are affected. */
  readonly roles?: readonly string[];
}

/** A change with the affected schema coordinate. */
export interface ClientChange extends Change {
  /** The schema coordinate that affected operations use. Undefined if there is none. */
  readonly coordinate?: string | undefined;
}

/** Compares a role's schema before and after a change. */
export type CompareSchemas = typeof affectingChanges;

/**
 * Returns the changes for clients between two graphs, breaking changes first. A role whose graph is invalid in one of them is
 * left out, since that is reported as a problem.
 */
export async function changesBetween(
  before: Generation,
  after: Generation,
  publicRole: string,
  compare: CompareSchemas = affectingChanges,
): Promise<readonly ClientChange[]> {
  const changes = new Map<string, AffectingChange & { roles: string[] }>();
  // Roles with the same view share a graph.
  const compared = new Map<RoleGraph, Map<RoleGraph, readonly AffectingChange[]>>();
  const changesOf = async (one: RoleGraph, other: RoleGraph) => {
    const ofOne = compared.get(one) ?? new Map<RoleGraph, readonly AffectingChange[]>();
    compared.set(one, ofOne);
    const found = ofOne.get(other) ?? (await compare(one.schema, other.schema));
    ofOne.set(other, found);
    return found;
  };
  for (const role of checkedRoles([before.metadata, after.metadata], publicRole)) {
    const [one, other] = [before.graphIfValid(role), after.graphIfValid(role)];
    if (!one || !other) continue;
    for (const change of [...(await changesOf(one, other)), ...conditionChanges(one, other)]) {
      const known = changes.get(change.message);
      if (known) known.roles.push(role);
      else changes.set(change.message, { ...change, roles: [role] });
    }
  }
  const all = [...addressChanges(before.metadata, after.metadata), ...authenticationChanges(before, after)];
  return [...all, ...changes.values()].sort((one, two) => Number(two.breaking) - Number(one.breaking));
}

/** Returns fields with other session conditions than before. Fields that are new or removed are changes of the schema. */
function conditionChanges(before: RoleGraph, after: RoleGraph): readonly AffectingChange[] {
  const [then, now] = [before, after].map(({ sessionConditions }) => sessionConditions ?? new Map<string, unknown>());
  return [...new Set([...(then?.keys() ?? []), ...(now?.keys() ?? [])])]
    .sort()
    .flatMap((coordinate): AffectingChange[] => {
      const [type = '', field = ''] = coordinate.split('.');
      if (![before, after].every(({ schema }) => hasField(schema.getType(type), field))) return [];
      const [old, current] = [then?.get(coordinate), now?.get(coordinate)];
      if (JSON.stringify(old) === JSON.stringify(current)) return [];
      if (!current)
        return [{ breaking: false, message: `"${coordinate}" no longer has a session condition`, coordinate }];
      const what = old
        ? `the session condition of "${coordinate}" has changed`
        : `"${coordinate}" now has a session condition`;
      return [{ breaking: true, message: what, coordinate }];
    });
}

function hasField(type: GraphQLNamedType | undefined, field: string): boolean {
  return (isObjectType(type) || isInterfaceType(type)) && Object.hasOwn(type.getFields(), field);
}

/** Returns public fields for which tokens are now verified, or no longer verified. */
function authenticationChanges(before: Generation, after: Generation): readonly Change[] {
  const [then, now] = [before, after].map(({ authenticationFields }) => new Set(authenticationFields.names));
  const missing = (from = new Set<string>(), to = new Set<string>()) => [...from].filter((field) => !to.has(field));
  return [
    ...missing(then, now).map((field) => ({
      breaking: true,
      message: `"${field}" is no longer an authentication field: tokens sent with it are verified`,
    })),
    ...missing(now, then).map((field) => ({
      breaking: false,
      message: `"${field}" is now an authentication field: tokens sent with it are not verified`,
    })),
  ];
}

/** Returns removed and added addresses other than /v1/graphql. */
function addressChanges(before: Metadata, after: Metadata): readonly Change[] {
  const [then, now] = [addressesOf(before), addressesOf(after)];
  const missing = (from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>) =>
    [...from].filter(([address]) => !to.has(address)).map(([, text]) => text);
  return [
    ...missing(then, now).map((text) => ({ breaking: true, message: `${text} was removed` })),
    ...missing(now, then).map((text) => ({ breaking: false, message: `${text} was added` })),
  ];
}

/**
 * Returns addresses as the metadata writes them, by the part that clients distinguish: names of path parameters do not matter.
 */
function addressesOf({ restEndpoints, services }: Metadata): ReadonlyMap<string, string> {
  const endpoints = restEndpoints.flatMap(({ metadata: { url, methods } }) =>
    methods.map((method) => `${method} /api/rest/${url}`),
  );
  const all = [...endpoints, ...services.map(({ path }) => path)];
  return new Map(all.map((text) => [text.replace(/:[^/]+/g, ':'), text]));
}
