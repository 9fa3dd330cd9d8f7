import { setImmediate } from 'node:timers/promises';
import { type GraphQLNamedType, type GraphQLSchema, isIntrospectionType, printType } from 'graphql';
import { inSlices, type Sliced } from '../../../platform/index.ts';
import { type AffectingChange, affectingChanges, breakingFirst } from './schema-changes.ts';

/** Types up to which schemas are compared sooner than it is found out which of their types differ. */
const COMPARED_AT_ONCE = 100;

/** Differing types that are compared without a pause. */
const TYPES_IN_ONE = 25;

/**
 * What is different between two schemas, the breaking changes first, as `affectingChanges` finds it. Operations go on
 * meanwhile: types are compared by their SDL, and only those that differ are looked at further. What changes of a type
 * depends on nothing but its own definition. Directives that types have, which introspection does not show, do not count.
 */
export async function compareInSlices(
  before: GraphQLSchema,
  after: GraphQLSchema,
): Promise<readonly AffectingChange[]> {
  if (typeCount(before) + typeCount(after) <= COMPARED_AT_ONCE) return affectingChanges(before, after);
  const changes = [...(await affectingChanges(withTypes(before, []), withTypes(after, [])))];
  for (const names of parts(await inSlices(differingTypes(before, after)))) {
    await setImmediate();
    changes.push(...(await affectingChanges(typesOf(before, names), typesOf(after, names))));
  }
  return breakingFirst(changes);
}

function typeCount(schema: GraphQLSchema): number {
  return Object.keys(schema.getTypeMap()).length;
}

/** The names of types that one schema lacks or has otherwise: those that have been removed, then those added, then the rest. */
function* differingTypes(before: GraphQLSchema, after: GraphQLSchema): Sliced<readonly string[]> {
  const removed: string[] = [];
  const changed: string[] = [];
  for (const type of Object.values(before.getTypeMap())) {
    const now = after.getType(type.name);
    if (!now) removed.push(type.name);
    else if (!isIntrospectionType(type) && printType(type) !== printType(now)) changed.push(type.name);
    yield;
  }
  const added = Object.keys(after.getTypeMap()).filter((name) => !before.getType(name));
  return [...removed, ...added, ...changed];
}

function* parts(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += TYPES_IN_ONE) yield names.slice(at, at + TYPES_IN_ONE);
}

/** A view of a schema that lists these types only. */
function withTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  const typeMap = Object.fromEntries(types.map((type) => [type.name, type]));
  return Object.assign(Object.create(schema) as GraphQLSchema, { getTypeMap: () => typeMap });
}

/** A view of these types of a schema, without its directives and root types, which are compared once. */
function typesOf(schema: GraphQLSchema, names: readonly string[]): GraphQLSchema {
  const view = withTypes(
    schema,
    names.flatMap((name) => schema.getType(name) ?? []),
  );
  const nothing = () => undefined;
  return Object.assign(view, {
    astNode: undefined,
    extensionASTNodes: [],
    getDirectives: () => [],
    getQueryType: nothing,
    getMutationType: nothing,
    getSubscriptionType: nothing,
  });
}
