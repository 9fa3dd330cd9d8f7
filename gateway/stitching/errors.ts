import { GraphQLError } from 'graphql';

/** A value of a service that does not fit its scalar or enum. It is not repeated. @param field as `Type.field`. */
export function unfitLeaf(field: string, type: string): GraphQLError {
  return unexpected(`"${field}" was answered with a value that is no ${type}`);
}

/** A field whose service is called with a key that no service has. @param field as `Type.field`. */
export function missingKey(field: string): GraphQLError {
  return unexpected(`"${field}" cannot be fetched here: no service gives the key that it is asked for by`);
}

function unexpected(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { path: '$', code: 'unexpected' } });
}
