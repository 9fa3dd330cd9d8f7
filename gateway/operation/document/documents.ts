import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { documentTooDeep, tooManyTokens } from '../errors.ts';
import { type DocumentCost, documentCost } from './document-cost.ts';
import { withLightLocations } from './light-locations.ts';

export interface RootField {
  readonly operation: OperationTypeNode;
  readonly name: string;
}

/** A client's document, parsed once. */
export interface Document {
  readonly node: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  /** Every root field of every operation, through fragments; one that is selected twice is listed twice. */
  readonly rootFields: readonly RootField[];
  readonly cost: DocumentCost;
  /** How many tokens its text has. */
  readonly tokens: number;
  /** What other rooms keep with it, each by a `DocumentFact` of its own: results of validation, plans, access. */
  readonly facts: Map<object, unknown>;
  /** Whether it is cached for clients that send it again. */
  isKept: boolean;
}

/** Weights are characters and tokens; a token takes hundreds of bytes once its document is parsed and planned. */
const DOCUMENTS_OF_CALLERS: CacheBounds = { entries: 2_000, weights: [8_000_000, 100_000] };
/** Documents that come without a session have a cache of their own, so that they cannot evict those of sessions. */
const DOCUMENTS_OF_PUBLIC: CacheBounds = { entries: 200, weights: [800_000, 20_000] };

/** Parses documents, and caches those that `keep` is called with. A cache belongs to one generation of the graph. */
export class DocumentCache {
  readonly #ofCallers = new SecondChanceCache<Document>(DOCUMENTS_OF_CALLERS, markForgotten);
  readonly #ofPublic = new SecondChanceCache<Document>(DOCUMENTS_OF_PUBLIC, markForgotten);
  readonly #maxTokens: number;
  readonly #counts: { hits: number; misses: number };

  /** @param counts where it counts hits and misses. */
  constructor(maxTokens: number, counts = { hits: 0, misses: 0 }) {
    this.#maxTokens = maxTokens;
    this.#counts = counts;
  }

  /** The number of cached documents. */
  get size(): number {
    return this.#ofCallers.size + this.#ofPublic.size;
  }

  /** @throws GraphQLError when the text is no GraphQL document; its message repeats nothing of the text's values. */
  get(text: string): Document {
    const known = this.#ofCallers.get(text) ?? this.#ofPublic.get(text);
    if (known) {
      this.#counts.hits++;
      return known;
    }
    this.#counts.misses++;
    return parseDocument(text, this.#maxTokens);
  }

  /**
   * Caches a document that its caller may send. Others are parsed each time: a client without a token can send any number of
   * them.
   *
   * @param isPublic whether it came without a session.
   */
  keep(text: string, document: Document, isPublic: boolean): void {
    if (document.isKept) return;
    const store = isPublic ? this.#ofPublic : this.#ofCallers;
    document.isKept = store.keep(text, document, [text.length, document.tokens]);
  }
}

function markForgotten(document: Document): void {
  document.isKept = false;
}

function parseDocument(text: string, maxTokens: number): Document {
  const parsed = parseQuietly(text, maxTokens);
  const tokens = tokensIn(parsed);
  const node = withLightLocations(parsed);
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of node.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const rootFields = operations.flatMap((operation) => rootFieldsOf(operation, fragments));
  return {
    node,
    operations,
    rootFields,
    cost: documentCost(node),
    tokens,
    facts: new Map(),
    isKept: false,
  };
}

function tokensIn({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) count += 1;
  return count;
}

function parseQuietly(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (error instanceof RangeError) throw documentTooDeep();
    if (!(error instanceof GraphQLError)) throw error;
    if (/^Syntax Error: Document contains more tha[tn] \d+ tokens/.test(error.message)) throw tooManyTokens(maxTokens);
    // An unexpected token may be a password: the message names its kind, the location its position.
    const message = error.message.replace(/\b(Name|String|BlockString|Int|Float) "[\s\S]*"/, '$1');
    throw new GraphQLError(message, { source: error.source ?? null, positions: error.positions ?? null });
  }
}

/** The root fields of one operation. */
export function rootFieldsOf(
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly RootField[] {
  return selectedFields(selectionSet, fragments).map(({ name }) => ({ operation, name: name.value }));
}

/**
 * The fields that a selection set holds itself or through fragments. Each fragment counts once: what it selects twice
 * is merged when it runs.
 */
export function selectedFields(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly FieldNode[] {
  const fields: FieldNode[] = [];
  const seen = new Set<string>();
  const pending: SelectionSetNode[] = [selectionSet];
  for (let selections = pending.pop(); selections; selections = pending.pop()) {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
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
