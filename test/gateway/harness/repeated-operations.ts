import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from 'graphql';
import type { Response } from 'graphql-http';
import type { Received } from './serve.ts';

// What upstreams would do again and again: a gateway introspects each of hundreds of upstreams that tests open, by the same few
// documents, and tests repeat operations. Validating one takes longer than to answer it.

type Errors = ReturnType<typeof validate>;

/** As many as are remembered: some suites send generated operations, or open many schemas. */
const MOST_DOCUMENTS = 500;
const MOST_ANSWERS = 100;
const documents = new Map<string, DocumentNode>();
const validIntrospections = new WeakSet<DocumentNode>();
const errors = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, Errors>>();

const answers = new Map<string, Promise<Response>>();

export const parseOnce: typeof parse = (source, options) => {
  const text = typeof source === 'string' ? source : source.body;
  const known = documents.get(text);
  if (known) return known;
  const document = parse(source, options);
  if (documents.size >= MOST_DOCUMENTS) documents.clear();
  documents.set(text, document);
  return document;
};

/** Introspections ask for fields that every schema has, so one that is valid for a schema is valid for all. */
export const validateOnce: typeof validate = (schema, document, rules) => {
  if (validIntrospections.has(document)) return [];
  const known = errors.get(schema)?.get(document);
  if (known) return known;
  const found = validate(schema, document, rules);
  if (found.length === 0 && isIntrospection(document)) validIntrospections.add(document);
  const ofSchema = errors.get(schema) ?? new WeakMap<DocumentNode, Errors>();
  errors.set(schema, ofSchema.set(document, found));
  return found;
};

/** Whether it reads the schema and nothing else. */
function isIntrospection({ definitions }: DocumentNode): boolean {
  return definitions.every(
    (definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ||
      (definition.kind === Kind.OPERATION_DEFINITION &&
        definition.selectionSet.selections.every(
          (selection) => selection.kind === Kind.FIELD && ['__schema', '__type'].includes(selection.name.value),
        )),
  );
}

/** As `graphql` of graphql-js, which validates an operation each time. */
export async function answerOperation(
  schema: GraphQLSchema,
  { query, variables }: { readonly query: string; readonly variables?: Readonly<Record<string, unknown>> | undefined },
  contextValue?: unknown,
): Promise<ExecutionResult> {
  let document: DocumentNode;
  try {
    document = parseOnce(query);
  } catch (error) {
    return { errors: [error as GraphQLError] };
  }
  const invalid = validateOnce(schema, document);
  if (invalid.length > 0) return { errors: invalid };
  return execute({ schema, document, variableValues: variables ?? {}, contextValue });
}

/** What a schema answers to an introspection, which its resolvers have no part in. */
export function introspectedOnce(
  typeDefs: string,
  { method, url, headers, text }: Received,
  answer: () => Promise<Response>,
): Promise<Response> {
  const request = JSON.stringify([typeDefs, method, url, headers.accept, headers['content-type'], text]);
  const known = answers.get(request);
  if (known) return known;
  const made = answer();
  if (answers.size >= MOST_ANSWERS) answers.clear();
  answers.set(request, made);
  return made;
}
