import { parseSelectionSet } from '@graphql-tools/utils';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { Relationship } from './relationship.ts';
import type { MergedType, StitchedSubschema } from './subschema.ts';

/** A root field of a subschema that returns objects of a type that other subschemas have too. */
export interface EntryPoint {
  readonly subschema: StitchedSubschema;
  readonly field: GraphQLField<unknown, unknown>;
  /** What has to be known of an object to ask for it. */
  readonly key: SelectionSetNode | undefined;
  /** The key of an object, where the root field takes many. */
  readonly keyOf: ((object: Facts) => unknown) | undefined;
  /** The arguments for these keys; of a root field that takes one object, for that object. */
  readonly argumentsFor: (keys: readonly unknown[]) => Readonly<Record<string, unknown>>;
}

/** What is known of an object beside what the client selects, by names of fields. */
export type Facts = Readonly<Record<string, unknown>>;

/** The fields that the subschemas of a graph have of its types, and how objects are joined. */
export class SubschemaTypes {
  readonly subschemas: readonly StitchedSubschema[];
  readonly #relationships = new Map<string, Relationship>();
  readonly #entries = new Map<string, readonly EntryPoint[]>();
  readonly #computed = new Map<string, SelectionSetNode>();

  constructor(subschemas: readonly StitchedSubschema[], relationships: readonly Relationship[]) {
    this.subschemas = subschemas;
    for (const relationship of relationships)
      this.#relationships.set(`${relationship.type}.${relationship.name}`, relationship);
    const entries = new Map<string, EntryPoint[]>();
    for (const [index, subschema] of subschemas.entries())
      for (const [typeName, merged] of Object.entries(subschema.merge ?? {})) {
        const found = entryPointsOf(subschema, merged);
        entries.set(typeName, [...(entries.get(typeName) ?? []), ...found]);
        for (const [name, { selectionSet, computed }] of Object.entries(merged.fields ?? {}))
          if (selectionSet && computed)
            this.#computed.set(`${index} ${typeName}.${name}`, parseSelections(selectionSet));
      }
    this.#entries = entries;
  }

  relationship(typeName: string, field: string): Relationship | undefined {
    return this.#relationships.get(`${typeName}.${field}`);
  }

  /** The root fields by which other subschemas return objects of a type. */
  entryPoints(typeName: string): readonly EntryPoint[] {
    return this.#entries.get(typeName) ?? [];
  }

  /** What a field needs to be given of other subschemas; undefined for one that needs nothing. */
  requirement(subschema: StitchedSubschema, typeName: string, field: string): SelectionSetNode | undefined {
    return this.#computed.get(`${this.subschemas.indexOf(subschema)} ${typeName}.${field}`);
  }
}

function entryPointsOf(subschema: StitchedSubschema, merged: MergedType): readonly EntryPoint[] {
  const queries = subschema.schema.getQueryType()?.getFields() ?? {};
  return [merged, ...(merged.entryPoints ?? [])].flatMap((entry): readonly EntryPoint[] => {
    const { fieldName, selectionSet, key, argsFromKeys, args } = entry;
    const field = fieldName === undefined ? undefined : queries[fieldName];
    if (!field) return [];
    const argumentsFor: EntryPoint['argumentsFor'] = (keys) => {
      if (key && argsFromKeys) return argsFromKeys(keys);
      return args?.(keys[0]) ?? {};
    };
    return [
      {
        subschema,
        field,
        key: selectionSet === undefined ? undefined : parseSelections(selectionSet),
        keyOf: key,
        argumentsFor,
      },
    ];
  });
}

function parseSelections(selectionSet: string): SelectionSetNode {
  return parseSelectionSet(selectionSet, { noLocation: true });
}

/** The field of a subschema that answers what a client selects; undefined where clients do not see it there. */
export function visibleField(
  { schema, visible = schema }: StitchedSubschema,
  typeName: string,
  node: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  const field = schemaField(visible.getType(typeName), node.name.value);
  const isKnown = ({ name }: { name: { value: string } }) => field?.args.some((one) => one.name === name.value);
  return field && (node.arguments ?? []).every(isKnown) ? field : undefined;
}

/** The same of a root field: root types may be called otherwise in a subschema. */
export function visibleRootField(
  { schema, visible = schema }: StitchedSubschema,
  operation: OperationTypeNode,
  node: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  return schemaField(visible.getRootType(operation), node.name.value);
}

export function schemaField(
  type: GraphQLNamedType | null | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  const fields = type.getFields();
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Whether a key contains a leaf field, so that it need not be fetched. */
export function isPartOfKey(key: SelectionSetNode | undefined, field: GraphQLField<unknown, unknown>): boolean {
  if (!key || !isLeafType(getNamedType(field.type))) return false;
  return key.selections.some((one) => one.kind === Kind.FIELD && one.name.value === field.name);
}

/** Whether an object has all selected fields, and none is null. */
export function areFactsKnown(facts: unknown, set: SelectionSetNode | undefined): boolean {
  if (!set) return true;
  if (Array.isArray(facts)) return facts.every((item) => areFactsKnown(item, set));
  if (typeof facts !== 'object' || facts === null) return false;
  return set.selections.every((selection) => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return areFactsKnown(facts, selection.selectionSet);
    if (selection.kind !== Kind.FIELD) return false;
    const name = selection.name.value;
    if (name === '__typename') return true;
    const value = (facts as Facts)[name];
    return (
      value !== undefined && value !== null && (!selection.selectionSet || areFactsKnown(value, selection.selectionSet))
    );
  });
}
