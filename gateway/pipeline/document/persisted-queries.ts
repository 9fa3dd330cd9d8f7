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

/** The id of a document that a client sends, has sent before, or that a manifest lists. */
export interface PersistedQuery {
  readonly id: string;
  /** Whether it is the SHA-256 of the document's text, hexadecimal in lower case. */
  readonly isHash: boolean;
}

/**
 * Reads the id of a request's document: `extensions.persistedQuery` (Apollo), `documentId` (GraphQL over HTTP, appendix
 * A) or `doc_id` (as in Relay's examples).
 *
 * @throws GatewayError when one of them is malformed, or they name different documents.
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
 * Reads the member `id` of a request that has no text and no other id of its document, as clients of Relay's older examples send
 * it. Beside a text it is the client's own: it is not read.
 *
 * @throws GatewayError when it is malformed.
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
/** The weight is characters. */
const PERSISTED_BY_CALLERS: CacheBounds = { entries: 2_000, weights: [4_000_000] };
/** Documents that come without a session have a cache of their own, so that they cannot evict those of sessions. */
const PERSISTED_BY_PUBLIC: CacheBounds = { entries: 200, weights: [400_000] };

/** Documents that clients send by their hash. Each was valid for the client that sent it first. */
export class PersistedQueries {
  readonly #isEnabled: boolean;
  readonly #shared: DocumentStore | undefined;
  readonly #ofCallers = new SecondChanceCache<string>(PERSISTED_BY_CALLERS);
  readonly #ofPublic = new SecondChanceCache<string>(PERSISTED_BY_PUBLIC);
  readonly #counts: CacheCounts;

  /**
   * @param shared the documents of other processes; undefined where none are shared.
   * @param counts where it counts ids without a text: hits and misses.
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
   * @param listed the documents of manifests, which take precedence over those that clients have sent.
   * @throws GraphQLError when there is none, with the message and the code that Apollo's clients look for.
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
   * Stores a valid document. One that comes without a session is not shared, so that it cannot evict others there
   * either.
   *
   * @param isPublic whether it came without a session.
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
