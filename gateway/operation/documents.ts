import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import { type DocumentCost, documentCost } from './limits-cost.ts';
import type { Plan } from './plan.ts';
import type { Validated } from './validation.ts';

export interface RootField {
  readonly operation: OperationTypeNode;
  readonly name: string;
}

/** A client's document, parsed once. */
export interface Document {
  readonly node: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  /** Every root field of every operation, through fragments; one that is selected twice stands here twice. */
  readonly rootFields: readonly RootField[];
  readonly cost: DocumentCost;
  /** What came of validating it, by the graph that it was validated against. */
  readonly validated: Map<RoleGraph, Validated>;
  /** How each of its operations is run, by the graph that it is run on. */
  readonly plans: Map<RoleGraph, Map<OperationDefinitionNode, Plan>>;
}

const MAX_DOCUMENTS = 2_000;
const MAX_CHARACTERS = 8_000_000;

/**
 * Parses documents and remembers them by their text, the least recently used going first. One cache belongs to one
 * generation of the graph.
 */
export class DocumentCache {
  readonly #documents = new Map<string, Document>();
  readonly #maxTokens: number;
  #characters = 0;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  /** @throws GraphQLError when the text is no GraphQL document; its message repeats nothing of the text's values. */
  get(text: string): Document {
    const known = this.#documents.get(text);
    if (known) {
      this.#documents.delete(text);
      this.#documents.set(text, known);
      return known;
    }
    const document = readDocument(text, this.#maxTokens);
    this.#documents.set(text, document);
    this.#characters += text.length;
    this.#evict();
    return document;
  }

  #evict(): void {
    for (const oldest of this.#documents.keys()) {
      if (this.#documents.size <= MAX_DOCUMENTS && this.#characters <= MAX_CHARACTERS) return;
      this.#documents.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

function readDocument(text: string, maxTokens: number): Document {
  const node = parseQuietly(text, maxTokens);
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of node.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const rootFields = operations.flatMap((operation) => rootFieldsOf(operation, fragments));
  return { node, operations, rootFields, cost: documentCost(node), validated: new Map(), plans: new Map() };
}

function parseQuietly(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: the document is nested too deeply.');
    if (!(error instanceof GraphQLError)) throw error;
    if (/^Syntax Error: Document contains more tha[tn] \d+ tokens/.test(error.message))
      throw new GraphQLError(`the document has more than ${maxTokens} tokens`, {
        extensions: { code: 'token-limit-exceeded' },
      });
    // What stands where it should not may be a password: the message tells its kind, the location tells its place.
    const message = error.message.replace(/\b(Name|String|BlockString|Int|Float) "[\s\S]*"/, '$1');
    throw new GraphQLError(message, { source: error.source ?? null, positions: error.positions ?? null });
  }
}

/** The root fields of one operation. Each fragment counts once: what it selects twice is merged when it runs. */
export function rootFieldsOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly RootField[] {
  const fields: RootField[] = [];
  const seen = new Set<string>();
  const pending: SelectionSetNode[] = [operation.selectionSet];
  for (let selections = pending.pop(); selections; selections = pending.pop()) {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) fields.push({ operation: operation.operation, name: selection.name.value });
      else if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) pending.push(fragment.selectionSet);
      }
    }
  }
  return fields;
}
