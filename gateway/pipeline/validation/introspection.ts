import { GraphQLError } from 'graphql';
import { introspectionDisabled } from '../../errors.ts';
import { isIntrospectionField } from '../../graphql/syntax/index.ts';
import type { Metadata } from '../../metadata/index.ts';
import type { Document } from '../document/index.ts';
import { inDocument } from '../errors.ts';

/** Whether a role may introspect the schema. `graphql_schema_introspection.yaml` lists the roles that may not. */
export function mayIntrospect(role: string, { introspectionDisabledFor }: IntrospectionPolicy): boolean {
  return !introspectionDisabledFor.has(role);
}

export type IntrospectionPolicy = Pick<Metadata, 'introspectionDisabledFor'>;

/** The error for a document with `__schema` or `__type`, if the role may not introspect. */
export function introspectionRefusal(
  document: Document,
  role: string,
  policy: IntrospectionPolicy,
): GraphQLError | undefined {
  if (mayIntrospect(role, policy)) return undefined;
  if (!document.rootFields.some(({ name }) => isIntrospectionField(name))) return undefined;
  return inDocument(introspectionDisabled(role));
}

/**
 * Removes graphql-js's suggestions from an error, because they would reveal the schema to a role that may not
 * introspect.
 */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/ Did you mean [^?]*\?$/, '');
  if (message === error.message) return error;
  return new GraphQLError(message, { nodes: error.nodes ?? null, extensions: error.extensions });
}
