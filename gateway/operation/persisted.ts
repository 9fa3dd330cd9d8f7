import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type ErrorCode, GatewayError } from '../errors.ts';

/** What a client says of a document that it sends, or has sent before: Apollo's automatic persisted queries. */
export interface PersistedQuery {
  /** The SHA-256 of the document's text, in hexadecimal. */
  readonly sha256Hash: string;
}

/**
 * Reads `extensions.persistedQuery` of a request.
 *
 * @throws GatewayError when it is there and is not version 1 of the protocol.
 */
export function readPersistedQuery(extensions: Readonly<Record<string, unknown>>): PersistedQuery | undefined {
  const { persistedQuery } = extensions;
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const { version, sha256Hash } = persistedQuery as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1) throw new GatewayError('parse-failed', 'unsupported version of "persistedQuery": expected 1');
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256Hash))
    throw new GatewayError('parse-failed', '"sha256Hash" must be a SHA-256 in hexadecimal');
  return { sha256Hash: sha256Hash.toLowerCase() };
}

interface StoreBounds {
  readonly texts: number;
  readonly characters: number;
}

const LONGEST_TEXT = 100_000;
const OF_CALLERS: StoreBounds = { texts: 2_000, characters: 4_000_000 };
/** What anybody can send without a token has a store of its own, so that it cannot push out what others use. */
const OF_THE_PUBLIC: StoreBounds = { texts: 200, characters: 400_000 };

/** Documents that clients send by their hash. Each was valid for whoever sent it first. */
export class PersistedQueries {
  readonly #isEnabled: boolean;
  readonly #ofCallers = new TextStore(OF_CALLERS);
  readonly #ofThePublic = new TextStore(OF_THE_PUBLIC);

  constructor(isEnabled: boolean) {
    this.#isEnabled = isEnabled;
  }

  /**
   * The document of a request.
   *
   * @throws GraphQLError when there is none, with the message and the code that Apollo's clients look for.
   */
  textOf(query: string | undefined, persisted: PersistedQuery | undefined): string {
    if (query === undefined && !this.#isEnabled)
      throw refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
    if (!persisted || !this.#isEnabled) return query ?? '';
    const { sha256Hash } = persisted;
    if (query === undefined) {
      const known = this.#ofCallers.get(sha256Hash) ?? this.#ofThePublic.get(sha256Hash);
      if (known === undefined) throw refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
      return known;
    }
    if (createHash('sha256').update(query).digest('hex') !== sha256Hash)
      throw refusal('provided sha does not match query', 'PERSISTED_QUERY_HASH_MISMATCH');
    return query;
  }

  /** Keeps a document that turned out to be valid. */
  remember({ sha256Hash }: PersistedQuery, text: string, isPublic: boolean): void {
    if (this.#isEnabled) (isPublic ? this.#ofThePublic : this.#ofCallers).set(sha256Hash, text);
  }
}

function refusal(message: string, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** Texts by their hash, the least recently used going first. */
class TextStore {
  readonly #bounds: StoreBounds;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(bounds: StoreBounds) {
    this.#bounds = bounds;
  }

  get(hash: string): string | undefined {
    const text = this.#texts.get(hash);
    if (text !== undefined) {
      this.#texts.delete(hash);
      this.#texts.set(hash, text);
    }
    return text;
  }

  set(hash: string, text: string): void {
    if (text.length > LONGEST_TEXT || this.get(hash) !== undefined) return;
    this.#texts.set(hash, text);
    this.#characters += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#texts.size <= this.#bounds.texts && this.#characters <= this.#bounds.characters) return;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }
}
