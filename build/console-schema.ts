import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { AUTH_TYPE_DEFINITIONS } from '../auth-service/graph/index.ts';

const PREAMBLE = [
  "// The auth service's part of the graph, for the types of the console's documents. `npm run docs` writes it.",
  '',
].join('\n');

/** `console/api/schema.d.ts`. */
export function consoleSchemaFile(): string {
  const introspection = minifyIntrospection(introspectionFromSchema(buildSchema(AUTH_TYPE_DEFINITIONS)));
  const text = outputIntrospectionFile(introspection, {
    fileType: '.d.ts',
    shouldPreprocess: true,
    preamble: PREAMBLE,
  });
  // What follows sets the schema of every document of a package; the console names it where it makes documents.
  return text.slice(0, text.indexOf('import * as gqlTada'));
}
