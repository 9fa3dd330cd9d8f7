import { type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import type { Subschema } from '../source.ts';
import { type KeyFields, mergedFields, pickFields } from './key-fields.ts';
import { holesOf } from './merge-arguments.ts';
import { lookupArguments, type StitchedLookup, type StitchedType } from './stitching-directives.ts';

type MergeConfig = NonNullable<Subschema['merge']>;
type KnownObject = Readonly<Record<string, unknown>>;

/** What stitching directives say, in the shape that the execution over several sources takes. */
export function mergeConfig(types: ReadonlyMap<string, StitchedType>, schema: GraphQLSchema): MergeConfig {
  const config: Record<string, unknown> = Object.create(null);
  for (const [name, type] of types) {
    const { key, lookups, requires, isCanonical } = type;
    const fields: Record<string, object> = Object.create(null);
    for (const field of fieldNames(schema, name)) if (isCanonical(field)) fields[field] = { canonical: true };
    for (const [field, required] of requires)
      fields[field] = { ...fields[field], computed: true, selectionSet: `{ ${required} }` };
    const isUsed = lookups.some((lookup) => lookup.key === key);
    const entryPoints = [
      ...(key === undefined || isUsed ? [] : [{ selectionSet: `{ ${key} }` }]),
      ...lookups.map(entryPoint),
    ];
    config[name] = { entryPoints, fields, canonical: isCanonical() };
  }
  return config as MergeConfig;
}

function fieldNames(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  return hasFields ? Object.keys(type.getFields()) : [];
}

function entryPoint(lookup: StitchedLookup): object {
  const { field: fieldName, key, isMany } = lookup;
  const named = { fieldName, ...(key !== '' && { selectionSet: `{ ${key} }` }) };
  if (!isMany) return { ...named, args: (object: KnownObject) => lookupArguments(lookup, [object]) };
  const used = usedFields(lookup);
  return {
    ...named,
    key: (object: KnownObject) => pickFields(object, used),
    argsFromKeys: (keys: readonly KnownObject[]) => lookupArguments(lookup, keys),
  };
}

/** The fields that the arguments are made of: objects that have the same ones are one key. */
function usedFields({ arguments: templates }: StitchedLookup): KeyFields {
  const holes = templates.flatMap(({ value }) => holesOf(value));
  return mergedFields(
    holes.map(
      ({ path, fields }) =>
        path.reduceRight<KeyFields | undefined>((below, name) => new Map([[name, below]]), fields) ?? new Map(),
    ),
  );
}
