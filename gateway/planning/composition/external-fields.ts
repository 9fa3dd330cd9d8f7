import { Kind, type SelectionNode } from 'graphql';
import { hasFields, innermostTypeName, type TypeWithFields } from '../../graphql/syntax/index.ts';
import { type ComposedSubgraph, type ExternalFields, parseFieldSet } from '../supergraph/index.ts';
import { directivesOf, hasDirective, type NodeWithDirectives } from './directives.ts';
import { readFederationLink } from './federation-link.ts';

type FieldsBySubgraph = Map<string, Map<string, boolean>>;

/**
 * Determines whether fields with `@external` really are external in their subgraphs. Fields in the subgraph's own keys
 * are left out. If their type is extended, they are not external, because the directive is a mere convention of
 * Federation 1 there.
 */
export function externalFields(services: readonly ComposedSubgraph[]): ExternalFields {
  const stated: FieldsBySubgraph = new Map();
  for (const service of services) readExternal(service, stated);
  return stated;
}

function readExternal({ name: service, typeDefs }: ComposedSubgraph, stated: FieldsBySubgraph): void {
  const { version, nameOf } = readFederationLink(typeDefs);
  const has = (node: NodeWithDirectives, directive: string) => hasDirective(node, nameOf(directive));
  const types = typeDefs.definitions.filter(hasFields);
  const marked = types.flatMap((type) =>
    (type.fields ?? [])
      .filter((field) => has(type, 'external') || has(field, 'external'))
      .map((field) => ({ type, key: `${type.name.value}.${field.name.value}` })),
  );
  if (marked.length === 0) return;
  const isExtended = (type: TypeWithFields) => type.kind.endsWith('Extension') || has(type, 'extends');
  const known = usedFields(types, nameOf, isExtended);
  for (const { type, key } of marked) {
    const extended = known.ofKeys.get(key);
    if (has(type, 'interfaceObject')) state(stated, key, service, true);
    else if (extended === undefined) {
      // In Federation 1 the directive has no effect on a field that nothing requires or provides.
      if (version !== undefined || known.others.has(key)) state(stated, key, service, true);
    } else if (extended) state(stated, key, service, false);
  }
}

function state(stated: FieldsBySubgraph, field: string, service: string, isExternal: boolean): void {
  stated.set(field, (stated.get(field) ?? new Map<string, boolean>()).set(service, isExternal));
}

interface UsedFields {
  /** The fields of keys at any depth, and whether a type with such a key is extended. */
  readonly ofKeys: ReadonlyMap<string, boolean>;
  /** Fields that `@requires` or `@provides` name. */
  readonly others: ReadonlySet<string>;
}

function usedFields(
  types: readonly TypeWithFields[],
  nameOf: (directive: string) => string,
  isExtended: (type: TypeWithFields) => boolean,
): UsedFields {
  const names = new Map<string, string>();
  for (const { name, fields } of types)
    for (const field of fields ?? []) names.set(`${name.value}.${field.name.value}`, innermostTypeName(field.type));
  const select = (type: string, selections: readonly SelectionNode[], found: (field: string) => void): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
      const below = selection.selectionSet?.selections ?? [];
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        select(selection.typeCondition?.name.value ?? type, below, found);
        continue;
      }
      const key = `${type}.${selection.name.value}`;
      found(key);
      select(names.get(key) ?? '', below, found);
    }
  };
  const fieldSets = (node: NodeWithDirectives, directive: string) =>
    directivesOf(node, nameOf(directive)).flatMap(({ fields }) =>
      typeof fields === 'string' ? [parseFieldSet(fields)] : [],
    );
  const ofKeys = new Map<string, boolean>();
  const others = new Set<string>();
  for (const type of types) {
    const extended = isExtended(type);
    for (const key of fieldSets(type, 'key'))
      select(type.name.value, key, (field) => ofKeys.set(field, extended || ofKeys.get(field) === true));
    for (const field of type.fields ?? []) {
      for (const set of fieldSets(field, 'requires')) select(type.name.value, set, (one) => others.add(one));
      for (const set of fieldSets(field, 'provides'))
        select(innermostTypeName(field.type), set, (one) => others.add(one));
    }
  }
  return { ofKeys, others };
}
