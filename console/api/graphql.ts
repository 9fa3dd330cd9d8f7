import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import type { introspection } from './schema.d.ts';

/** Makes a typed document of the auth service's part of the graph: its variables and result are inferred from its text. */
export const graphql = initGraphQLTada<{ introspection: introspection }>();

/** A document, with the types of its result and variables. */
export type TypedDocument<Result, Variables> = TadaDocumentNode<Result, Variables>;
export type { ResultOf, VariablesOf } from 'gql.tada';
