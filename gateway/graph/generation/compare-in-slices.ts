import { setImmediate } from 'node:timers/promises';
import { type GraphQLNamedType, type GraphQLSchema, isInputType, isIntrospectionType, parse } from 'graphql';
import { inSlices, type Sliced } from '../../../platform/index.ts';
import { printType } from '../../graphql/schemas/index.ts';
import { type AffectingChange, affectingChanges, breakingFirst } from './schema-changes.ts';

/** The maximum total number of types of two schemas that are compared as a whole. */
const COMPARED_AT_ONCE = 100;

/** The number of types that are compared in one slice. */
const TYPES_IN_ONE = 25;

/**
 * Computes the differences between two schemas as `affectingChanges` does, breaking changes first. The work is done in
 * slices between requests. Types are compared by their SDL, and only types that differ are examined, since a type's
 * changes only depend on its own definition. Directives on types are ignored because introspection does not show them.
 *
 * @param definitionsBefore the SDL of each definition if it is known, because printing takes long.
 */
export async function compareInSlices(
  before: GraphQLSchema,
  after: GraphQLSchema,
  definitionsBefore?: readonly string[],
  definitionsAfter?: readonly string[],
): Promise<readonly AffectingChange[]> {
  if (typeCount(before) + typeCount(after) <= COMPARED_AT_ONCE) return affectingChanges(before, after);
  const changes = [...(await affectingChanges(withTypes(before, []), withTypes(after, [])))];
  const known =
    definitionsBefore && definitionsAfter && typesOfDiffering(before, after, definitionsBefore, definitionsAfter);
  for (const names of sliceNames(known ?? (await inSlices(differingTypes(before, after))))) {
    await setImmediate();
    changes.push(...(await affectingChanges(schemaOfTypes(before, names), schemaOfTypes(after, names))));
  }
  return breakingFirst(changes);
}

function typeCount(schema: GraphQLSchema): number {
  return Object.keys(schema.getTypeMap()).length;
}

/** The names of types that differ or that only one schema has, in the order in which changes are listed. */
function* differingTypes(before: GraphQLSchema, after: GraphQLSchema): Sliced<readonly string[]> {
  const changed = new Set<string>();
  for (const type of Object.values(before.getTypeMap())) {
    const now = after.getType(type.name);
    if (now && !isIntrospectionType(type) && printType(type) !== printType(now)) changed.add(type.name);
    yield;
  }
  return inOrder(before, after, changed);
}

/**
 * The types that differ between schemas with known definitions.
 * @returns undefined if the definitions alone do not decide which types differ
 */
function typesOfDiffering(
  before: GraphQLSchema,
  after: GraphQLSchema,
  definitionsBefore: readonly string[],
  definitionsAfter: readonly string[],
): readonly string[] | undefined {
  const [then, now] = [new Set(definitionsBefore), new Set(definitionsAfter)];
  const differing = [
    ...definitionsBefore.filter((definition) => !now.has(definition)),
    ...definitionsAfter.filter((definition) => !then.has(definition)),
  ];
  const names = new Set(differing.map(nameOfDefinition));
  // The types of arguments complete their default values.
  const decidesDefaults = (name: string) => isInputType(before.getType(name)) || isInputType(after.getType(name));
  return [...names].some(decidesDefaults) ? undefined : inOrder(before, after, names);
}

function nameOfDefinition(sdl: string): string {
  const [definition] = parse(sdl, { noLocation: true }).definitions;
  return definition && 'name' in definition ? (definition.name?.value ?? '') : '';
}

/** Sorts changed types: removed types first, then added types, then the rest. */
function inOrder(before: GraphQLSchema, after: GraphQLSchema, changed: ReadonlySet<string>): readonly string[] {
  const [then, now] = [before, after].map((schema) => Object.keys(schema.getTypeMap()));
  const removed = then?.filter((name) => !after.getType(name)) ?? [];
  const added = now?.filter((name) => !before.getType(name)) ?? [];
  return [...removed, ...added, ...(then?.filter((name) => changed.has(name) && after.getType(name)) ?? [])];
}

function* sliceNames(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += TYPES_IN_ONE) yield names.slice(at, at + TYPES_IN_ONE);
}

/** A view of a schema that lists only these types. */
function withTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  const typeMap = Object.fromEntries(types.map((type) => [type.name, type]));
  return Object.assign(Object.create(schema) as GraphQLSchema, { getTypeMap: () => typeMap });
}

/** A view of these types without the schema's directives and root types, which are compared once. */
function schemaOfTypes(schema: GraphQLSchema, names: readonly string[]): GraphQLSchema {
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
