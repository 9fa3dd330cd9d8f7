import { createHmac } from 'node:crypto';
import {
  CLAIMS_NAMESPACE,
  encoded,
  headerOf,
  type Issuer,
  makeKey,
  payloadOf,
  signParts,
  signPartsAsDer,
  signToken,
  type TokenContent,
} from './issuer.ts';

/** Tokens that must be rejected: what is wrong with them, to the reason in the response. */
export function hostileTokens(issuer: Issuer): readonly (readonly [name: string, token: string, reason: string])[] {
  const now = Math.floor(Date.now() / 1000);
  const stranger = makeKey(issuer.key.kid);
  const good = issuer.token();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const said = (content: TokenContent) => issuer.token(content);
  const withHeader = (more: Record<string, unknown>) => said({ header: more });
  const withPayload = (more: Record<string, unknown>) => said({ payload: more });
  const signedBy = (key: typeof stranger, more: Record<string, unknown>) =>
    signParts({ ...headerOf(issuer.key), ...more }, payloadOf(), key.privateKey);
  const rawPayload = (change: (json: string) => string) =>
    signParts(headerOf(issuer.key), change(JSON.stringify(payloadOf())), issuer.key.privateKey);
  const unsigned = (alg: unknown) => `${encoded({ ...headerOf(issuer.key), alg })}.${payload}.`;
  const withHmac = (secret: string | Buffer) => {
    const input = `${encoded({ ...headerOf(issuer.key), alg: 'HS256' })}.${payload}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const pem = issuer.key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const der = issuer.key.publicKey.export({ type: 'spki', format: 'der' });
  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
  const withSignature = (bytes: Buffer) => `${header}.${payload}.${bytes.toString('base64url')}`;

  const BAD_SIGNATURE = 'JWSError JWSInvalidSignature';
  const NO_KEY = 'JWSError NoUsableKeys';
  const BAD_TIMES = 'exp and nbf must be numbers of seconds';
  const BAD_EXP = 'exp is required and must be a number of seconds';
  const CRITICAL = 'JWSError: critical header extensions are not supported';
  return [
    ['it has expired', withPayload({ exp: now - 1 }), 'JWTExpired'],
    ['it expires this very second', withPayload({ exp: now }), 'JWTExpired'],
    ['it is not valid yet', withPayload({ nbf: now + 600 }), 'JWTNotYetValid'],
    ['it was issued far in the future', withPayload({ iat: now + 3600 }), 'JWTNotYetValid'],
    ['it is of another issuer', withPayload({ iss: 'https://elsewhere.test' }), 'JWTNotInIssuer'],
    ['its issuer is a list', withPayload({ iss: ['https://issuer.test'] }), 'JWTNotInIssuer'],
    ['it names no issuer', withPayload({ iss: undefined }), 'JWTNotInIssuer'],
    ['it is for another audience', withPayload({ aud: 'shop' }), 'JWTNotInAudience'],
    ['its audience only begins like ours', withPayload({ aud: 'portico.evil' }), 'JWTNotInAudience'],
    ['it names no audience', withPayload({ aud: undefined }), 'JWTNotInAudience'],
    ['it is signed with another key of the same id', signToken({}, stranger), BAD_SIGNATURE],
    [
      'its payload was changed',
      `${header}.${encoded(payloadOf({ role: 'admin', roles: ['admin'] }))}.${signature}`,
      BAD_SIGNATURE,
    ],
    ['its algorithm is none', unsigned('none'), NO_KEY],
    ['its algorithm is None', unsigned('None'), NO_KEY],
    ['its algorithm is nOnE, with the signature of another', `${unsigned('nOnE')}${signature}`, NO_KEY],
    ['its algorithm is missing', unsigned(undefined), 'JWSError: the header has no algorithm'],
    ['its algorithm is a list', unsigned(['ES256']), 'JWSError: the header has no algorithm'],
    ['it is HS256 with the public key in PEM as the secret', withHmac(pem), NO_KEY],
    ['it is HS256 with the trimmed PEM as the secret', withHmac(pem.trim()), NO_KEY],
    ['it is HS256 with the DER bytes as the secret', withHmac(der), NO_KEY],
    ['it is HS256 with the JWK as the secret', withHmac(JSON.stringify(issuer.key.jwk)), NO_KEY],
    ['it claims ES384 for a P-256 key', withHeader({ alg: 'ES384' }), NO_KEY],
    ['its key id is unknown', withHeader({ kid: 'key-2' }), NO_KEY],
    ['its key id is a path', withHeader({ kid: '../../../../dev/null' }), NO_KEY],
    ['its key id is __proto__', withHeader({ kid: '__proto__' }), NO_KEY],
    ['its key id is SQL', withHeader({ kid: "x' UNION SELECT 'key" }), NO_KEY],
    ['its key id is an object', withHeader({ kid: { toString: 'key-1' } }), NO_KEY],
    ['its key id is a list', withHeader({ kid: ['key-1'] }), NO_KEY],
    ['it brings its own key (jwk)', signedBy(stranger, { kid: undefined, jwk: stranger.jwk }), BAD_SIGNATURE],
    ['it says where its key is (jku)', signedBy(stranger, { jku: 'http://127.0.0.1:1/jwks' }), BAD_SIGNATURE],
    ['it brings a certificate (x5c)', signedBy(stranger, { x5c: ['MIIB'], x5u: 'http://127.0.0.1:1/' }), BAD_SIGNATURE],
    ['it has critical extensions', withHeader({ crit: ['exp'] }), CRITICAL],
    ['its payload is not encoded (b64)', withHeader({ b64: false, crit: ['b64'] }), CRITICAL],
    ['it has a bare b64', withHeader({ b64: true }), CRITICAL],
    ['it is an identity token', withHeader({ typ: 'id+jwt' }), 'the token is not an access token'],
    ['it is a proof', withHeader({ typ: 'dpop+jwt' }), 'the token is not an access token'],
    ['it never expires', withPayload({ exp: undefined }), BAD_EXP],
    ['its expiry is a text', withPayload({ exp: String(now + 900) }), BAD_TIMES],
    ['its expiry is null', withPayload({ exp: null }), BAD_TIMES],
    ['its expiry is 1e400', rawPayload((json) => json.replace(/"exp":\d+/, '"exp":1e400')), BAD_EXP],
    ['its last expiry of two is over', rawPayload((json) => `${json.slice(0, -1)},"exp":1}`), 'JWTExpired'],
    ['it has an issue time that is none', withPayload({ iat: 'yesterday' }), 'JWTNotYetValid'],
    ['its nbf is a text', withPayload({ nbf: 'soon' }), BAD_TIMES],
    ['its signature is cut short', good.slice(0, -8), BAD_SIGNATURE],
    ['its signature is missing', `${header}.${payload}.`, BAD_SIGNATURE],
    ['its signature is all zeros', withSignature(Buffer.alloc(64)), BAD_SIGNATURE],
    ['its signature is the order of the curve', withSignature(Buffer.from(order + order, 'hex')), BAD_SIGNATURE],
    ['its signature is DER', signPartsAsDer(headerOf(issuer.key), payloadOf(), issuer.key.privateKey), BAD_SIGNATURE],
    ['it has two parts', `${header}.${payload}`, 'JWSError: Invalid number of parts: Expected 3 parts'],
    ['it has five parts', `${good}.${payload}.${payload}`, 'JWSError: Invalid number of parts: Expected 3 parts'],
    ['it is a word', 'opaque', 'JWSError: Invalid number of parts: Expected 3 parts'],
    ['its header is no JSON', `${encoded('{')}.${payload}.${signature}`, 'JWSError: the header is not JSON'],
    ['its header is null', `${encoded('null')}.${payload}.${signature}`, 'JWSError: the header has no algorithm'],
    ['its payload is a text', signParts(headerOf(issuer.key), '"hello"', issuer.key.privateKey), 'JWTNotInAudience'],
    ['its payload is a list', signParts(headerOf(issuer.key), '[]', issuer.key.privateKey), 'JWTNotInAudience'],
    ['its payload is null', signParts(headerOf(issuer.key), 'null', issuer.key.privateKey), 'JWTNotInAudience'],
    ['it is longer than 8 KiB', padded(issuer, 8_193), 'the token is too long'],
    ['it has no claims', withPayload({ [CLAIMS_NAMESPACE]: undefined }), `claims key: '${CLAIMS_NAMESPACE}' not found`],
    [
      'its claims are a text',
      withPayload({ [CLAIMS_NAMESPACE]: '{}' }),
      'expecting a json object when claims_format is json',
    ],
  ];
}

/** A good token of exactly this many characters. */
export function padded(issuer: Issuer, length: number): string {
  // Three bytes become four characters, so not every payload length is possible with every header.
  for (const x of ['', 'x', 'xx', 'xxx']) {
    const withFilling = (count: number) => issuer.token({ header: { x }, payload: { filling: 'x'.repeat(count) } });
    let count = Math.floor(((length - withFilling(0).length) * 3) / 4) - 3;
    let token = withFilling(count);
    while (token.length < length) token = withFilling(++count);
    if (token.length === length) return token;
  }
  throw new Error(`no token has ${length} characters`);
}
