// Verifies the assertions of a Portico gateway. Node 20, no dependencies.
import { createPublicKey, verify } from 'node:crypto';

const TYPE = 'portico-assertion+jwt';
/** How far the clocks of the gateway and of this service may differ, in seconds. */
const LEEWAY_SECONDS = 5;
/** Keys are fetched again after this time, and at an unknown one, but not more often than REFETCH_MS. */
const KEEP_MS = 300_000;
const REFETCH_MS = 10_000;

/**
 * @param {{ jwksUrl: string, issuer: string, audience: string }} settings the gateway's
 *   /.well-known/portico-jwks.json, its PORTICO_ASSERTION_ISSUER, and this service's name in the gateway's metadata
 * @returns {(assertion: string | undefined) => Promise<Record<string, unknown>>} the claims of a valid assertion; throws
 *   for any other: answer 401 then
 */
export function createVerifier({ jwksUrl, issuer, audience }) {
  let keys = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching;

  async function fetchKeys() {
    fetchedAt = Date.now();
    const response = await fetch(jwksUrl, { signal: AbortSignal.timeout(5_000) });
    if (!response.ok) throw new Error(`the gateway's keys cannot be fetched: status ${response.status}`);
    const { keys: published } = await response.json();
    keys = new Map(published.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
  }

  async function keyOf(kid) {
    const age = Date.now() - fetchedAt;
    if (!fetching && (age > KEEP_MS || (!keys.has(kid) && age > REFETCH_MS)))
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    // Keys that are known go on counting while the gateway does not answer.
    if (!keys.has(kid)) await fetching;
    else fetching?.catch(() => {});
    const key = keys.get(kid);
    if (!key) throw new Error('signed by an unknown key');
    return key;
  }

  return async (assertion) => {
    const [head, body, signature, ...rest] = (assertion ?? '').split('.');
    if (!signature || rest.length > 0) throw new Error('no assertion');
    const header = JSON.parse(Buffer.from(head, 'base64url'));
    // The algorithm is this service's choice, never the token's.
    if (header.alg !== 'ES256' || header.typ !== TYPE) throw new Error('not an assertion');
    const key = { key: await keyOf(header.kid), dsaEncoding: 'ieee-p1363' };
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
      throw new Error('the signature is wrong');
    const claims = JSON.parse(Buffer.from(body, 'base64url'));
    const now = Date.now() / 1000;
    if (claims.iss !== issuer) throw new Error('from another gateway');
    if (claims.aud !== audience) throw new Error('for another service');
    if (!(now < claims.exp + LEEWAY_SECONDS)) throw new Error('expired');
    if (!(claims.iat - LEEWAY_SECONDS <= now)) throw new Error('not valid yet');
    return claims;
  };
}
