import type { OperationDefinitionNode } from 'graphql';
import type { Generation } from '../../graph/index.ts';
import { type Fragments, fragmentsOf } from '../../graphql/syntax/index.ts';
import { type Document, DocumentFact, selectedFields } from '../document/index.ts';

/** The facts of a document that decide which callers may send it. */
export interface Access {
  /**
   * `nothing`: it has authentication fields only, so credentials are not verified, since they may be expired. `public`:
   * all of it is granted to callers without credentials; credentials that are sent are verified. `session`: it needs
   * credentials.
   */
  readonly needs: 'nothing' | 'public' | 'session';
  /** Whether it has authentication fields, whatever else it has. */
  readonly authenticates: boolean;
  /** Operations with several authentication fields. */
  readonly crowded: readonly OperationDefinitionNode[];
}

const ACCESS = new DocumentFact((): { access?: Access } => ({}));

type Graph = Pick<Generation, 'authenticationFields' | 'isPublicField'>;

/** Computed once for each document, which is cached for one generation. */
export function accessOf(document: Document, generation: Graph): Access {
  const kept = ACCESS.of(document);
  kept.access ??= readAccess(document, generation);
  return kept.access;
}

function readAccess(document: Document, generation: Graph): Access {
  const fragments = fragmentsOf(document.node);
  const counts = document.operations.map((operation) => fieldCounts(operation, fragments, generation));
  return {
    needs: needsOf(counts, () =>
      document.rootFields.every((field) => generation.isPublicField(field.operation, field.name)),
    ),
    authenticates: counts.some(({ authentication }) => authentication > 0),
    crowded: document.operations.filter((_, index) => (counts[index]?.authentication ?? 0) > 1),
  };
}

/** Which credentials one operation needs, whatever else is in its document. */
export function needsOfOperation(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  generation: Graph,
): Access['needs'] {
  return needsOf([fieldCounts(operation, fragments, generation)], () =>
    selectedFields(operation.selectionSet, fragments).every(({ name }) =>
      generation.isPublicField(operation.operation, name.value),
    ),
  );
}

interface FieldCounts {
  readonly authentication: number;
  readonly others: number;
}

function needsOf(counts: readonly FieldCounts[], isPublic: () => boolean): Access['needs'] {
  const total = (which: keyof FieldCounts) => counts.reduce((sum, count) => sum + count[which], 0);
  if (total('authentication') > 0 && total('others') === 0) return 'nothing';
  return isPublic() ? 'public' : 'session';
}

/**
 * Fields of a namespace count one by one: a login is one there too. Its `__typename`, which clients add, is nothing.
 */
function fieldCounts(
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
  { authenticationFields }: Graph,
): FieldCounts {
  let authentication = 0;
  let others = 0;
  for (const { name, selectionSet: selected } of selectedFields(selectionSet, fragments)) {
    if (authenticationFields.has(operation, name.value)) authentication++;
    else if (selected && authenticationFields.hasNamespace(operation, name.value)) {
      const inner = selectedFields(selected, fragments).map((field) => field.name.value);
      const ofAuthentication = inner.filter((field) => authenticationFields.has(operation, name.value, field));
      authentication += ofAuthentication.length;
      if (ofAuthentication.length === 0) others++;
      else others += inner.filter((field) => field !== '__typename').length - ofAuthentication.length;
    } else others++;
  }
  return { authentication, others };
}
