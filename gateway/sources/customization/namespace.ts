import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { fragmentsOf } from '../../syntax/index.ts';

/** An operation on a namespace, converted to root fields of the remote. */
export interface Unwrapped {
  readonly document: DocumentNode;
  /** Puts the data of the remote's answer back into the namespace. */
  wrapData(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** The place of an error of the remote's answer, in the namespace. */
  wrapPath(path: readonly (string | number)[]): readonly (string | number)[];
}

/** How response keys begin at the remote: with the number of the selection of the namespace that they belong to. */
const NAMESPACED_KEY = /^ns(\d+)_(.+)$/s;

/**
 * Moves the fields of the namespace to the root, where the remote has them.
 *
 * @param document one operation and its fragments; names are the remote's already, but for the namespace itself.
 */
export function unwrapNamespace(document: DocumentNode, namespace: string): Unwrapped {
  const fragments = fragmentsOf(document);
  const isSubscription = document.definitions.some(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'subscription',
  );
  /** Response keys of the namespace: it may be selected several times, under several aliases. */
  const keys: string[] = [];

  // Fragments at the root are taken apart: their type conditions are of types that the remote does not have there.
  const flattened = (set: SelectionSetNode, field: (node: FieldNode) => readonly SelectionNode[]) =>
    set.selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return field(selection);
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      return inner ? withConditions(selection.directives, flattened(inner.selectionSet, field)) : [];
    });

  const atRoot = (node: FieldNode): readonly SelectionNode[] => {
    if (node.name.value !== namespace || !node.selectionSet) return [node];
    const key = node.alias?.value ?? node.name.value;
    if (!keys.includes(key)) keys.push(key);
    const prefix = `ns${keys.indexOf(key)}_`;
    const hoisted = flattened(node.selectionSet, (inner) => [aliased(inner, prefix)]);
    // A subscription has one root field and no more (GraphQL, section 5.2.4.1).
    if (isSubscription) return withConditions(node.directives, hoisted);
    // Tells that the namespace is there, even where nothing in it is.
    return withConditions(node.directives, [aliased(fieldNamed('__typename'), prefix), ...hoisted]);
  };

  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? {
          ...definition,
          selectionSet: { ...definition.selectionSet, selections: flattened(definition.selectionSet, atRoot) },
        }
      : definition,
  );
  return {
    document: withoutUnusedFragments({ ...document, definitions }),
    wrapData: (data) => wrapData(data, keys),
    wrapPath: ([first, ...rest]) => {
      const [, index, name] = NAMESPACED_KEY.exec(String(first)) ?? [];
      return index === undefined || name === undefined
        ? [first ?? '', ...rest]
        : [keys[Number(index)] ?? '', name, ...rest];
    },
  };
}

function wrapData(data: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  // A client may call the namespace, or a field of it, `__proto__` or `constructor`.
  const wrapped: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    const [, index, name] = NAMESPACED_KEY.exec(key) ?? [];
    if (index === undefined || name === undefined) wrapped[key] = value;
    else {
      const namespace = keys[Number(index)] ?? '';
      const inside = (wrapped[namespace] ?? Object.create(null)) as Record<string, unknown>;
      inside[name] = value;
      wrapped[namespace] = inside;
    }
  }
  return wrapped;
}

function withConditions(
  directives: readonly DirectiveNode[] | undefined,
  selections: readonly SelectionNode[],
): readonly SelectionNode[] {
  if (!directives || directives.length === 0 || selections.length === 0) return selections;
  return [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
}

function fieldNamed(name: string): FieldNode {
  return { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } };
}

function aliased(node: FieldNode, prefix: string): FieldNode {
  return { ...node, alias: { kind: Kind.NAME, value: prefix + (node.alias?.value ?? node.name.value) } };
}

function withoutUnusedFragments(document: DocumentNode): DocumentNode {
  const used = new Set<string>();
  const fragments = fragmentsOf(document);
  const follow = (node: DocumentNode['definitions'][number]): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.add(name.value);
        follow(fragment);
      },
    });
  };
  for (const definition of document.definitions) if (definition.kind === Kind.OPERATION_DEFINITION) follow(definition);
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== Kind.FRAGMENT_DEFINITION || used.has(definition.name.value),
  );
  return { ...document, definitions };
}
