import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  isTypeDefinitionNode,
  Kind,
  type OperationTypeNode,
  parse,
} from 'graphql';
import { hasFields } from '../../graphql/syntax/index.ts';
import { graphNames } from './join-directives.ts';
import type { SupergraphTypes, TypeModel } from './model.ts';
import { readTypeModel } from './type-model.ts';

/** Facts about all definitions of a supergraph, so that each definition can be read when its type is first needed. */
export interface SupergraphOutline {
  /** The name of the type that each definition defines, in order. Empty for other definitions. */
  readonly names: readonly string[];
  /** The types that implement an interface or belong to a union, by its name. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Types and enum values (as `Enum.VALUE`) that clients do not see. */
  readonly hidden: ReadonlySet<string>;
}

export function outlineOf({ definitions }: DocumentNode): SupergraphOutline {
  const members = new Map<string, Set<string>>();
  const hidden = new Set<string>();
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
    if (!hasFields(definition)) continue;
    if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) membersOf(type);
    for (const parent of definition.interfaces ?? []) membersOf(parent.name.value).add(type);
  }
  const names = definitions.map((one) => (isTypeDefinitionNode(one) ? one.name.value : ''));
  return { names, members, hidden };
}

/** The types of a parsed supergraph. */
export function readSupergraphTypes(supergraph: DocumentNode): SupergraphTypes {
  const byName = new Map<string, DefinitionNode>();
  for (const one of supergraph.definitions) if (isTypeDefinitionNode(one)) byName.set(one.name.value, one);
  const schema = supergraph.definitions.find((one) => one.kind === Kind.SCHEMA_DEFINITION);
  const roots = new Map((schema?.operationTypes ?? []).map(({ operation, type }) => [operation, type.name.value]));
  return supergraphTypesOf(outlineOf(supergraph), graphNames(supergraph), (name) => byName.get(name), roots);
}

/**
 * Reads each definition of a supergraph when its type is first needed, since an operation only uses a few of thousands
 * of types.
 *
 * @param definitions SDL
 * @param services the names of the subgraphs, by their values of `enum join__Graph`
 */
export function typesOnDemand(
  definitions: readonly string[],
  outline: SupergraphOutline,
  services: ReadonlyMap<string, string>,
): SupergraphTypes {
  const sdl = new Map(outline.names.map((name, index) => [name, definitions[index] ?? '']));
  // Definitions of the schema and of directives have no type name.
  sdl.delete('');
  return supergraphTypesOf(outline, services, (name) => {
    const text = sdl.get(name);
    return text === undefined ? undefined : parse(text, { noLocation: true }).definitions[0];
  });
}

function supergraphTypesOf(
  { members, hidden }: SupergraphOutline,
  services: ReadonlyMap<string, string>,
  definitionOf: (name: string) => DefinitionNode | undefined,
  roots: ReadonlyMap<OperationTypeNode, string> = new Map(),
): SupergraphTypes {
  const models = new Map<string, TypeModel>();
  const objects = new Map<string, readonly string[]>();
  const type = (name: string): TypeModel | undefined => {
    const known = models.get(name);
    if (known) return known;
    const definition = definitionOf(name);
    const made = definition && readTypeModel(definition, services);
    // Only known names are cached. Unknown names come from subgraphs and clients and could fill the memory.
    if (made) models.set(name, made);
    return made;
  };
  const objectsOf = (name: string): readonly string[] => {
    const own = members.get(name);
    if (!own) return [];
    const known = objects.get(name) ?? [...own].filter((member) => !members.has(member));
    objects.set(name, known);
    return known;
  };
  return {
    services: [...services.values()],
    hiddenFields: new Set(),
    rootType: (operation) => roots.get(operation) ?? ROOT_TYPES[operation],
    type,
    isA: (typename, condition) => typename === condition || (members.get(condition)?.has(typename) ?? false),
    isAbstract: (typename) => members.has(typename),
    objectsOf,
    hidesValues: (name) => [...hidden].some((one) => one.startsWith(`${name}.`)),
    isHidden: (name, value) => hidden.has(value === undefined ? name : `${name}.${value}`),
    answers: (service, name, field) => {
      if (field === '__typename') return true;
      const found = type(name)?.in(service)?.field(field);
      return found?.isResolvable === true && found.requires === undefined;
    },
    keysOf: (name) => {
      const model = type(name);
      return (model?.services ?? []).flatMap((service) =>
        (model?.in(service)?.allKeys ?? []).map((key) => ({ service, key })),
      );
    },
    directivesOf: () => [],
    knowsDirective: () => false,
  };
}

/** The names that composition gives to root types. */
const ROOT_TYPES: Readonly<Record<OperationTypeNode, string>> = {
  query: 'Query',
  mutation: 'Mutation',
  subscription: 'Subscription',
};

function isInaccessible({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
  return (
    (directives as readonly ConstDirectiveNode[] | undefined)?.some(({ name }) => name.value === 'inaccessible') ??
    false
  );
}
