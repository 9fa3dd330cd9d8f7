import {
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  OperationTypeNode,
  parseType,
  type SelectionNode,
} from 'graphql';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import { graphNames, parseFieldSet } from '../supergraph/index.ts';
import { type DirectiveArguments, directivesOf, hasDirective, type NodeWithDirectives } from './directives.ts';

/**
 * The types of a supergraph and the subgraphs that resolve them. Subgraphs are identified by their values of `enum
 * join__Graph`.
 */
export interface JoinedTypes {
  readonly types: ReadonlyMap<string, JoinedType>;
  /** The names of the subgraphs. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether there are progressive overrides. */
  readonly hasLabels: boolean;
  /** The root types in the order query, mutation, subscription. */
  readonly roots: readonly { readonly operation: OperationTypeNode; readonly type: string }[];
}

/** An object type, interface or union. */
export interface JoinedType {
  readonly name: string;
  readonly isAbstract: boolean;
  readonly isInaccessible: boolean;
  /** The type in each subgraph that has it. */
  readonly graphs: ReadonlyMap<string, TypeInGraph>;
  readonly fields: ReadonlyMap<string, JoinedField>;
  /** The interfaces that the type implements in any subgraph. */
  readonly interfaces: readonly string[];
  /** The object types of an interface or union, with the subgraphs in which they belong to it. */
  readonly members: Map<string, Set<string>>;
}

export interface TypeInGraph {
  readonly keys: readonly Key[];
  readonly isInterfaceObject: boolean;
}

export interface Key {
  readonly text: string;
  readonly fields: readonly SelectionNode[];
  readonly resolvable: boolean;
}

export interface JoinedField {
  readonly name: string;
  readonly isInaccessible: boolean;
  readonly type: string;
  readonly graphs: ReadonlyMap<string, FieldInGraph>;
}

export interface FieldInGraph {
  /** The name of the field's type in the subgraph. */
  readonly type: string;
  /** False if another subgraph resolves the field and this one only has it for `@key`, `@requires` or `@provides`. */
  readonly resolves: boolean;
  readonly requires: readonly SelectionNode[];
  readonly provides: readonly SelectionNode[];
  /** The label of a progressive override. `on` says for which value of the label the subgraph resolves the field. */
  readonly label: { readonly name: string; readonly on: boolean } | undefined;
}

/** Reads a supergraph of the join specification 0.3 to 0.5 that has been composed. */
export function readJoinedTypes(supergraph: DocumentNode): JoinedTypes {
  const names = graphNames(supergraph);
  const types = new Map<string, JoinedType>();
  const roots: { operation: OperationTypeNode; type: string }[] = [];
  for (const definition of supergraph.definitions)
    switch (definition.kind) {
      case Kind.SCHEMA_DEFINITION:
        for (const { operation, type } of definition.operationTypes) roots.push({ operation, type: type.name.value });
        break;
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_DEFINITION:
      case Kind.UNION_TYPE_DEFINITION: {
        const graphs = readTypeGraphs(definition);
        const declared = 'fields' in definition ? (definition.fields ?? []) : [];
        const everywhere = inAll(graphs);
        types.set(definition.name.value, {
          name: definition.name.value,
          isAbstract: definition.kind !== Kind.OBJECT_TYPE_DEFINITION,
          isInaccessible: hasDirective(definition, 'inaccessible'),
          graphs,
          fields: new Map(declared.map((field) => [field.name.value, readField(field, everywhere, names)])),
          interfaces: 'interfaces' in definition ? (definition.interfaces ?? []).map(({ name }) => name.value) : [],
          members: new Map(),
        });
      }
    }
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const { graph, interface: name } of directivesOf(definition, 'join__implements'))
        addMember(types.get(String(name)), definition.name.value, String(graph));
    if (definition.kind === Kind.UNION_TYPE_DEFINITION)
      for (const { graph, member } of directivesOf(definition, 'join__unionMember'))
        addMember(types.get(definition.name.value), String(member), String(graph));
  }
  const order = Object.values(OperationTypeNode);
  roots.sort((one, other) => order.indexOf(one.operation) - order.indexOf(other.operation));
  const fields = [...types.values()].flatMap((type) => [...type.fields.values()]);
  const hasLabels = fields.some(({ graphs }) => [...graphs.values()].some(({ label }) => label));
  return { types, names, hasLabels, roots };
}

function readTypeGraphs(type: NodeWithDirectives): ReadonlyMap<string, TypeInGraph> {
  const graphs = new Map<string, { keys: Key[]; isInterfaceObject: boolean }>();
  for (const { graph, key, resolvable, isInterfaceObject } of directivesOf(type, 'join__type')) {
    const found = graphs.get(String(graph)) ?? { keys: [], isInterfaceObject: isInterfaceObject === true };
    graphs.set(String(graph), found);
    if (typeof key === 'string')
      found.keys.push({ text: key, fields: parseFieldSet(key), resolvable: resolvable !== false });
  }
  return graphs;
}

function readField(
  field: FieldDefinitionNode,
  everywhere: (type: string) => JoinedField['graphs'],
  names: ReadonlyMap<string, string>,
): JoinedField {
  const joins = directivesOf(field, 'join__field');
  const type = innermostTypeName(field.type);
  // A join without a subgraph marks a field of an interface object.
  const given = joins.flatMap((join): [string, FieldInGraph][] =>
    join.graph === undefined ? [] : [[String(join.graph), fieldInGraph(join, type, labelOf(join, joins, names))]],
  );
  return {
    name: field.name.value,
    isInaccessible: hasDirective(field, 'inaccessible'),
    type,
    graphs: joins.length === 0 ? everywhere(type) : new Map(given),
  };
}

/**
 * The label that decides whether a subgraph resolves a field. The label belongs to the subgraph's own override or to an
 * override of this subgraph.
 */
function labelOf(
  join: DirectiveArguments,
  joins: readonly DirectiveArguments[],
  names: ReadonlyMap<string, string>,
): FieldInGraph['label'] {
  const { override, overrideLabel: label } = join;
  if (override !== undefined && typeof label === 'string')
    return joins.some(({ graph }) => names.get(String(graph)) === override) ? { name: label, on: true } : undefined;
  const name = names.get(String(join.graph));
  const other = joins.find((one) => one.override === name && typeof one.overrideLabel === 'string');
  return other && { name: String(other.overrideLabel), on: false };
}

/**
 * The subgraphs of fields without joins: all subgraphs of the type. Cached by field type, since most of thousands of
 * fields are alike.
 */
function inAll(graphs: ReadonlyMap<string, TypeInGraph>): (type: string) => JoinedField['graphs'] {
  const known = new Map<string, JoinedField['graphs']>();
  return (type) => {
    const before = known.get(type);
    if (before) return before;
    const field = fieldInGraph({}, type);
    const made = new Map([...graphs.keys()].map((graph) => [graph, field]));
    known.set(type, made);
    return made;
  };
}

function fieldInGraph(join: DirectiveArguments, type: string, label?: FieldInGraph['label']): FieldInGraph {
  return {
    type: typeof join.type === 'string' ? innermostTypeName(parseType(join.type, { noLocation: true })) : type,
    resolves: join.external !== true && (join.usedOverridden !== true || label !== undefined),
    requires: fieldSet(join.requires),
    provides: fieldSet(join.provides),
    label,
  };
}

function fieldSet(value: unknown): readonly SelectionNode[] {
  return typeof value === 'string' ? parseFieldSet(value) : [];
}

function addMember(type: JoinedType | undefined, member: string, graph: string): void {
  if (!type) return;
  const graphs = type.members.get(member) ?? new Set();
  type.members.set(member, graphs.add(graph));
}
