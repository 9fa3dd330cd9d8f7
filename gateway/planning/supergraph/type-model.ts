import { type ConstDirectiveNode, type DefinitionNode, type FieldDefinitionNode, Kind } from 'graphql';
import { innermostTypeName, typeText } from '../../graphql/syntax/index.ts';
import { directiveArgument, fieldNamesOf, hasTrueArgument, parseFieldSet } from './join-directives.ts';
import type { FieldSet, ServiceField, ServiceType, TypeModel } from './model.ts';

/** Reads the definition of a type. Returns undefined if it has neither fields nor members. */
export function readTypeModel(
  definition: DefinitionNode,
  services: ReadonlyMap<string, string>,
): TypeModel | undefined {
  const { kind } = definition;
  const isUnion = kind === Kind.UNION_TYPE_DEFINITION;
  if (!isUnion && kind !== Kind.OBJECT_TYPE_DEFINITION && kind !== Kind.INTERFACE_TYPE_DEFINITION) return undefined;
  const nameOf = (graph: string) => services.get(graph) ?? graph;
  const joins = definition.directives ?? [];
  const typeJoins = byGraph(joins, 'join__type');
  // In join specification 0.1, a field that names no subgraph belongs to the type's owner.
  const [owner] = byGraph(joins, 'join__owner').keys();
  const isOfOneSubgraph = [...typeJoins.values()].flat().length > 0 || owner !== undefined;
  const graphs = isOfOneSubgraph ? [...typeJoins.keys()] : rootGraphs(definition, services);
  const fields = new Map((isUnion ? [] : (definition.fields ?? [])).map((field) => [field.name.value, field]));
  const read = new Map<string, ServiceType>();
  const members = isUnion ? graphsOfMembers(joins) : undefined;
  const everyMember = isUnion ? new Set((definition.types ?? []).map(({ name }) => name.value)) : NONE;
  const implemented = graphsOfInterfaces(joins);
  const everyInterface = isUnion ? [] : (definition.interfaces ?? []).map(({ name }) => name.value);
  const serviceType = (graph: string): ServiceType => {
    const own = typeJoins.get(graph) ?? [];
    const isInterfaceObject = own.some((join) => hasTrueArgument(join, 'isInterfaceObject'));
    const keys = own.flatMap((join) => {
      const text = directiveArgument(join, 'key');
      return text === undefined ? [] : [{ text, isResolvable: !isFalse(join, 'resolvable') }];
    });
    const known = new Map<string, ServiceField | undefined>();
    // If there is an owner, each subgraph with a key implicitly has the key's fields.
    const keyNames = new Set(owner === undefined ? [] : keys.flatMap(({ text }) => fieldNamesOf(parseFieldSet(text))));
    let usable: readonly FieldSet[] | undefined;
    return {
      isInterfaceObject,
      lookups: [],
      get keys() {
        usable ??= keys.flatMap(({ text, isResolvable }) => (isResolvable ? [fieldSet(text)] : []));
        return usable;
      },
      allKeys: keys.map(({ text }) => text),
      unionMembers: members && members.size > 0 ? (members.get(graph) ?? NONE) : everyMember,
      interfaces: implemented.size > 0 ? (implemented.get(graph) ?? NONE) : new Set(everyInterface),
      field: (name) => {
        if (known.has(name)) return known.get(name);
        const field = fields.get(name);
        const found = field && serviceField(field, graph, owner, keyNames);
        known.set(name, found);
        return found;
      },
    };
  };
  return {
    name: definition.name.value,
    kind: isUnion ? 'union' : kind === Kind.OBJECT_TYPE_DEFINITION ? 'object' : 'interface',
    interfaces: everyInterface,
    services: graphs.map(nameOf),
    relationships: () => undefined,
    fieldType: (name) => {
      const field = fields.get(name);
      return field && typeText(field.type);
    },
    fieldTypeName: (name) => {
      const field = fields.get(name);
      return field && innermostTypeName(field.type);
    },
    in: (service) => {
      const known = read.get(service);
      if (known) return known;
      const graph = graphs.find((one) => nameOf(one) === service);
      if (graph === undefined) return undefined;
      const made = serviceType(graph);
      read.set(service, made);
      return made;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function fieldSet(text: string): FieldSet {
  return { text, selections: parseFieldSet(text) };
}

function serviceField(
  field: FieldDefinitionNode,
  graph: string,
  owner: string | undefined,
  keyNames: ReadonlySet<string>,
): ServiceField | undefined {
  const joins = (field.directives ?? []).filter(({ name }) => name.value === 'join__field');
  const typeName = innermostTypeName(field.type);
  const type = typeText(field.type);
  const isOwn = owner === undefined || owner === graph;
  if (keyNames.has(field.name.value) || (joins.length === 0 && isOwn))
    return { isResolvable: true, requires: undefined, provides: undefined, type, typeName };
  const join = joins.find((one) => directiveArgument(one, 'graph') === graph);
  if (!join) return undefined;
  const own = directiveArgument(join, 'type') ?? type;
  const setOf = (argument: string) => {
    const text = directiveArgument(join, argument);
    return text === undefined ? undefined : fieldSet(text);
  };
  return {
    isResolvable: !hasTrueArgument(join, 'external') && !hasTrueArgument(join, 'usedOverridden'),
    requires: setOf('requires'),
    provides: setOf('provides'),
    type: own,
    typeName: typeNameIn(own),
  };
}

/** The subgraphs of a root type's fields in join specification 0.1. Any subgraph may have any other type. */
function rootGraphs(definition: DefinitionNode, services: ReadonlyMap<string, string>): readonly string[] {
  const fields = 'fields' in definition ? (definition.fields ?? []) : [];
  const graphs = new Set<string>();
  for (const field of fields)
    for (const join of field.directives ?? [])
      if (join.name.value === 'join__field') graphs.add(directiveArgument(join, 'graph') ?? '');
  graphs.delete('');
  return graphs.size > 0 ? [...graphs] : [...services.keys()];
}

function byGraph(
  directives: readonly ConstDirectiveNode[],
  name: string,
): ReadonlyMap<string, readonly ConstDirectiveNode[]> {
  const found = new Map<string, ConstDirectiveNode[]>();
  for (const join of directives) {
    const graph = join.name.value === name ? directiveArgument(join, 'graph') : undefined;
    if (graph === undefined) continue;
    found.set(graph, [...(found.get(graph) ?? []), join]);
  }
  return found;
}

function graphsOfMembers(joins: readonly ConstDirectiveNode[]): ReadonlyMap<string, ReadonlySet<string>> {
  return namesByGraph(joins, 'join__unionMember', 'member');
}

function graphsOfInterfaces(joins: readonly ConstDirectiveNode[]): ReadonlyMap<string, ReadonlySet<string>> {
  return namesByGraph(joins, 'join__implements', 'interface');
}

function namesByGraph(joins: readonly ConstDirectiveNode[], directive: string, argument: string) {
  const found = new Map<string, Set<string>>();
  for (const [graph, own] of byGraph(joins, directive))
    found.set(graph, new Set(own.flatMap((join) => directiveArgument(join, argument) ?? [])));
  return found;
}

function isFalse({ arguments: given }: ConstDirectiveNode, name: string): boolean {
  const value = given?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.BOOLEAN && !value.value;
}

/** The named type in a type's SDL. */
export function typeNameIn(type: string): string {
  return type.replace(/[[\]!]/g, '');
}
