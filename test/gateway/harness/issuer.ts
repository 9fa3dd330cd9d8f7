import { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { reply, serve, type TestServer } from './serve.ts';

export const CLAIMS_NAMESPACE = 'https://hasura.io/jwt/claims';
export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'portico';

/** What a token says; everything has a default of a good token of user 7 of tenant 1. */
export interface TokenContent {
  role?: string;
  roles?: readonly string[];
  /** Put over the `x-hasura-*` claims; undefined takes one out. */
  hasura?: Record<string, unknown>;
  /** Put over the payload; undefined takes a member out. */
  payload?: Record<string, unknown>;
  /** Put over the header; undefined takes a member out. */
  header?: Record<string, unknown>;
}

export interface Issuer {
  readonly jwksUrl: string;
  /** The JWKS endpoint, to be stopped and started again. */
  readonly server: TestServer;
  readonly key: SigningKey;
  /** The keys that are published, to be changed by a test, and how long they may be kept. */
  published: { keys: unknown[]; cacheControl?: string };
  token(content?: TokenContent): string;
  close(): Promise<void>;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

/** A new P-256 key. */
export function makeKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
  return { kid, privateKey, publicKey, jwk };
}

/** An issuer of ES256 tokens with a JWKS endpoint. */
export async function openIssuer(): Promise<Issuer> {
  const key = makeKey('key-1');
  const published: Issuer['published'] = { keys: [key.jwk] };
  const server = await serve((_, response) => {
    const { keys, cacheControl } = issuer.published;
    reply(response, 200, { keys }, cacheControl === undefined ? {} : { 'cache-control': cacheControl });
  });
  const issuer: Issuer = {
    jwksUrl: `${server.url}/.well-known/jwks.json`,
    server,
    key,
    published,
    token: (content) => signToken(content, key),
    close: server.close,
  };
  return issuer;
}

/** An ES256 token of `key`. */
export function signToken(content: TokenContent = {}, key: SigningKey): string {
  return signParts({ ...headerOf(key), ...content.header }, payloadOf(content), key.privateKey);
}

export function headerOf(key: SigningKey): Record<string, unknown> {
  return { alg: 'ES256', typ: 'at+jwt', kid: key.kid };
}

export function payloadOf({ role = 'user', roles = ['user', 'manager'], hasura, payload }: TokenContent = {}) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: '7',
    iat: now,
    exp: now + 900,
    [CLAIMS_NAMESPACE]: {
      'x-hasura-allowed-roles': roles,
      'x-hasura-default-role': role,
      'x-hasura-user-id': '7',
      'x-hasura-tenant-id': '1',
      ...hasura,
    },
    ...payload,
  };
}

/** A token of any header and payload (text is taken as it is), signed with ES256 whatever the header says. */
export function signParts(header: unknown, payload: unknown, privateKey: KeyObject): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** The same with a signature in the DER form that JWS does not use. */
export function signPartsAsDer(header: unknown, payload: unknown, privateKey: KeyObject): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${createSign('sha256').update(input).sign(privateKey).toString('base64url')}`;
}

/** One part of a token. */
export function encoded(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part), 'utf8').toString('base64url');
}
