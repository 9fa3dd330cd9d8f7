import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { DocumentStore } from '../replicas/index.ts';
import { type CacheBounds, SecondChanceCache } from './second-chance-cache.ts';

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

const NOT_FOUND = 'PERSISTED_QUERY_NOT_FOUND' satisfies ErrorCode;
const LONGEST_TEXT = 100_000;
/** The weight is characters. */
const OF_CALLERS: CacheBounds = { entries: 2_000, weights: [4_000_000] };
/** What comes without a session has a store of its own, so that it cannot push out what others use. */
const OF_THE_PUBLIC: CacheBounds = { entries: 200, weights: [400_000] };

/** Documents that clients send by their hash. Each was valid for whoever sent it first. */
export class PersistedQueries {
  readonly #isEnabled: boolean;
  readonly #shared: DocumentStore | undefined;
  readonly #ofCallers = new SecondChanceCache<string>(OF_CALLERS);
  readonly #ofThePublic = new SecondChanceCache<string>(OF_THE_PUBLIC);

  /** @param shared where this process finds what callers of others have sent; undefined: nowhere. */
  constructor(isEnabled: boolean, shared?: DocumentStore) {
    this.#isEnabled = isEnabled;
    this.#shared = shared;
  }

  /** Whether a document that `textOf` does not know may be known to other gateways. */
  mayBeShared(error: GraphQLError): boolean {
    return this.#shared !== undefined && error.extensions.code === NOT_FOUND;
  }

  /** The document of a hash, as other gateways know it. */
  async sharedTextOf({ sha256Hash }: PersistedQuery): Promise<string | undefined> {
    return this.#shared?.find(sha256Hash);
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
      if (known === undefined) throw refusal('PersistedQueryNotFound', NOT_FOUND);
      return known;
    }
    if (createHash('sha256').update(query).digest('hex') !== sha256Hash)
      throw refusal('provided sha does not match query', 'PERSISTED_QUERY_HASH_MISMATCH');
    return query;
  }

  /**
   * Keeps a document that turned out to be valid. What comes without a session is not shared, so that it cannot push out
   * what others use there either.
   *
   * @param ofThePublic whether it came without a session.
   */
  remember({ sha256Hash }: PersistedQuery, text: string, ofThePublic: boolean): void {
    if (!this.#isEnabled || text.length > LONGEST_TEXT) return;
    const isNew = (ofThePublic ? this.#ofThePublic : this.#ofCallers).keep(sha256Hash, text, [text.length]);
    if (isNew && !ofThePublic) this.#shared?.keep(sha256Hash, text);
  }
}

function refusal(message: string, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
