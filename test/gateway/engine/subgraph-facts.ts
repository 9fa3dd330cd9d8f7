import { type ConstDirectiveNode, type DocumentNode, type SelectionNode, valueFromASTUntyped } from 'graphql';
import { parseFieldSet } from '../../../gateway/planning/supergraph/index.ts';

export interface FieldFacts {
  readonly isExternal: boolean;
  readonly requires: readonly SelectionNode[] | undefined;
  readonly provides: readonly SelectionNode[];
}

export interface TypeFacts {
  readonly isInterfaceObject: boolean;
  /** A type of the first version of the specification that another service defines: all that it has of that one is external. */
  readonly isExtension: boolean;
  readonly interfaces: Set<string>;
  /** The keys by which its service finds objects. */
  readonly keys: (readonly SelectionNode[])[];
  readonly fields: Map<string, FieldFacts>;
}

/** What the directives of a subgraph say, by its types. */
export type SubgraphFacts = ReadonlyMap<string, TypeFacts>;

export function factsOf(document: DocumentNode): SubgraphFacts {
  const types = new Map<string, TypeFacts>();
  for (const node of document.definitions) {
    if (!('fields' in node) || !/^(Object|Interface)Type/.test(node.kind)) continue;
    const directives = node.directives ?? [];
    const type = types.get(node.name.value) ?? {
      isExtension: node.kind.endsWith('Extension'),
      isInterfaceObject: directives.some(({ name }) => name.value === 'interfaceObject'),
      interfaces: new Set<string>(),
      keys: [],
      fields: new Map<string, FieldFacts>(),
    };
    types.set(node.name.value, type);
    for (const directive of directives)
      if (directive.name.value === 'key' && argumentOf(directive, 'resolvable') !== false)
        type.keys.push(parseFieldSet(String(argumentOf(directive, 'fields'))));
    if ('interfaces' in node) for (const { name } of node.interfaces ?? []) type.interfaces.add(name.value);
    for (const field of node.fields ?? []) {
      const setOf = (name: string) => {
        const found = field.directives?.find((one) => one.name.value === name);
        return found && parseFieldSet(String(argumentOf(found as ConstDirectiveNode, 'fields')));
      };
      type.fields.set(field.name.value, {
        isExternal: field.directives?.some(({ name }) => name.value === 'external') ?? false,
        requires: setOf('requires'),
        provides: setOf('provides') ?? [],
      });
    }
  }
  return types;
}

function argumentOf({ arguments: given = [] }: ConstDirectiveNode, name: string): unknown {
  const found = given.find((one) => one.name.value === name);
  return found && valueFromASTUntyped(found.value);
}
