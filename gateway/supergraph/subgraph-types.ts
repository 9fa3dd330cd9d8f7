import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { directiveArgument, hasTrueArgument } from './join-directives.ts';

/** What single subgraphs have of the supergraph's types. */
export interface SubgraphTypes {
  /** Whether an abstract type has other members in one service than in another. */
  isPartial(type: string): boolean;
  /** The object types that a subgraph may return for an abstract type. */
  membersIn(service: string, type: string): ReadonlySet<string>;
  /** Whether a service has a type. */
  has(service: string, type: string): boolean;
  /** Whether a subgraph resolves a field without requirements of others. */
  answers(service: string, type: string, field: string): boolean;
  /** The keys by which objects of a type are fetched from services. */
  keysOf(type: string): readonly SubgraphKey[];
}

/** A key of an entity in one service, as a set of fields: `id`, `organization { id }`. */
export interface SubgraphKey {
  readonly service: string;
  readonly key: string;
}

/** Reads it from the definitions of a supergraph, one after the other. */
export class SubgraphTypesReader {
  readonly #services: ReadonlyMap<string, string>;
  readonly #known = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #keys = new Map<string, SubgraphKey[]>();
  readonly #members = new Map<string, Map<string, Set<string>>>();

  /** @param services their names by their values of the enum `join__Graph` */
  constructor(services: ReadonlyMap<string, string>) {
    this.#services = services;
  }

  add(definition: DefinitionNode): void {
    if (!isComposite(definition)) return;
    const type = definition.name.value;
    const isAbstract = definition.kind !== Kind.OBJECT_TYPE_DEFINITION;
    const own: string[] = [];
    for (const directive of definition.directives ?? []) {
      const graph = directiveArgument(directive, 'graph');
      const service = this.#subgraphOf(graph);
      if (directive.name.value === 'join__type' && service !== undefined) {
        own.push(service);
        this.#known.add(`${service}:${type}`);
        this.#addKey(type, service, directiveArgument(directive, 'key'));
        if (isAbstract) this.#addMember(graph, type, undefined);
      } else if (directive.name.value === 'join__unionMember') {
        this.#addMember(graph, type, directiveArgument(directive, 'member'));
      } else if (directive.name.value === 'join__implements' && definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
        this.#addMember(graph, directiveArgument(directive, 'interface'), type);
      }
    }
    if (definition.kind === Kind.UNION_TYPE_DEFINITION) return;
    for (const field of definition.fields ?? [])
      for (const service of subgraphsOf(field, own, (graph) => this.#subgraphOf(graph)))
        this.#answered.add(`${service}:${type}.${field.name.value}`);
  }

  result(): SubgraphTypes {
    const known = this.#known;
    const answered = this.#answered;
    const members = this.#members;
    const partial = new Set<string>();
    for (const [type, ofType] of members) {
      const [first, ...others] = [...ofType.values()].map((set) => [...set].sort().join(' '));
      if (others.some((one) => one !== first)) partial.add(type);
    }
    return {
      isPartial: (type) => partial.has(type),
      membersIn: (service, type) => members.get(type)?.get(service) ?? NO_TYPES,
      has: (service, type) => known.has(`${service}:${type}`),
      keysOf: (type) => this.#keys.get(type) ?? [],
      answers: (service, type, field) => field === '__typename' || answered.has(`${service}:${type}.${field}`),
    };
  }

  #addKey(type: string, service: string, key: string | undefined): void {
    if (key === undefined) return;
    const known = this.#keys.get(type);
    if (known) known.push({ service, key });
    else this.#keys.set(type, [{ service, key }]);
  }

  #subgraphOf(graph: string | undefined): string | undefined {
    return graph === undefined ? undefined : (this.#services.get(graph) ?? graph);
  }

  #addMember(graph: string | undefined, type: string | undefined, member: string | undefined): void {
    const service = this.#subgraphOf(graph);
    if (service === undefined || type === undefined) return;
    const ofType = this.#members.get(type) ?? new Map<string, Set<string>>();
    const inService = ofType.get(service) ?? new Set<string>();
    this.#members.set(type, ofType.set(service, inService));
    if (member !== undefined) inService.add(member);
  }
}

const NO_TYPES: ReadonlySet<string> = new Set();

type Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode | UnionTypeDefinitionNode;

function isComposite(definition: DefinitionNode): definition is Composite {
  const { kind } = definition;
  return (
    kind === Kind.OBJECT_TYPE_DEFINITION ||
    kind === Kind.INTERFACE_TYPE_DEFINITION ||
    kind === Kind.UNION_TYPE_DEFINITION
  );
}

/** The subgraphs that resolve a field without requirements. @param own those that have its type */
function subgraphsOf(
  { directives }: FieldDefinitionNode,
  own: readonly string[],
  subgraphOf: (graph: string | undefined) => string | undefined,
): readonly string[] {
  const joins = (directives ?? []).filter(({ name }) => name.value === 'join__field');
  if (joins.length === 0) return own;
  return joins.flatMap((join) => {
    const service = subgraphOf(directiveArgument(join, 'graph'));
    const isOther =
      hasTrueArgument(join, 'external') || hasTrueArgument(join, 'usedOverridden') || hasArgument(join, 'requires');
    return service === undefined || isOther ? [] : [service];
  });
}

function hasArgument(directive: ConstDirectiveNode, name: string): boolean {
  return (directive.arguments ?? []).some((one) => one.name.value === name && one.value.kind !== Kind.NULL);
}
