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
import type { Judgement } from './judgement.ts';
import { withLightLocations } from './light-locations.ts';
import { type DocumentCost, documentCost } from './limits-cost.ts';
import type { Plans } from './plan.ts';
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
  /** How many tokens its text has. */
  readonly tokens: number;
  /** What came of validating it, by the graph that it was validated against. */
  readonly validated: Map<RoleGraph, Validated>;
  /** How each of its operations is run, by the graph that it is run on. */
  readonly plans: Map<RoleGraph, Map<OperationDefinitionNode, Plans>>;
  /** What is to be said of it, by who sends it and how. */
  readonly judgements: Map<string, Judgement>;
  /** Whether it has authentication fields only; undefined when nobody has asked yet. */
  isPublic: boolean | undefined;
  /** Whether it is remembered for those who send it again. */
  isKept: boolean;
}

interface StoreBounds {
  readonly documents: number;
  readonly characters: number;
  /** What takes the memory: a token of a document takes hundreds of bytes once it is parsed and planned. */
  readonly tokens: number;
}

const OF_CALLERS: StoreBounds = { documents: 2_000, characters: 8_000_000, tokens: 100_000 };
/** What anybody can send without a token has a store of its own, so that it cannot push out what others use. */
const OF_THE_PUBLIC: StoreBounds = { documents: 200, characters: 800_000, tokens: 20_000 };

/** Parses documents and remembers those that are told to be worth it. One cache belongs to one generation of the graph. */
export class DocumentCache {
  readonly #ofCallers = new DocumentStore(OF_CALLERS);
  readonly #ofThePublic = new DocumentStore(OF_THE_PUBLIC);
  readonly #maxTokens: number;
  readonly #counts: { hits: number; misses: number };

  /** @param counts where it counts the texts that it knew, and those that it did not. */
  constructor(maxTokens: number, counts = { hits: 0, misses: 0 }) {
    this.#maxTokens = maxTokens;
    this.#counts = counts;
  }

  /** @throws GraphQLError when the text is no GraphQL document; its message repeats nothing of the text's values. */
  get(text: string): Document {
    const known = this.#ofCallers.get(text) ?? this.#ofThePublic.get(text);
    if (known) {
      this.#counts.hits++;
      return known;
    }
    this.#counts.misses++;
    return readDocument(text, this.#maxTokens);
  }

  /**
   * Keeps a document that its caller may send. Others are parsed each time that they come: there is no end to those that
   * somebody without a token can think of.
   */
  keep(text: string, document: Document): void {
    if (!document.isKept) (document.isPublic ? this.#ofThePublic : this.#ofCallers).keep(text, document);
  }
}

/** Documents by their text, the least recently used going first. */
class DocumentStore {
  readonly #bounds: StoreBounds;
  readonly #documents = new Map<string, Document>();
  #characters = 0;
  #tokens = 0;

  constructor(bounds: StoreBounds) {
    this.#bounds = bounds;
  }

  get(text: string): Document | undefined {
    const known = this.#documents.get(text);
    if (known) {
      this.#documents.delete(text);
      this.#documents.set(text, known);
    }
    return known;
  }

  keep(text: string, document: Document): void {
    const { documents, characters, tokens } = this.#bounds;
    // One that would take all the room is not worth what it would push out.
    if (this.#documents.has(text) || text.length > characters / 2 || document.tokens > tokens / 2) return;
    document.isKept = true;
    this.#documents.set(text, document);
    this.#characters += text.length;
    this.#tokens += document.tokens;
    for (const [oldest, forgotten] of this.#documents) {
      if (this.#documents.size <= documents && this.#characters <= characters && this.#tokens <= tokens) return;
      this.#documents.delete(oldest);
      forgotten.isKept = false;
      this.#characters -= oldest.length;
      this.#tokens -= forgotten.tokens;
    }
  }
}

function readDocument(text: string, maxTokens: number): Document {
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
    validated: new Map(),
    plans: new Map(),
    judgements: new Map(),
    isPublic: undefined,
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

/** Whether a document has authentication fields only, by the one public graph of its generation. */
export function isPublicDocument(document: Document, publicGraph: RoleGraph): boolean {
  document.isPublic ??= document.rootFields.every((field) => publicGraph.hasRootField(field.operation, field.name));
  return document.isPublic;
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
