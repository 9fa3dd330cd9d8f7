import { BREAK, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { AwaitedSources, RoleGraph } from '../../graph/index.ts';
import type { Document } from '../document/index.ts';

/**
 * Whether a document that is invalid for a role may become valid when a source with an unknown schema becomes
 * available, because it selects something that the source may have.
 */
export function mayBecomeValid(document: Document, graph: RoleGraph, awaited: AwaitedSources, role: string): boolean {
  const isAwaitedRoot = document.rootFields.some(
    ({ operation, name }) =>
      !name.startsWith('__') && !graph.hasRootField(operation, name) && awaited.mayHaveRootField(role, operation, name),
  );
  if (isAwaitedRoot) return true;
  const info = new TypeInfo(graph.accepted);
  const roots = new Set<unknown>([
    graph.schema.getQueryType()?.name,
    graph.schema.getMutationType()?.name,
    graph.schema.getSubscriptionType()?.name,
  ]);
  let isAwaited = false;
  const found = (is: boolean) => {
    isAwaited = is;
    return is ? BREAK : undefined;
  };
  visit(
    document.node,
    visitWithTypeInfo(info, {
      Field: ({ name }) => {
        const type = info.getParentType();
        if (!type || info.getFieldDef() || roots.has(type.name)) return undefined;
        return found(awaited.mayHaveField(role, type.name, name.value));
      },
      NamedType: ({ name }) => {
        if (graph.accepted.getType(name.value)) return undefined;
        return found(awaited.mayHaveType(role, name.value));
      },
    }),
  );
  return isAwaited;
}
