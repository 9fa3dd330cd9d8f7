import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type JwsAlgorithm = 'ES256' | 'RS256' | 'EdDSA' | 'HS256';

/** A key pair, or for HS256 a secret in the place of both. */
export interface JwsKey {
  readonly algorithm: JwsAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new key. Secrets are text, as they are configured. */
export function makeJwsKey(algorithm: JwsAlgorithm): JwsKey {
  if (algorithm === 'ES256') return { algorithm, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
  if (algorithm === 'RS256') return { algorithm, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  if (algorithm === 'EdDSA') return { algorithm, ...generateKeyPairSync('ed25519') };
  const privateKey = createSecretKey(Buffer.from(randomBytes(32).toString('base64url')));
  return { algorithm, privateKey, publicKey: privateKey };
}

export const encoded = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part), 'utf8').toString('base64url');

/** A right signature of this algorithm. */
export function signatureOf(input: string, { algorithm, privateKey }: JwsKey): Buffer {
  const bytes = Buffer.from(input);
  if (algorithm === 'HS256') return createHmac('sha256', privateKey).update(bytes).digest();
  if (algorithm === 'EdDSA') return sign(null, bytes, privateKey);
  if (algorithm === 'RS256') return sign('sha256', bytes, privateKey);
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export function signed(header: object, payload: object, key: JwsKey): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${signatureOf(input, key).toString('base64url')}`;
}
