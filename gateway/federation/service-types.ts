import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import type { Sliced } from '../../platform/index.ts';
import { directiveArgument, graphNames } from './join-directives.ts';

/** What the supergraph says that single services have of its types. */
export interface ServiceTypes {
  /** Whether an abstract type has other members in one service than in another. */
  isPartial(type: string): boolean;
  /** The object types that a service may give where an abstract type is declared. */
  membersIn(service: string, type: string): ReadonlySet<string>;
  /** Whether a service has a type. */
  has(service: string, type: string): boolean;
  /** Whether a service can be asked for a field without needing anything of another one for it. */
  answers(service: string, type: string, field: string): boolean;
}

/** Reads it from a supergraph document. */
export function* readServiceTypes(supergraph: DocumentNode): Sliced<ServiceTypes> {
  const services = graphNames(supergraph);
  const known = new Set<string>();
  const answered = new Set<string>();
  const members = new Map<string, Map<string, Set<string>>>();
  const serviceOf = (graph: string | undefined) => (graph === undefined ? undefined : (services.get(graph) ?? graph));
  const add = (graph: string | undefined, type: string | undefined, member: string | undefined) => {
    const service = serviceOf(graph);
    if (service === undefined || type === undefined) return;
    const ofType = members.get(type) ?? new Map<string, Set<string>>();
    const inService = ofType.get(service) ?? new Set<string>();
    members.set(type, ofType.set(service, inService));
    if (member !== undefined) inService.add(member);
  };
  for (const definition of supergraph.definitions) {
    yield;
    if (!isComposite(definition)) continue;
    const type = definition.name.value;
    const isAbstract = definition.kind !== Kind.OBJECT_TYPE_DEFINITION;
    const own: string[] = [];
    for (const directive of definition.directives ?? []) {
      const graph = directiveArgument(directive, 'graph');
      const service = serviceOf(graph);
      if (directive.name.value === 'join__type' && service !== undefined) {
        own.push(service);
        known.add(`${service}:${type}`);
        if (isAbstract) add(graph, type, undefined);
      } else if (directive.name.value === 'join__unionMember') {
        add(graph, type, directiveArgument(directive, 'member'));
      } else if (directive.name.value === 'join__implements' && definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
        add(graph, directiveArgument(directive, 'interface'), type);
      }
    }
    if (definition.kind === Kind.UNION_TYPE_DEFINITION) continue;
    for (const field of definition.fields ?? [])
      for (const service of servicesOf(field, own, serviceOf)) answered.add(`${service}:${type}.${field.name.value}`);
  }
  const partial = new Set<string>();
  for (const [type, ofType] of members) {
    const [first, ...others] = [...ofType.values()].map((set) => [...set].sort().join(' '));
    if (others.some((one) => one !== first)) partial.add(type);
  }
  return {
    isPartial: (type) => partial.has(type),
    membersIn: (service, type) => members.get(type)?.get(service) ?? NONE,
    has: (service, type) => known.has(`${service}:${type}`),
    answers: (service, type, field) => field === '__typename' || answered.has(`${service}:${type}.${field}`),
  };
}

const NONE: ReadonlySet<string> = new Set();

type Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode | UnionTypeDefinitionNode;

function isComposite(definition: DefinitionNode): definition is Composite {
  const { kind } = definition;
  return (
    kind === Kind.OBJECT_TYPE_DEFINITION ||
    kind === Kind.INTERFACE_TYPE_DEFINITION ||
    kind === Kind.UNION_TYPE_DEFINITION
  );
}

/** The services that have a field of their own, without a requirement. @param own those that have its type */
function servicesOf(
  { directives }: FieldDefinitionNode,
  own: readonly string[],
  serviceOf: (graph: string | undefined) => string | undefined,
): readonly string[] {
  const joins = (directives ?? []).filter(({ name }) => name.value === 'join__field');
  if (joins.length === 0) return own;
  return joins.flatMap((join) => {
    const service = serviceOf(directiveArgument(join, 'graph'));
    const isOther = saysYes(join, 'external') || saysYes(join, 'usedOverridden') || has(join, 'requires');
    return service === undefined || isOther ? [] : [service];
  });
}

function has(directive: ConstDirectiveNode, name: string): boolean {
  return (directive.arguments ?? []).some((one) => one.name.value === name && one.value.kind !== Kind.NULL);
}

function saysYes(directive: ConstDirectiveNode, name: string): boolean {
  const value = directive.arguments?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.BOOLEAN && value.value;
}
