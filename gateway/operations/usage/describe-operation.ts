import { createHash } from 'node:crypto';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { usedCoordinates } from './coordinates.ts';
import { copiedText } from './copied-text.ts';
import type { OperationDescription } from './usage-table.ts';

/** A client's operation that is valid for a role. */
export interface OperationToCount {
  /** The operation and the fragments that it uses. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The schema in the role's view. */
  readonly schema: GraphQLSchema;
  readonly role: string;
}

/** The most characters of an operation's name. */
const MAX_OPERATION_NAME = 128;

export function describeUsedOperation({ document, operation, schema }: OperationToCount): OperationDescription {
  const type = operation.operation;
  const name = operation.name && copiedText(operation.name.value.slice(0, MAX_OPERATION_NAME));
  const coordinates = usedCoordinates(document, schema);
  const id = createHash('sha256')
    .update(`${type} ${name ?? ''}\n${coordinates.join('\n')}`)
    .digest('hex')
    .slice(0, 16);
  return { id, type, name, coordinates };
}
