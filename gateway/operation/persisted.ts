import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { DocumentStore } from '../replicas/index.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import { type CacheBounds, SecondChanceCache } from './second-chance-cache.ts';

/** The id of a document that a client sends, has sent before, or that a manifest lists. */
export interface PersistedQuery {
  readonly id: string;
  /** Whether it is the SHA-256 of the document's text, hexadecimal in lower case. */
  readonly isHash: boolean;
}

/**
 * Reads the id of a request's document: `extensions.persistedQuery` (Apollo), `documentId` (GraphQL over HTTP, appendix A)
 * or `doc_id` (as in Relay's examples).
 *
 * @throws GatewayError when one of them is there and is none, or they name different documents.
 */
export function readPersistedQuery(request: {
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly documentId?: unknown;
  readonly doc_id?: unknown;
}): PersistedQuery | undefined {
  const given = [
    readExtension(request.extensions),
    readDocumentId('documentId', request.documentId),
    readDocumentId('doc_id', request.doc_id),
  ].filter((one) => one !== undefined);
  const [first] = given;
  if (given.some(({ id }) => id !== first?.id))
    throw new GatewayError('parse-failed', 'the request names several documents');
  return given.find(({ isHash }) => isHash) ?? first;
}

function readDocumentId(name: string, value: unknown): PersistedQuery | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(value))
    throw new GatewayError('parse-failed', `"${name}" must be the id of a document`);
  const [, hash] = /^sha256:(.*)$/s.exec(value) ?? [];
  if (hash === undefined) return { id: value, isHash: false };
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new GatewayError('parse-failed', `"${name}" must have a SHA-256 in lower-case hexadecimal after "sha256:"`);
  return { id: hash, isHash: true };
}

function readExtension(extensions: Readonly<Record<string, unknown>>): PersistedQuery | undefined {
  const { persistedQuery } = extensions;
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const { version, sha256Hash } = persistedQuery as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1) throw new GatewayError('parse-failed', 'unsupported version of "persistedQuery": expected 1');
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256Hash))
    throw new GatewayError('parse-failed', '"sha256Hash" must be a SHA-256 in hexadecimal');
  return { id: sha256Hash.toLowerCase(), isHash: true };
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
  async sharedTextOf({ id }: PersistedQuery): Promise<string | undefined> {
    return this.#shared?.find(id);
  }

  /**
   * The document of a request.
   *
   * @param listed the documents of manifests, which go before what clients have sent.
   * @throws GraphQLError when there is none, with the message and the code that Apollo's clients look for.
   */
  textOf(query: string | undefined, persisted: PersistedQuery | undefined, listed: PersistedDocuments): string {
    if (!persisted) return query ?? '';
    const { id, isHash } = persisted;
    const known = listed.get(id);
    if (query === undefined) return known ?? this.#sentBefore(persisted, listed);
    const isRight = known === query || (isHash ? hashOf(query) === id : known === undefined);
    if (!isRight) throw refusal('provided sha does not match query', 'PERSISTED_QUERY_HASH_MISMATCH');
    return query;
  }

  #sentBefore({ id, isHash }: PersistedQuery, listed: PersistedDocuments): string {
    if (!this.#isEnabled && listed.isEmpty)
      throw refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
    const mayBeSent = this.#isEnabled && isHash;
    const known = mayBeSent ? (this.#ofCallers.get(id) ?? this.#ofThePublic.get(id)) : undefined;
    if (known === undefined) throw refusal('PersistedQueryNotFound', NOT_FOUND);
    return known;
  }

  /**
   * Keeps a document that turned out to be valid. What comes without a session is not shared, so that it cannot push out
   * what others use there either.
   *
   * @param ofThePublic whether it came without a session.
   */
  remember({ id, isHash }: PersistedQuery, text: string, ofThePublic: boolean): void {
    if (!this.#isEnabled || !isHash || text.length > LONGEST_TEXT) return;
    const isNew = (ofThePublic ? this.#ofThePublic : this.#ofCallers).keep(id, text, [text.length]);
    if (isNew && !ofThePublic) this.#shared?.keep(id, text);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function refusal(message: string, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
