import { type ASTNode, type DocumentNode, Kind, print, visit } from 'graphql';

/**
 * The text by which documents are compared. As in Hasura, comments, white space and `__typename` are ignored, whereas
 * the order of fields matters.
 */
export function normalised(document: DocumentNode): string {
  const isTypename = (node: ASTNode) => node.kind === Kind.FIELD && node.name.value === '__typename';
  return print(visit(document, { Field: { leave: (node) => (isTypename(node) ? null : undefined) } }));
}
