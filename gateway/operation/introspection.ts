import { GraphQLError } from 'graphql';
import type { Document } from './documents.ts';

const FIELDS = new Set(['__schema', '__type']);

/** The refusal of a document that asks for the schema, for a role that may not; `__typename` it may ask for. */
export function introspectionRefusal(document: Document, role: string): GraphQLError | undefined {
  if (!document.rootFields.some((field) => FIELDS.has(field.name))) return undefined;
  return new GraphQLError(`introspection is disabled for role: "${role}"`, { extensions: { code: 'not-supported' } });
}

/** An error without graphql-js's guess at what was meant: a role that may not ask for the schema is not told it. */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/ Did you mean [^?]*\?$/, '');
  if (message === error.message) return error;
  return new GraphQLError(message, { nodes: error.nodes ?? null, extensions: error.extensions });
}
