import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { expect } from '@jest/globals';
import { buildSchema, type GraphQLSchema, Kind, parse, print, type SelectionSetNode } from 'graphql';
import {
  lookupArguments,
  readStitchingDirectives,
  STITCHING_DIRECTIVE_DEFINITIONS,
  type StitchedLookup,
  stitchingDirectiveProblems,
} from '../../../gateway/sources/stitching/stitching-directives.ts';

const library = stitchingDirectives();

export type Json = Record<string, unknown>;

/** How objects are fetched by one root field, as the library or as ours understands it. */
interface Lookup {
  readonly field: string;
  readonly isMany: boolean;
  readonly key: readonly string[];
  argumentsFor(objects: readonly Json[]): unknown;
}

interface Understood {
  readonly lookups: Readonly<Record<string, readonly Lookup[]>>;
  readonly requires: Readonly<Record<string, readonly string[]>>;
  readonly canonical: readonly string[];
}

/** The library's functions for a type. It does not type what it returns without contexts. */
interface LibraryEntry {
  readonly fieldName?: string;
  readonly selectionSet?: string;
  readonly key?: (object: Json) => unknown;
  readonly argsFromKeys?: (keys: readonly unknown[]) => Json;
  readonly args?: (object: Json) => Json;
}
interface LibraryType extends LibraryEntry {
  readonly entryPoints?: readonly LibraryEntry[];
  readonly fields?: Record<string, { selectionSet?: string; computed?: boolean; canonical?: boolean }>;
  readonly canonical?: boolean;
}

const onlyJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Each selection once, in an order of their own. */
function selections(text: string | undefined): readonly string[] {
  const [definition] = parse(!text ? '{ __typename }' : text.startsWith('{') ? text : `{ ${text} }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('not a selection set');
  const sorted = ({ selections: all }: SelectionSetNode): readonly string[] =>
    [...new Set(all.map((one) => print(one).replace(/\s+/g, ' ')))].sort();
  return sorted(definition.selectionSet);
}

export function byLibrary(schema: GraphQLSchema): Understood {
  library.stitchingDirectivesValidator(schema);
  const merge = (library.stitchingDirectivesTransformer({ schema }).merge ?? {}) as unknown as Record<
    string,
    LibraryType
  >;
  const types = Object.entries(merge);
  const lookups = types.map(([name, type]) => {
    const entries = [type, ...(type.entryPoints ?? [])].filter(({ fieldName }) => fieldName !== undefined);
    return [name, entries.map(lookupOfLibrary)] as const;
  });
  const fields = types.flatMap(([name, type]) =>
    Object.entries(type.fields ?? {}).map(([field, config]) => [`${name}.${field}`, config] as const),
  );
  return {
    lookups: Object.fromEntries(lookups.filter(([, found]) => found.length > 0)),
    requires: Object.fromEntries(
      fields.flatMap(([name, { computed, selectionSet }]) => (computed ? [[name, selections(selectionSet)]] : [])),
    ),
    canonical: [
      ...types.flatMap(([name, { canonical }]) => (canonical ? [name] : [])),
      ...fields.flatMap(([name, { canonical }]) => (canonical ? [name] : [])),
    ].sort(),
  };
}

function lookupOfLibrary({ fieldName = '', selectionSet, key, argsFromKeys, args }: LibraryEntry): Lookup {
  return {
    field: fieldName,
    isMany: argsFromKeys !== undefined,
    key: selections(selectionSet),
    argumentsFor: (objects) =>
      onlyJson(argsFromKeys ? argsFromKeys(objects.map((one) => key?.(one))) : args?.(objects[0] ?? {})),
  };
}

function byOurs(schema: GraphQLSchema): Understood {
  const types = [...readStitchingDirectives(schema)];
  const lookups = types.map(([name, type]) => [name, type.lookups.map(lookupOfOurs)] as const);
  const names = (name: string) => {
    const type = schema.getType(name);
    return type && 'getFields' in type ? Object.keys(type.getFields()) : [];
  };
  return {
    lookups: Object.fromEntries(lookups.filter(([, found]) => found.length > 0)),
    requires: Object.fromEntries(
      types.flatMap(([name, { requires }]) =>
        [...requires].map(([field, text]) => [`${name}.${field}`, selections(text)] as const),
      ),
    ),
    canonical: types
      .flatMap(([name, { isCanonical }]) => [
        ...(isCanonical() ? [name] : []),
        ...names(name).flatMap((field) => (isCanonical(field) ? [`${name}.${field}`] : [])),
      ])
      .sort(),
  };
}

function lookupOfOurs(lookup: StitchedLookup): Lookup {
  return {
    field: lookup.field,
    isMany: lookup.isMany,
    key: selections(lookup.key),
    argumentsFor: (objects) => onlyJson(lookupArguments(lookup, objects)),
  };
}

export function expectTheSame(sdl: string, objects: readonly Json[]): void {
  const schema = built(sdl);
  expect(stitchingDirectiveProblems(schema)).toEqual([]);
  const [expected, found] = [byLibrary(schema), byOurs(schema)].map(({ lookups, requires, canonical }) => ({
    requires,
    canonical,
    lookups: Object.entries(lookups).flatMap(([type, all]) =>
      all.map(({ field, isMany, key, argumentsFor }) => ({
        type,
        field,
        isMany,
        key,
        arguments: isMany ? [argumentsFor(objects), argumentsFor([])] : objects.map((one) => argumentsFor([one])),
      })),
    ),
  }));
  expect(sorted(found)).toEqual(sorted(expected));
}

/** Types in the order of their names; the lookups of a type keep theirs. */
function sorted<Found extends { readonly lookups: readonly { readonly type: string }[] }>(found: Found | undefined) {
  return {
    ...found,
    lookups: [...(found?.lookups ?? [])].sort((one, other) =>
      one.type < other.type ? -1 : one.type > other.type ? 1 : 0,
    ),
  };
}

export const built = (sdl: string): GraphQLSchema => buildSchema(`${STITCHING_DIRECTIVE_DEFINITIONS} ${sdl}`);
