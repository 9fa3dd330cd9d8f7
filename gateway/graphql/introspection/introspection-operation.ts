import { type DocumentNode, type FragmentDefinitionNode, type OperationDefinitionNode, print } from 'graphql';
import { fragmentsOf } from '../syntax/index.ts';

/** A valid operation that only introspects the schema. */
export interface IntrospectionOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The document's text, which is the same for documents that only differ in white space and comments. */
  readonly text: string;
  /** The names of the declared variables. */
  readonly declared: readonly string[];
}

/** @param document the operation and the fragments that it uses. */
export function introspectionOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): IntrospectionOperation {
  const fragments = fragmentsOf(document);
  const declared = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return { document, operation, fragments, text: print(document), declared };
}

/** The cache key of a result, which only depends on the variables that the operation declares. */
export function resultKey(
  { text, declared }: IntrospectionOperation,
  variables: Readonly<Record<string, unknown>>,
): string {
  if (declared.length === 0) return text;
  const given = declared.map((name) => (Object.hasOwn(variables, name) ? [variables[name]] : []));
  return `${text}\n${JSON.stringify(given)}`;
}
