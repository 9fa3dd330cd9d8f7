import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type TypeDefinitionNode,
} from 'graphql';
import { directiveArgument, parseFieldSet } from '../../supergraph/index.ts';
import { innermostTypeName } from '../../syntax/index.ts';
import { entityTypeOf, isEntityRoot } from './entity-roots.ts';
import type { SupergraphParts } from './supergraph-parts.ts';

/**
 * The part of a supergraph that decides how an operation is planned, as a supergraph of its own:
 * - the fields that it selects, of the interfaces and unions that they are selected on also those of all their types;
 * - the keys of each of these types;
 * - what these fields and keys need in turn, by `@requires` and `@provides`, and the types of arguments.
 *
 * The planner follows only selected fields, keys and the requirements of either, so that it finds the same plan in it.
 * Definitions and fields keep their order.
 *
 * @param operation with the fragments that it uses. Fields that do not exist are left for the planner to refuse.
 */
export function sliceFor(operation: DocumentNode, parts: SupergraphParts): DocumentNode {
  return new Slice(parts).of(operation);
}

class Slice {
  readonly #parts: SupergraphParts;
  /** The fields that are kept, by the names of their types. */
  readonly #fields = new Map<string, Set<string>>();
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #spread = new Set<string>();
  /** Types whose `__typename` is selected, which every subgraph that has the type resolves. */
  readonly #named = new Set<string>();

  constructor(parts: SupergraphParts) {
    this.#parts = parts;
  }

  of(document: DocumentNode): DocumentNode {
    for (const one of document.definitions)
      if (one.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(one.name.value, one);
    this.#addType(this.#rootName('query'));
    for (const one of document.definitions) if (one.kind === Kind.OPERATION_DEFINITION) this.#addOperation(one);
    for (const [name, kept] of this.#fields) if (kept.size === 0 || this.#named.has(name)) this.#addAnyFields(name);
    return { kind: Kind.DOCUMENT, definitions: this.#definitions() };
  }

  #addOperation({ operation, variableDefinitions = [], selectionSet }: OperationDefinitionNode): void {
    for (const { type } of variableDefinitions) this.#addType(innermostTypeName(type));
    const root = this.#rootName(operation);
    this.#addType(root);
    this.#addSelections(root, selectionSet.selections);
  }

  #rootName(operation: string): string {
    const given = this.#parts.schema?.operationTypes.find((one) => one.operation === operation);
    return given?.type.name.value ?? operation.charAt(0).toUpperCase() + operation.slice(1);
  }

  #addSelections(type: string, selections: readonly SelectionNode[]): void {
    for (const selection of selections)
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        if (name === '__typename') {
          this.#named.add(type);
          continue;
        }
        const own = this.#addField(type, name);
        // Only the supergraph with root fields for entities has it.
        const tail = own ?? (isEntityRoot(name) ? entityTypeOf(name) : undefined);
        if (tail === undefined) continue;
        this.#addType(tail);
        if (selection.selectionSet) this.#addSelections(tail, selection.selectionSet.selections);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition?.name.value ?? type;
        this.#addType(on);
        this.#addSelections(on, selection.selectionSet.selections);
      } else this.#addFragment(selection.name.value);
  }

  #addFragment(name: string): void {
    const fragment = this.#fragments.get(name);
    if (!fragment || this.#spread.has(name)) return;
    this.#spread.add(name);
    this.#addType(fragment.typeCondition.name.value);
    this.#addSelections(fragment.typeCondition.name.value, fragment.selectionSet.selections);
  }

  /** Adds a type with its keys, and the types that it abstracts. */
  #addType(name: string): void {
    if (this.#fields.has(name)) return;
    const type = this.#parts.type(name);
    if (!type) return;
    this.#fields.set(name, new Set());
    for (const directive of type.directives ?? []) {
      const key = directive.name.value === 'join__type' ? directiveArgument(directive, 'key') : undefined;
      if (key !== undefined) this.#addSelections(name, parseFieldSet(key));
    }
    if (type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const { type: inner } of type.fields ?? []) this.#addType(innermostTypeName(inner));
    for (const object of this.#parts.objectsOf(name)) this.#addType(object);
    for (const parent of this.#interfaceObjectsOf(type)) this.#addType(parent);
  }

  /** Adds a field with its requirements. @returns the name of its type; undefined where there is no such field. */
  #addField(typeName: string, name: string): string | undefined {
    const type = this.#parts.type(typeName);
    if (!type) return undefined;
    this.#addType(typeName);
    const kept = this.#fields.get(typeName);
    const field = definedFields(type).find((one) => one.name.value === name);
    if (!kept || (!field && type.kind !== Kind.INTERFACE_TYPE_DEFINITION)) return undefined;
    const tail = field && innermostTypeName(field.type);
    if (kept.has(name)) return tail;
    kept.add(name);
    if (field) this.#addNeeds(typeName, field);
    for (const other of [...this.#parts.objectsOf(typeName), ...this.#interfaceObjectsOf(type)])
      this.#addField(other, name);
    return tail;
  }

  /** A type without fields is in no subgraph: adds one of each, preferably such as bring no other types with them. */
  #addAnyFields(typeName: string): void {
    const type = this.#parts.type(typeName);
    const kept = this.#fields.get(typeName);
    const fields = type ? definedFields(type) : [];
    const served = new Set(fields.flatMap((field) => (kept?.has(field.name.value) ? fieldGraphs(field) : [])));
    for (const field of [...fields.filter((one) => this.#isLeaf(one)), ...fields]) {
      const graphs = fieldGraphs(field);
      if (graphs.every((graph) => served.has(graph))) continue;
      for (const graph of graphs) served.add(graph);
      this.#addField(typeName, field.name.value);
    }
  }

  #isLeaf({ type, arguments: given = [], directives = [] }: FieldDefinitionNode): boolean {
    const isNeedy = directives.some((join) => directiveArgument(join, 'requires') !== undefined);
    const kind = this.#parts.type(innermostTypeName(type))?.kind ?? Kind.SCALAR_TYPE_DEFINITION;
    return !isNeedy && given.length === 0 && LEAVES.has(kind);
  }

  #addNeeds(typeName: string, field: FieldDefinitionNode): void {
    const tail = innermostTypeName(field.type);
    this.#addType(tail);
    for (const { type } of field.arguments ?? []) this.#addType(innermostTypeName(type));
    for (const join of field.directives ?? []) {
      if (join.name.value !== 'join__field') continue;
      const own = directiveArgument(join, 'type')?.replace(/[[\]!\s]/g, '');
      if (own !== undefined) this.#addType(own);
      const requires = directiveArgument(join, 'requires');
      if (requires !== undefined) this.#addSelections(typeName, parseFieldSet(requires));
      const provides = directiveArgument(join, 'provides');
      if (provides !== undefined) this.#addSelections(own ?? tail, parseFieldSet(provides));
    }
  }

  /** Interfaces of a type that a subgraph adds fields to without having the type. */
  #interfaceObjectsOf(type: TypeDefinitionNode): readonly string[] {
    return interfacesOf(type).filter((name) => this.#parts.isInterfaceObject(name));
  }

  #definitions(): readonly DefinitionNode[] {
    const { schema, base } = this.#parts;
    const inBase = new Set(base.flatMap((one) => ('name' in one && one.name ? [one.name.value] : [])));
    const types = [...this.#fields.keys()]
      .filter((name) => !inBase.has(name))
      .sort(this.#parts.compare)
      .flatMap((name) => {
        const type = this.#parts.type(name);
        return type ? [this.#reduced(type, this.#fields.get(name) ?? new Set())] : [];
      });
    if (!schema) return [...base, ...types];
    const operationTypes = schema.operationTypes.filter(({ type }) => this.#fields.has(type.name.value));
    return [{ ...schema, operationTypes }, ...base, ...types];
  }

  #reduced(type: TypeDefinitionNode, kept: ReadonlySet<string>): TypeDefinitionNode {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return type;
    const { description: _, ...rest } = type;
    return {
      ...rest,
      interfaces: (type.interfaces ?? []).filter((one) => this.#fields.has(one.name.value)),
      directives: (type.directives ?? []).filter((one) => this.#isOfKept(one)),
      fields: (type.fields ?? []).filter((one) => kept.has(one.name.value)).map(withoutDescription),
    };
  }

  /** Whether a directive is of no interface, or of one that is kept. */
  #isOfKept(directive: ConstDirectiveNode): boolean {
    if (directive.name.value !== 'join__implements') return true;
    return this.#fields.has(directiveArgument(directive, 'interface') ?? '');
  }
}

const LEAVES: ReadonlySet<string> = new Set([Kind.SCALAR_TYPE_DEFINITION, Kind.ENUM_TYPE_DEFINITION]);

/** The services that a field says to be of; one of all services of its type says none. */
function fieldGraphs({ directives = [] }: FieldDefinitionNode): readonly string[] {
  const joins = directives.filter(({ name }) => name.value === 'join__field');
  return joins.length === 0 ? ['all'] : joins.map((join) => directiveArgument(join, 'graph') ?? 'all');
}

function definedFields(type: TypeDefinitionNode): readonly FieldDefinitionNode[] {
  const isComposite = type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION;
  return isComposite ? (type.fields ?? []) : [];
}

function interfacesOf(type: TypeDefinitionNode): readonly string[] {
  const isComposite = type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION;
  return isComposite ? (type.interfaces ?? []).map((one) => one.name.value) : [];
}

function withoutDescription({ description: _, ...field }: FieldDefinitionNode): FieldDefinitionNode {
  return field;
}
