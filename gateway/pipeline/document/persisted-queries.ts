import { createHash } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { type CacheBounds, CacheCounts, SecondChanceCache } from '../../../platform/index.ts';
import type { ErrorCode } from '../../errors.ts';
import type { DocumentStore } from '../../operations/replicas/index.ts';
import {
  malformedDocumentHash,
  malformedDocumentId,
  malformedPersistedQueryHash,
  persistedQueryMismatch,
  persistedQueryNotFound,
  persistedQueryNotSupported,
  severalDocumentsNamed,
  unsupportedPersistedQueryVersion,
} from '../errors.ts';
import type { PersistedDocuments } from './persisted-documents.ts';

/** The id of a document that the client sends or sent before, or that a manifest lists. */
export interface PersistedQuery {
  readonly id: string;
  /** Whether the id is the SHA-256 of the document's text in lower-case hexadecimal. */
  readonly isHash: boolean;
}

/**
 * Reads the id of a request's document: `extensions.persistedQuery` (Apollo), `documentId` (GraphQL over HTTP, appendix
 * A) or `doc_id` (as in Relay's examples).
 *
 * @throws GatewayError if an id is malformed or the ids name different documents.
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
  if (given.some(({ id }) => id !== first?.id)) throw severalDocumentsNamed();
  return given.find(({ isHash }) => isHash) ?? first;
}

/**
 * Reads the member `id`, which clients of Relay's older examples send. The member is only used if the request has
 * neither a text nor another document id. Otherwise `id` belongs to the client and is ignored.
 *
 * @throws GatewayError if the id is malformed.
 */
export function readLoneId(id: unknown): PersistedQuery | undefined {
  return typeof id === 'string' ? readDocumentId('id', id) : undefined;
}

function readDocumentId(name: string, value: unknown): PersistedQuery | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(value)) throw malformedDocumentId(name);
  const [, hash] = /^sha256:(.*)$/s.exec(value) ?? [];
  if (hash === undefined) return { id: value, isHash: false };
  if (!/^[0-9a-f]{64}$/.test(hash)) throw malformedDocumentHash(name);
  return { id: hash, isHash: true };
}

function readExtension(extensions: Readonly<Record<string, unknown>>): PersistedQuery | undefined {
  const { persistedQuery } = extensions;
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const { version, sha256Hash } = persistedQuery as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1) throw unsupportedPersistedQueryVersion();
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256Hash)) throw malformedPersistedQueryHash();
  return { id: sha256Hash.toLowerCase(), isHash: true };
}

const NOT_FOUND = 'PERSISTED_QUERY_NOT_FOUND' satisfies ErrorCode;
const LONGEST_TEXT = 100_000;
/** The weight is the number of characters. */
const PERSISTED_BY_CALLERS: CacheBounds = { entries: 2_000, weights: [4_000_000] };
/** Documents of requests without a session have a separate cache, so that they cannot evict documents of sessions. */
const PERSISTED_BY_PUBLIC: CacheBounds = { entries: 200, weights: [400_000] };

/** Documents that clients name by their hash. Each document was valid for the client that first sent it. */
export class PersistedQueries {
  readonly #isEnabled: boolean;
  readonly #shared: DocumentStore | undefined;
  readonly #ofCallers = new SecondChanceCache<string>(PERSISTED_BY_CALLERS);
  readonly #ofPublic = new SecondChanceCache<string>(PERSISTED_BY_PUBLIC);
  readonly #counts: CacheCounts;

  /**
   * @param shared the documents that other processes share. Undefined if none are shared.
   * @param counts counts hits and misses of ids without a text.
   */
  constructor(isEnabled: boolean, shared?: DocumentStore, counts = new CacheCounts()) {
    this.#isEnabled = isEnabled;
    this.#shared = shared;
    this.#counts = counts;
  }

  /** The number of cached documents of clients. */
  get size(): number {
    return this.#ofCallers.size + this.#ofPublic.size;
  }

  /** Whether other gateways may have a document that `textOf` does not find. */
  mayBeShared(error: GraphQLError): boolean {
    return this.#shared !== undefined && error.extensions.code === NOT_FOUND;
  }

  /** Looks up the document of a hash among the shared documents. */
  async sharedTextOf({ id }: PersistedQuery): Promise<string | undefined> {
    return this.#shared?.find(id);
  }

  /**
   * Returns the document of a request.
   *
   * @param listed the documents of manifests, which take precedence over documents that clients have sent.
   * @throws GraphQLError if there is no document. Message and code are those that Apollo's clients expect.
   */
  textOf(query: string | undefined, persisted: PersistedQuery | undefined, listed: PersistedDocuments): string {
    if (!persisted) return query ?? '';
    const { id, isHash } = persisted;
    const known = listed.get(id);
    if (query === undefined) {
      const text = known ?? this.#sentBefore(persisted, listed);
      this.#counts.hits++;
      return text;
    }
    const isRight = known === query || (isHash ? documentHash(query) === id : known === undefined);
    if (!isRight) throw persistedQueryMismatch();
    return query;
  }

  #sentBefore({ id, isHash }: PersistedQuery, listed: PersistedDocuments): string {
    if (!this.#isEnabled && listed.isEmpty) throw persistedQueryNotSupported();
    const mayBeSent = this.#isEnabled && isHash;
    const known = mayBeSent ? (this.#ofCallers.get(id) ?? this.#ofPublic.get(id)) : undefined;
    if (known === undefined) {
      this.#counts.misses++;
      throw persistedQueryNotFound();
    }
    return known;
  }

  /**
   * Stores a valid document. A document without a session is not shared, so that it cannot evict shared documents
   * either.
   *
   * @param isPublic whether the request had no session.
   */
  remember({ id, isHash }: PersistedQuery, text: string, isPublic: boolean): void {
    if (!this.#isEnabled || !isHash || text.length > LONGEST_TEXT) return;
    const isNew = (isPublic ? this.#ofPublic : this.#ofCallers).keep(id, text, [text.length]);
    if (isNew && !isPublic) this.#shared?.keep(id, text);
  }
}

function documentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
