import {
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getDirectiveValues,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  type SelectionNode,
} from 'graphql';
import { DirectiveProblem, fieldsOfKey, hasPath, keyText, mergedFields, parseKey } from './key-fields.ts';
import {
  filledFields,
  holesOf,
  type MergeArguments,
  mergeArguments,
  type NamedTemplate,
  withKeyFields,
} from './merge-arguments.ts';

/** A root field through which a stitched service returns objects of a type. */
export interface StitchedLookup {
  /** The root field of queries. */
  readonly field: string;
  /**
   * The fields of an object that the lookup needs, as the text of a selection set without outer braces: `id
   * organization { id }`. Empty if it needs none.
   */
  readonly key: string;
  /** Whether the field takes the keys of many objects and returns a list in their order. */
  readonly isMany: boolean;
  /** Templates in which holes stand for the key of an object or a part of it. */
  readonly arguments: readonly NamedTemplate[];
}

/** A type with stitching directives. */
export interface StitchedType {
  /** The key of the type's objects (`@key`), as the text of a selection set without outer braces. */
  readonly key: string | undefined;
  readonly lookups: readonly StitchedLookup[];
  /**
   * The fields that a field needs from other services (`@computed`), as selection text without outer braces, by field
   * name.
   */
  readonly requires: ReadonlyMap<string, string>;
  /** Whether the description of the type or of a field takes precedence (`@canonical`). */
  isCanonical(field?: string): boolean;
}

/**
 * The directives of stitched services as `@graphql-tools/stitching-directives` defines them. A service may omit the
 * definitions.
 */
export const STITCHING_DIRECTIVE_DEFINITIONS = `
  directive @key(selectionSet: String!) on OBJECT
  directive @computed(selectionSet: String!) on FIELD_DEFINITION
  directive @merge(argsExpr: String, keyArg: String, keyField: String, key: [String!], additionalArgs: String) on FIELD_DEFINITION
  directive @canonical on OBJECT | INTERFACE | INPUT_OBJECT | UNION | ENUM | SCALAR | FIELD_DEFINITION | INPUT_FIELD_DEFINITION
`;

/**
 * Reads the stitching directives of a schema, by type name. Types without directives are left out.
 *
 * @param schema a schema for which `stitchingDirectiveProblems` returns no problems.
 * @throws DirectiveProblem
 */
export function readStitchingDirectives(schema: GraphQLSchema): ReadonlyMap<string, StitchedType> {
  return readTypes(schema, (problem) => {
    throw new DirectiveProblem(problem);
  });
}

/** Lists the problems of a schema's stitching directives for an operator. Empty if there are none. */
export function stitchingDirectiveProblems(schema: GraphQLSchema): readonly string[] {
  const problems: string[] = [];
  readTypes(schema, (problem) => problems.push(problem));
  return problems;
}

/**
 * Computes the arguments of a call.
 *
 * @param objects one object if the field takes one, otherwise any number. An object has `__typename`, the fields of the
 *   lookup's key, and the fields that `requires` names.
 */
export function lookupArguments(
  lookup: StitchedLookup,
  objects: readonly Readonly<Record<string, unknown>>[],
): Record<string, unknown> {
  return filledFields(lookup.arguments, objects);
}

type Report = (problem: string) => void;
type DirectiveValues = Readonly<Record<string, unknown>>;

/** The data collected about a type while the schema is read. */
interface TypeReading {
  /** The selections of `@key`; undefined without it. */
  key?: readonly SelectionNode[];
  readonly requires: Map<string, readonly SelectionNode[]>;
  /** Names of canonical fields; the type itself is the empty name. */
  readonly canonical: Set<string>;
  /** The lookup by the type's own key. If several root fields qualify, the last one is used. */
  byKey?: StitchedLookup;
  /** Lookups by other keys. */
  readonly byOtherKeys: StitchedLookup[];
}

function readTypes(schema: GraphQLSchema, report: Report): ReadonlyMap<string, StitchedType> {
  const readings = new Map<string, TypeReading>();
  const readingOf = (type: string): TypeReading => {
    const known = readings.get(type) ?? { requires: new Map(), canonical: new Set(), byOtherKeys: [] };
    readings.set(type, known);
    return known;
  };
  const read = (name: string, place: string, definition: Definition, use: (values: DirectiveValues) => void): void => {
    try {
      const values = directiveValues(schema, name, definition);
      if (values) use(values);
    } catch (error) {
      if (!(error instanceof DirectiveProblem)) throw error;
      report(`${place} @${name}: ${error.message}`);
    }
  };
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  for (const type of types) {
    read('canonical', type.name, type, () => readingOf(type.name).canonical.add(''));
    if (isObjectType(type))
      read('key', type.name, type, ({ selectionSet }) => {
        readingOf(type.name).key = parseKey(String(selectionSet));
      });
    for (const field of fieldsOf(type)) {
      const place = `${type.name}.${field.name}`;
      read('canonical', place, field, () => readingOf(type.name).canonical.add(field.name));
      if (isObjectType(type))
        read('computed', place, field, ({ selectionSet }) =>
          readingOf(type.name).requires.set(field.name, parseKey(String(selectionSet))),
        );
    }
  }
  // At this point the keys of all types are known.
  for (const type of types.filter(isObjectType))
    for (const field of Object.values(type.getFields()))
      read('merge', `${type.name}.${field.name}`, field, (merge) => {
        if (type !== schema.getQueryType()) throw new DirectiveProblem('only root fields of queries can have it');
        for (const [of, lookup] of lookupsOf(schema, field, merge, readings))
          if (isByKeyOfType(merge)) readingOf(of).byKey = lookup;
          else readingOf(of).byOtherKeys.push(lookup);
      });
  return new Map([...readings].map(([name, reading]) => [name, stitchedType(reading)]));
}

function stitchedType({ key, requires, canonical, byKey, byOtherKeys }: TypeReading): StitchedType {
  return {
    key: key && keyText(key),
    lookups: byKey ? [byKey, ...byOtherKeys] : byOtherKeys,
    requires: new Map([...requires].map(([field, selections]) => [field, keyText(selections)])),
    isCanonical: (field = '') => canonical.has(field),
  };
}

/** Whether a root field takes the key of the type. A root field with `keyField` takes another key. */
function isByKeyOfType({ keyField }: MergeArguments): boolean {
  return typeof keyField !== 'string';
}

/**
 * The lookups that a root field with `@merge` provides, by type name.
 *
 * @throws DirectiveProblem
 */
function lookupsOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  merge: MergeArguments & { readonly types?: unknown },
  readings: ReadonlyMap<string, TypeReading>,
): ReadonlyMap<string, StitchedLookup> {
  const { returned, isMany } = returnedObjects(field.type);
  const [only, ...more] = field.args.map(({ name }) => name);
  const templates = mergeArguments(merge, more.length === 0 ? only : undefined, isMany);
  const unknown = templates.find(({ name }) => !field.args.some((argument) => argument.name === name));
  if (unknown) throw new DirectiveProblem(`the field has no argument "${unknown.name}"`);
  const holes = templates.flatMap(({ value }) => holesOf(value));
  const lookups = new Map<string, StitchedLookup>();
  for (const type of possibleTypes(schema, returned, merge.types)) {
    const { key = [], requires = new Map<string, never>() } = readings.get(type.name) ?? {};
    const selections = isByKeyOfType(merge) ? key : [...key, ...parseKey(`{ ${merge.keyField} }`)];
    const known = mergedFields([selections, ...requires.values()].map(fieldsOfKey));
    const fields = mergedFields([known, new Map([['__typename', undefined]])]);
    const missing = holes.find(({ path }) => (path.length === 0 ? known.size === 0 : !hasPath(fields, path)));
    // Not all types of an interface or union have to be joined.
    if (missing && isAbstractType(returned)) continue;
    if (missing) throw new DirectiveProblem(notInKey(type.name, missing.path));
    const given = templates.map(({ name, value }) => ({ name, value: withKeyFields(value, fields) }));
    lookups.set(type.name, { field: field.name, key: keyText(selections), isMany, arguments: given });
  }
  return lookups;
}

function notInKey(type: string, path: readonly string[]): string {
  if (path.length === 0) return `"${type}" has no @key, so its objects cannot be fetched`;
  return `it uses "${path.join('.')}", which @key of "${type}" does not contain`;
}

function returnedObjects(type: GraphQLOutputType): { readonly returned: GraphQLNamedType; readonly isMany: boolean } {
  const nullable = getNullableType(type);
  const item = isListType(nullable) ? getNullableType(nullable.ofType) : nullable;
  if (isObjectType(item) || isAbstractType(item)) return { returned: item, isMany: isListType(nullable) };
  throw new DirectiveProblem(`the field must return an object or a list of objects, not "${String(type)}"`);
}

/** @param names the types to include, if the service defines `@merge` with the argument `types`. */
function possibleTypes(schema: GraphQLSchema, type: GraphQLNamedType, names: unknown): readonly GraphQLObjectType[] {
  const wanted = Array.isArray(names) ? names.map(String) : undefined;
  if (!isAbstractType(type)) {
    if (wanted) throw new DirectiveProblem('"types" is for fields that return an interface or a union');
    return isObjectType(type) ? [type] : [];
  }
  const possible = schema.getPossibleTypes(type);
  const known = isInterfaceType(type) ? [...possible, ...schema.getImplementations(type).interfaces] : possible;
  const unknown = wanted?.find((name) => !known.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new DirectiveProblem(`"types" contains "${unknown}", which is not a type of "${type.name}"`);
  return wanted ? possible.filter(({ name }) => wanted.includes(name)) : possible;
}

/** The part of a definition that can have directives. */
interface Definition {
  readonly name: string;
  readonly astNode?: Parameters<typeof getDirectiveValues>[1] | null | undefined;
  readonly extensionASTNodes?: readonly Parameters<typeof getDirectiveValues>[1][] | undefined;
}

/**
 * The arguments of a directive. Undefined if the definition does not have the directive.
 *
 * @throws DirectiveProblem
 */
function directiveValues(
  schema: GraphQLSchema,
  name: string,
  { astNode, extensionASTNodes = [] }: Definition,
): DirectiveValues | undefined {
  const directive = schema.getDirective(name);
  const nodes = [astNode, ...extensionASTNodes].filter((node) => node !== null && node !== undefined);
  try {
    const found = directive ? nodes.map((node) => getDirectiveValues(directive, node)) : [];
    return found.find((values) => values !== undefined);
  } catch (error) {
    throw error instanceof GraphQLError ? new DirectiveProblem(error.message) : error;
  }
}

function fieldsOf(type: GraphQLNamedType): readonly Definition[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}
