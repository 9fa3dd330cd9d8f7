import type { IncomingHttpHeaders } from 'node:http';
import type { Sealer } from '../../../platform/index.ts';

/**
 * The purpose from which the sealing key is derived. The purpose must never change, because waiting jobs are sealed
 * with this key.
 */
export const STORED_HEADERS_PURPOSE = 'portico headers of clients in jobs AES-256-GCM';

/** Encrypts client headers that are stored in the database. */
export type HeaderSealer = Pick<Sealer, 'seal' | 'open'>;

/** The client headers in the payload of a job. */
export type StoredHeaders =
  /** Plain headers of jobs that store none or were accepted before headers were sealed. */
  | { readonly headers: IncomingHttpHeaders }
  /**
   * Sealed headers in base64. Earlier gateway versions cannot run such a job and retry it, so they never call the
   * webhook without its headers.
   */
  | { readonly sealed_headers: string };

/** @param action bound to the sealed headers: headers of another action's job cannot be opened. */
export function storeHeaders(headers: IncomingHttpHeaders, sealer: HeaderSealer, action: string): StoredHeaders {
  const plain = Buffer.from(JSON.stringify(headers), 'utf8');
  return { sealed_headers: Buffer.from(sealer.seal(plain, action)).toString('base64') };
}

/** @returns undefined if the headers are sealed with a key that this process does not have. */
export function readHeaders(
  stored: StoredHeaders,
  sealer: HeaderSealer | undefined,
  action: string,
): IncomingHttpHeaders | undefined {
  if (!('sealed_headers' in stored)) return stored.headers;
  const plain = sealer?.open(Buffer.from(stored.sealed_headers, 'base64'), action);
  return plain && JSON.parse(Buffer.from(plain).toString('utf8'));
}
