import { type ASTNode, GraphQLError } from 'graphql';
import { ApiError } from '../errors.ts';

/** An operation with several authentication fields. The gateway rejects it with the same message. */
export function severalAuthenticationFields(operation: ASTNode): GraphQLError {
  return new GraphQLError('an operation may contain only one authentication field', { nodes: operation });
}

/** @param field of the audit log's filter. */
export function invalidAuditFilter(field: string): ApiError {
  return new ApiError('validation-failed', `${field}: expected a valid value, see docs/audit-log.md`);
}
