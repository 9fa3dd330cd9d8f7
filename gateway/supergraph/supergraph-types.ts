import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  isTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type SelectionNode,
  type TypeNode,
} from 'graphql';
import { atOnce, type Sliced } from '../../platform/index.ts';
import { innermostTypeName } from '../syntax/index.ts';
import {
  directiveArgument,
  fieldNamesOf,
  graphNames,
  hasTrueArgument,
  parseFieldSet,
  requiredFieldsOf,
} from './join-directives.ts';
import { type SubgraphTypes, SubgraphTypesReader } from './subgraph-types.ts';

/** The types of a supergraph, inaccessible ones too, as far as executing a plan needs them. */
export interface SupergraphTypes {
  /** Whether an object of type `typename` satisfies the type condition. */
  isA(typename: string, condition: string): boolean;
  /** Whether it is the name of an interface or a union. */
  isAbstract(typename: string): boolean;
  /** The name of the type of a field, lists and non-null left out. */
  fieldType(typename: string, field: string): string | undefined;
  /** How many lists are nested in the type of a field. */
  listDepth(typename: string, field: string): number;
  /** Whether a field has `@requires` in a subgraph. */
  requires(typename: string, field: string): boolean;
  /** The fields that a subgraph requires for a field. */
  requirementsOf(service: string, typename: string, field: string): readonly SelectionNode[];
  /** Whether another field of the type requires a field. */
  isRequired(typename: string, field: string): boolean;
  /** The object types of an interface or a union. */
  objectsOf(typename: string): readonly string[];
  /**
   * Whether the planner replaces an interface's field by that of each of its types: where a service that has the
   * interface may not have the field. Its rule, as of 0.0.38; what is below the field is then planned once per type.
   */
  isPlannedByType(typename: string, field: string): boolean;
  /** The type of a field in a subgraph, with lists and non-null. */
  subgraphType(service: string, typename: string, field: string): string | undefined;
  /** Names of all fields of all types. */
  readonly fieldNames: ReadonlySet<string>;
  /** Whether a subgraph has an interface as an object type, `@interfaceObject`. */
  readonly hasInterfaceObjects: boolean;
  /** What fields of a name require, of any type and at any depth: see `fieldText`. */
  readonly requiredFields: ReadonlyMap<string, ReadonlySet<string>>;
  readonly services: SubgraphTypes;
  /** Whether it is the name of a type, or of a value of an enum, that clients do not see. */
  isHidden(type: string, value?: string): boolean;
  /** Whether an enum has values that clients do not see. */
  hidesValues(type: string): boolean;
}

/** What all definitions of a supergraph state together, so that each can be read when its type is first needed. */
export interface SupergraphOutline {
  /** The name of the type that each definition is of, in their order; empty for those of no type. */
  readonly names: readonly string[];
  /** What implements an interface or is a member of a union, by its name. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  readonly fieldNames: ReadonlySet<string>;
  readonly hasInterfaceObjects: boolean;
  readonly requiredFields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Types, and values of enums as `Enum.VALUE`, that clients do not see. */
  readonly hidden: ReadonlySet<string>;
}

export function outlineOf({ definitions }: DocumentNode): SupergraphOutline {
  const members = new Map<string, Set<string>>();
  const fieldNames = new Set<string>();
  const requiredFields = new Map<string, Set<string>>();
  const hidden = new Set<string>();
  let hasInterfaceObjects = false;
  const membersOf = (name: string) => {
    const known = members.get(name) ?? new Set<string>();
    members.set(name, known);
    return known;
  };
  for (const definition of definitions) {
    if (!isTypeDefinitionNode(definition)) continue;
    const type = definition.name.value;
    if (isInaccessible(definition)) hidden.add(type);
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION)
      for (const value of definition.values ?? []) if (isInaccessible(value)) hidden.add(`${type}.${value.name.value}`);
    if (definition.kind === Kind.UNION_TYPE_DEFINITION)
      for (const member of definition.types ?? []) membersOf(type).add(member.name.value);
    if (!isFieldsDefinition(definition)) continue;
    if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) membersOf(type);
    hasInterfaceObjects ||= definition.directives?.some((one) => hasTrueArgument(one, 'isInterfaceObject')) === true;
    for (const parent of definition.interfaces ?? []) membersOf(parent.name.value).add(type);
    for (const field of definition.fields ?? []) {
      const name = field.name.value;
      fieldNames.add(name);
      for (const join of typeJoins(field.directives)) {
        const required = requiredFieldsOf(join);
        if (required.length > 0) requiredFields.set(name, new Set([...(requiredFields.get(name) ?? []), ...required]));
      }
    }
  }
  const names = definitions.map((one) => (isTypeDefinitionNode(one) ? one.name.value : ''));
  return { names, members, fieldNames, requiredFields, hasInterfaceObjects, hidden };
}

/** Reads a supergraph document as a whole. */
export function* readSupergraphTypes(supergraph: DocumentNode): Sliced<SupergraphTypes> {
  const facts = yield* readTypeFacts(supergraph.definitions, graphNames(supergraph));
  return supergraphTypesOf(outlineOf(supergraph), { ofType: () => facts, withMembers: () => facts });
}

/**
 * Reads each definition of a supergraph when its type is first needed: an operation uses a few types of thousands.
 *
 * @param definitions SDL
 * @param services the names of the subgraphs, by their values of the enum `join__Graph`
 */
export function typesOnDemand(
  definitions: readonly string[],
  outline: SupergraphOutline,
  services: ReadonlyMap<string, string>,
): SupergraphTypes {
  const sdl = new Map(outline.names.map((name, index) => [name, definitions[index] ?? '']));
  const read = (types: readonly string[]): TypeFacts => {
    const own = types.flatMap((type) => sdl.get(type) ?? []);
    return atOnce(
      readTypeFacts(own.length > 0 ? parse(own.join('\n'), { noLocation: true }).definitions : [], services),
    );
  };
  // The definition of the schema and those of directives have no name.
  sdl.delete('');
  const none = read([]);
  const cached = (readType: (type: string) => TypeFacts) => {
    const known = new Map<string, TypeFacts>();
    return (type: string): TypeFacts => {
      if (!sdl.has(type)) return none;
      const found = known.get(type) ?? readType(type);
      known.set(type, found);
      return found;
    };
  };
  return supergraphTypesOf(outline, {
    ofType: cached((type) => read([type])),
    withMembers: cached((type) => read([type, ...(outline.members.get(type) ?? [])])),
  });
}

/** What definitions state, by `Type.field`. */
interface TypeFacts {
  readonly fieldTypes: ReadonlyMap<string, string>;
  /** Also by `service:Type.field`. */
  readonly ownTypes: ReadonlyMap<string, string>;
  /** By `service:Type.field`. */
  readonly requirements: ReadonlyMap<string, readonly SelectionNode[]>;
  readonly requiring: ReadonlySet<string>;
  readonly neededFields: ReadonlySet<string>;
  readonly elsewhere: ReadonlySet<string>;
  readonly services: SubgraphTypes;
}

function* readTypeFacts(definitions: readonly DefinitionNode[], names: ReadonlyMap<string, string>): Sliced<TypeFacts> {
  const subgraphTypes = new SubgraphTypesReader(names);
  const fieldTypes = new Map<string, string>();
  const ownTypes = new Map<string, string>();
  const requiring = new Set<string>();
  const requirements = new Map<string, readonly SelectionNode[]>();
  const neededFields = new Set<string>();
  const elsewhere = new Set<string>();
  for (const definition of definitions) {
    yield;
    subgraphTypes.add(definition);
    if (!isFieldsDefinition(definition)) continue;
    for (const field of definition.fields ?? []) {
      const name = `${definition.name.value}.${field.name.value}`;
      fieldTypes.set(name, innermostTypeName(field.type));
      const isElsewhere =
        definition.kind === Kind.INTERFACE_TYPE_DEFINITION ? isPartOf(definition, field) : isMoved(field);
      if (isElsewhere) elsewhere.add(name);
      for (const join of field.directives ?? []) {
        const required = directiveArgument(join, 'requires');
        if (required === undefined) continue;
        requiring.add(name);
        const fields = parseFieldSet(required);
        const graph = directiveArgument(join, 'graph') ?? '';
        requirements.set(`${names.get(graph) ?? graph}:${name}`, fields);
        for (const one of fieldNamesOf(fields)) neededFields.add(`${definition.name.value}.${one}`);
      }
      for (const [graph, type] of subgraphFieldTypes(field)) ownTypes.set(`${names.get(graph)}:${name}`, type);
      ownTypes.set(name, typeReference(field.type));
    }
  }
  const services = subgraphTypes.result();
  return { fieldTypes, ownTypes, requiring, requirements, neededFields, elsewhere, services };
}

interface FactsByType {
  ofType(type: string): TypeFacts;
  /** Those of an interface or a union, and of the types that are of it. */
  withMembers(type: string): TypeFacts;
}

function supergraphTypesOf(outline: SupergraphOutline, { ofType, withMembers }: FactsByType): SupergraphTypes {
  const { members, fieldNames, requiredFields, hasInterfaceObjects, hidden } = outline;
  const objectsOf = (typename: string) => [...(members.get(typename) ?? [])].filter((member) => !members.has(member));
  const isElsewhere = (typename: string, field: string) => ofType(typename).elsewhere.has(`${typename}.${field}`);
  return {
    isA: (typename, condition) => typename === condition || (members.get(condition)?.has(typename) ?? false),
    isAbstract: (typename) => members.has(typename),
    fieldType: (typename, field) => ofType(typename).fieldTypes.get(`${typename}.${field}`),
    listDepth: (typename, field) => (ofType(typename).ownTypes.get(`${typename}.${field}`)?.split('[').length ?? 1) - 1,
    requires: (typename, field) => ofType(typename).requiring.has(`${typename}.${field}`),
    requirementsOf: (service, typename, field) =>
      ofType(typename).requirements.get(`${service}:${typename}.${field}`) ?? [],
    isRequired: (typename, field) => ofType(typename).neededFields.has(`${typename}.${field}`),
    objectsOf,
    isPlannedByType: (typename, field) =>
      isElsewhere(typename, field) ||
      objectsOf(typename).some((one) => isElsewhere(one, field) || !ofType(one).fieldTypes.has(`${one}.${field}`)),
    subgraphType: (service, typename, field) => {
      const { ownTypes } = ofType(typename);
      return ownTypes.get(`${service}:${typename}.${field}`) ?? ownTypes.get(`${typename}.${field}`);
    },
    fieldNames,
    hasInterfaceObjects,
    requiredFields,
    services: {
      isPartial: (type) => withMembers(type).services.isPartial(type),
      membersIn: (service, type) => withMembers(type).services.membersIn(service, type),
      has: (service, type) => ofType(type).services.has(service, type),
      answers: (service, type, field) => ofType(type).services.answers(service, type, field),
      keysOf: (type) => ofType(type).services.keysOf(type),
    },
    hidesValues: (type) => [...hidden].some((name) => name.startsWith(`${type}.`)),
    isHidden: (type, value) => hidden.has(value === undefined ? type : `${type}.${value}`),
  };
}

function isFieldsDefinition(
  definition: DefinitionNode,
): definition is ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION;
}

/** Whether some subgraph has an object's field and does not resolve it. */
function isMoved({ directives }: FieldDefinitionNode): boolean {
  return typeJoins(directives).some(
    (join) =>
      hasTrueArgument(join, 'external') ||
      hasTrueArgument(join, 'usedOverridden') ||
      directiveArgument(join, 'override'),
  );
}

/** Whether subgraphs have an interface without this field, unless one adds the field to all of its types. */
function isPartOf({ directives }: InterfaceTypeDefinitionNode, field: FieldDefinitionNode): boolean {
  const types = (directives ?? []).filter(({ name }) => name.value === 'join__type');
  const objects = types.filter((join) => hasTrueArgument(join, 'isInterfaceObject'));
  const joins = typeJoins(field.directives);
  const given = joins.filter(
    (join) => !hasTrueArgument(join, 'external') && directiveArgument(join, 'graph') !== undefined,
  );
  const graphs = new Set(objects.map((join) => directiveArgument(join, 'graph')));
  if (given.some((join) => graphs.has(directiveArgument(join, 'graph')))) return false;
  return joins.length > 0 && given.length > 0 && given.length < types.length - objects.length;
}

function typeJoins(directives: readonly ConstDirectiveNode[] | undefined): readonly ConstDirectiveNode[] {
  return (directives ?? []).filter(({ name }) => name.value === 'join__field');
}

/** The types of a field in single subgraphs where they differ from the supergraph's, by graph. */
function subgraphFieldTypes({ directives }: FieldDefinitionNode): [string, string][] {
  return (directives ?? []).flatMap((directive: ConstDirectiveNode): [string, string][] => {
    if (directive.name.value !== 'join__field') return [];
    const [graph, type] = [directiveArgument(directive, 'graph'), directiveArgument(directive, 'type')];
    return graph === undefined || type === undefined ? [] : [[graph, type]];
  });
}

function isInaccessible({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
  return directives?.some(({ name }) => name.value === 'inaccessible') ?? false;
}

/** As it stands in SDL. */
function typeReference(type: TypeNode): string {
  if (type.kind === Kind.NON_NULL_TYPE) return `${typeReference(type.type)}!`;
  return type.kind === Kind.LIST_TYPE ? `[${typeReference(type.type)}]` : type.name.value;
}
