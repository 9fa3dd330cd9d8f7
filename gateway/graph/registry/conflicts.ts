import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from 'graphql';
import { defaultValueNode, type RootTypeNames } from '../../graphql/schemas/index.ts';
import type { Source } from '../../sources/index.ts';

/** Root fields that each Apollo Federation subgraph has. */
const FEDERATION_FIELDS: readonly string[] = ['_entities', '_service'];

/**
 * Lists conflicts of `source` with `others`: root fields of the same name, and different types of the same name. Each
 * conflict is one line that names both sources.
 */
export function conflictsWith(source: Source, others: readonly Source[]): readonly string[] {
  return others.flatMap((other) => [...fieldConflicts(source, other), ...typeConflicts(source, other)]);
}

/** Types of a source that are not root types but have the name of one in the graph. */
export function rootTypeConflicts(source: Source, names: RootTypeNames): readonly string[] {
  const roots = new Set(rootTypesOfSource(source).map((type) => type?.name));
  return Object.values(names)
    .filter((name) => !roots.has(name) && source.schema.getType(name))
    .map(
      (name) =>
        `the type "${name}" of "${source.name}" has the name of a root type of the graph: rename it with a customization (type_names)`,
    );
}

function rootTypesOfSource(source: Source) {
  const { schema } = source;
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
}

function fieldConflicts(source: Source, other: Source): readonly string[] {
  const theirs = rootTypesOfSource(other);
  return rootTypesOfSource(source).flatMap((root, kind) => {
    const taken = theirs[kind]?.getFields() ?? {};
    const names = Object.keys(root?.getFields() ?? {}).filter((name) => Object.hasOwn(taken, name));
    return names.map((name) => {
      const remedy = FEDERATION_FIELDS.includes(name) ? ': set composition: federation on both subgraphs' : '';
      return `the root field "${name}" is offered by "${source.name}" and by "${other.name}"${remedy}`;
    });
  });
}

function typeConflicts(source: Source, other: Source): readonly string[] {
  const roots = new Set<unknown>([...rootTypesOfSource(source), ...rootTypesOfSource(other)]);
  return Object.values(source.schema.getTypeMap()).flatMap((type) => {
    const theirs = other.schema.getType(type.name);
    if (!theirs || roots.has(type) || isIntrospectionType(type) || isSpecifiedScalarType(type)) return [];
    if (areSameTypes(type, source, theirs, other) || areMerged(type.name, source, other)) return [];
    return [`the type "${type.name}" is not the same in "${source.name}" and in "${other.name}"`];
  });
}

/** Whether both sources declare how their types of this name are joined. */
function areMerged(type: string, { mergedTypes: own }: Source, { mergedTypes: theirs }: Source): boolean {
  return own !== undefined && theirs !== undefined && (own.has(type) || theirs.has(type));
}

/** Whether two types are the same, apart from elements that the introspection of either service hides. */
function areSameTypes(type: GraphQLNamedType, source: Source, theirs: GraphQLNamedType, other: Source): boolean {
  return (
    typeContent(type, other.hidesInputs ? theirs : undefined) ===
    typeContent(theirs, source.hidesInputs ? type : undefined)
  );
}

/**
 * The content of a type as a text for comparison, without descriptions and in a fixed order.
 *
 * @param partial the compared type if its service may hide inputs. Deprecated inputs that it lacks are left out.
 */
function typeContent(type: GraphQLNamedType, partial: GraphQLNamedType | undefined): string {
  const parts = (list: readonly string[]) => [...list].sort().join(' ');
  const kind = type.constructor.name;
  if (isObjectType(type) || isInterfaceType(type)) {
    const interfaces = type.getInterfaces().map((one) => one.name);
    const theirs = isObjectType(partial) || isInterfaceType(partial) ? partial.getFields() : undefined;
    const fields = Object.values(type.getFields()).map((field) => {
      const args = shownInputs(field.args, theirs && (theirs[field.name]?.args ?? []));
      return `${field.name}(${parts(args.map(inputText))}):${String(field.type)}`;
    });
    return `${kind} ${parts(interfaces)} {${parts(fields)}}`;
  }
  if (isInputObjectType(type)) {
    const theirs = isInputObjectType(partial) ? partial : undefined;
    const fields = shownInputs(Object.values(type.getFields()), theirs && Object.values(theirs.getFields()));
    const isOneOf = type.isOneOf && (theirs?.isOneOf ?? true);
    return `${kind} ${isOneOf} {${parts(fields.map(inputText))}}`;
  }
  if (isEnumType(type)) return `${kind} {${parts(type.getValues().map((value) => value.name))}}`;
  if (isUnionType(type)) return `${kind} {${parts(type.getTypes().map((member) => member.name))}}`;
  return kind;
}

type Input = GraphQLArgument | GraphQLInputField;

/** Leaves out deprecated inputs that `theirs` lacks. Keeps all inputs if `theirs` is undefined. */
function shownInputs(inputs: readonly Input[], theirs: readonly Input[] | undefined): readonly Input[] {
  if (!theirs) return inputs;
  const shown = new Set(theirs.map(({ name }) => name));
  return inputs.filter(({ name, deprecationReason }) => shown.has(name) || typeof deprecationReason !== 'string');
}

function inputText(input: Input): string {
  const value = defaultValueNode(input);
  return `${input.name}:${String(input.type)}${value ? `=${print(value)}` : ''}`;
}
