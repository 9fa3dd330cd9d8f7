import {
  type DocumentNode,
  type GraphQLNamedType,
  GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  specifiedDirectives,
} from 'graphql';
import { extendSchemaImpl } from 'graphql/utilities/extendSchema.js';
import type { Sliced } from '../../../platform/index.ts';

const EMPTY_SCHEMA = {
  description: undefined,
  types: [],
  directives: [],
  extensions: {},
  extensionASTNodes: [],
  assumeValid: false,
};

/**
 * Builds the same schema as `buildASTSchema`, in slices. Neither the document nor the schema is ever validated, so the
 * document must be known to be valid. The schema keeps no reference to the document.
 */
export function* buildSchema(document: DocumentNode): Sliced<GraphQLSchema> {
  const config = extendSchemaImpl(EMPTY_SCHEMA, document, { assumeValidSDL: true });
  yield;
  for (const type of config.types) {
    complete(type);
    yield;
  }
  const named = new Map(config.types.map((type) => [type.name, type]));
  const root = (name: string) => {
    const type = named.get(name);
    return isObjectType(type) ? type : undefined;
  };
  const roots = config.astNode
    ? {}
    : { query: root('Query'), mutation: root('Mutation'), subscription: root('Subscription') };
  const own = new Set(config.directives.map(({ name }) => name));
  return new GraphQLSchema({
    ...config,
    ...roots,
    directives: [...config.directives, ...specifiedDirectives.filter(({ name }) => !own.has(name))],
    astNode: undefined,
    assumeValid: true,
  });
}

/** Resolves the thunks of a type now. Otherwise graphql-js would do so at the first use. */
function complete(type: GraphQLNamedType): void {
  type.astNode = undefined;
  type.extensionASTNodes = [];
  if (isUnionType(type)) type.getTypes();
  if (isObjectType(type) || isInterfaceType(type)) {
    type.getInterfaces();
    for (const field of Object.values(type.getFields())) {
      field.astNode = undefined;
      for (const argument of field.args) argument.astNode = undefined;
    }
  }
  if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) field.astNode = undefined;
}
