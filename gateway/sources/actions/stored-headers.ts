import type { IncomingHttpHeaders } from 'node:http';
import type { Sealer } from '../../../platform/index.ts';

/** What the key that seals headers is derived for. Jobs that wait are sealed under it: it does not change. */
export const STORED_HEADERS_PURPOSE = 'portico headers of clients in jobs AES-256-GCM';

/** Encrypts headers of clients in the database. */
export type HeaderSealer = Pick<Sealer, 'seal' | 'open'>;

/** Headers of a client in the payload of a job. */
export type StoredHeaders =
  /** Of jobs that keep none, and of those that were accepted before headers were sealed. */
  | { readonly headers: IncomingHttpHeaders }
  /** In base64. Gateways of before cannot run such a job, and try again: they do not call its webhook without its headers. */
  | { readonly sealed_headers: string };

/** @param action bound to the result: what a job of another action holds does not open. */
export function storeHeaders(headers: IncomingHttpHeaders, sealer: HeaderSealer, action: string): StoredHeaders {
  const plain = Buffer.from(JSON.stringify(headers), 'utf8');
  return { sealed_headers: Buffer.from(sealer.seal(plain, action)).toString('base64') };
}

/** @returns undefined where they are sealed with a key that this process does not have. */
export function readHeaders(
  stored: StoredHeaders,
  sealer: HeaderSealer | undefined,
  action: string,
): IncomingHttpHeaders | undefined {
  if (!('sealed_headers' in stored)) return stored.headers;
  const plain = sealer?.open(Buffer.from(stored.sealed_headers, 'base64'), action);
  return plain && JSON.parse(Buffer.from(plain).toString('utf8'));
}
