import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type Location,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type SelectionSetNode,
  TokenKind,
  visit,
} from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { documentTooDeep, tooManyOperations, tooManyTokens } from '../errors.ts';
import { type DocumentCost, documentCost } from './document-cost.ts';

export interface RootField {
  readonly operation: OperationTypeNode;
  readonly name: string;
}

/** A client's document, parsed once. */
export interface Document {
  readonly node: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  /**
   * All root fields of all operations, including those in fragments. A field that is selected twice is listed twice.
   */
  readonly rootFields: readonly RootField[];
  readonly cost: DocumentCost;
  /** The number of tokens in its text. */
  readonly tokens: number;
  /**
   * Values that other modules store with the document under their `DocumentFact`: validation results, plans, access.
   */
  readonly facts: Map<object, unknown>;
  /** Whether the document is cached for clients that send it again. */
  isKept: boolean;
}

/** The weights are characters and tokens. Once a document is parsed and planned, each token takes hundreds of bytes. */
const DOCUMENTS_OF_CALLERS: CacheBounds = { entries: 2_000, weights: [8_000_000, 100_000] };
/** Documents of requests without a session have a separate cache, so that they cannot evict documents of sessions. */
const DOCUMENTS_OF_PUBLIC: CacheBounds = { entries: 200, weights: [800_000, 20_000] };

/**
 * The maximum number of operations. Each operation is validated with all fragments that it uses, even if others use
 * them too.
 */
const MAX_OPERATIONS = 100;

/** The maximum number of nested brackets of any kind. The same limit applies to the JSON of clients. */
const MAX_BRACKETS = 500;
const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Parses documents and caches those passed to `keep`. A cache belongs to one generation of the graph. */
export class DocumentCache {
  readonly #ofCallers = new SecondChanceCache<Document>(DOCUMENTS_OF_CALLERS, markForgotten);
  readonly #ofPublic = new SecondChanceCache<Document>(DOCUMENTS_OF_PUBLIC, markForgotten);
  readonly #maxTokens: number;
  readonly #counts: { hits: number; misses: number };
  readonly #trusted: ReadonlySet<string>;

  /**
   * @param counts counts hits and misses.
   * @param trusted texts of the metadata, which are not limited.
   */
  constructor(maxTokens: number, counts = { hits: 0, misses: 0 }, trusted: ReadonlySet<string> = new Set()) {
    this.#maxTokens = maxTokens;
    this.#counts = counts;
    this.#trusted = trusted;
  }

  /** The number of cached documents. */
  get size(): number {
    return this.#ofCallers.size + this.#ofPublic.size;
  }

  /** @throws GraphQLError if the text is not a GraphQL document. The message repeats no values of the text. */
  get(text: string): Document {
    const known = this.#ofCallers.get(text) ?? this.#ofPublic.get(text);
    if (known) {
      this.#counts.hits++;
      return known;
    }
    this.#counts.misses++;
    return parseDocument(text, this.#trusted.has(text) ? undefined : this.#maxTokens);
  }

  /**
   * Caches a document that the client is permitted to send. Other documents are parsed each time, since a client
   * without a token can send any number of them.
   *
   * @param isPublic whether the request had no session.
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

const TOO_MANY_TOKENS = /^Syntax Error: Document contains more tha[tn] \d+ tokens/;

/**
 * @param maxTokens undefined for no limit on tokens and operations.
 * @throws GraphQLError like `DocumentCache.get`.
 */
function parseDocument(text: string, maxTokens: number | undefined): Document {
  try {
    return readDocument(parseQuietly(text, maxTokens), maxTokens !== undefined);
  } catch (error) {
    // The parser recurses for each level of nesting, and measuring the cost recurses for each level of fragments.
    if (error instanceof RangeError) throw documentTooDeep();
    throw error;
  }
}

function readDocument(parsed: DocumentNode, isLimited: boolean): Document {
  const tokens = tokensIn(parsed);
  const node = withLightLocations(parsed);
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of node.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  if (isLimited && operations.length > MAX_OPERATIONS) throw tooManyOperations(MAX_OPERATIONS);
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

/** @throws GraphQLError if brackets are nested too deeply for the stages after parsing, which need more stack. */
function tokensIn({ loc }: DocumentNode): number {
  let count = 0;
  let level = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    count += 1;
    if (OPENING.has(token.kind)) level += 1;
    else if (CLOSING.has(token.kind)) level -= 1;
    if (level > MAX_BRACKETS) throw documentTooDeep();
  }
  return count;
}

function parseQuietly(text: string, maxTokens: number | undefined): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (maxTokens !== undefined && TOO_MANY_TOKENS.test(error.message)) throw tooManyTokens(maxTokens);
    // An unexpected token may be a password. The message only names its kind; the location has its position.
    const message = error.message.replace(/\b(Name|String|BlockString|Int|Float) "[\s\S]*"/, '$1');
    throw new GraphQLError(message, { source: error.source ?? null, positions: error.positions ?? null });
  }
}

/** The root fields of an operation. */
export function rootFieldsOf(
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly RootField[] {
  return selectedFields(selectionSet, fragments).map(({ name }) => ({ operation, name: name.value }));
}

/**
 * The fields that a selection set contains, directly or through fragments. Each fragment counts once, since fields that
 * it selects twice are merged at execution.
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

/**
 * Reduces each node's location to what errors report. graphql-js also keeps every token of the text, which takes a
 * third of a parsed document's memory.
 */
function withLightLocations(document: DocumentNode): DocumentNode {
  visit(document, {
    enter: (node: ASTNode) => {
      const { loc } = node;
      if (loc) (node as { loc?: Location }).loc = { start: loc.start, end: loc.end, source: loc.source } as Location;
    },
  });
  return document;
}
