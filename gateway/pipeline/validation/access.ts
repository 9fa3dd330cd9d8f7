import type { OperationDefinitionNode } from 'graphql';
import type { Generation } from '../../graph/index.ts';
import { type Fragments, fragmentsOf } from '../../graphql/syntax/index.ts';
import { type Document, DocumentFact, selectedFields } from '../document/index.ts';

/** Properties of a document that decide which clients may send it. */
export interface Access {
  /**
   * The credentials that the document needs:
   *
   * - `nothing`: it only has authentication fields. Credentials are not verified because they may be expired.
   * - `public`: clients without credentials may access all of its fields. Credentials that are sent are verified.
   * - `session`: it needs credentials.
   */
  readonly needs: 'nothing' | 'public' | 'session';
  /** Whether the document has authentication fields, regardless of its other fields. */
  readonly authenticates: boolean;
  /** Operations with several authentication fields. */
  readonly crowded: readonly OperationDefinitionNode[];
}

const ACCESS = new DocumentFact((): { access?: Access } => ({}));

type Graph = Pick<Generation, 'authenticationFields' | 'isPublicField'>;

/** Computes access once for each document. A document is cached for one generation. */
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

/** The credentials that one operation needs, regardless of the other operations in the document. */
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
 * Counts authentication fields and other fields. Fields of a namespace count individually, since a namespace may
 * contain a login. `__typename` of a namespace is ignored, because many clients add it.
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
