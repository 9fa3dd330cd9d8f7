import { createHmac } from 'node:crypto';
import { forgedSignatures } from './forged-signatures.ts';
import { encoded, type JwsKey, makeJwsKey, signatureOf, signed } from './keys.ts';

/** What is wrong with a token, and the token. */
export type Forgery = readonly [what: string, token: string];

/**
 * Tokens that no verifier may take, in the classes of Wycheproof's vectors for JWS, ECDSA (P1363), RSA (PKCS #1 v1.5),
 * EdDSA and HMAC (github.com/C2SP/wycheproof), made of a token that is right in everything else.
 */
export function forgeries(header: Record<string, unknown>, payload: object, key: JwsKey): readonly Forgery[] {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const signature = signatureOf(input, key);
  return [
    ...malformed(header, payload, input, signature),
    ...laxBase64(header, payload, key),
    ...wrongKeys(header, payload, input, key),
    ...forgedSignatures(input, key, signature).map(
      ([what, bytes]): Forgery => [`a signature ${what}`, `${input}.${bytes.toString('base64url')}`],
    ),
  ];
}

function malformed(header: object, payload: object, input: string, right: Buffer): Forgery[] {
  const [head, body] = [encoded(header), encoded(payload)];
  const signature = right.toString('base64url');
  const whole = `${input}.${signature}`;
  const json = { payload: body, signatures: [{ protected: head, header: { unknown: 'x' }, signature }] };
  return [
    ['a changed payload', `${head}.${encoded({ ...payload, more: true })}.${signature}`],
    ['a changed header', `${encoded({ ...header, more: true })}.${body}.${signature}`],
    ['no signature', `${input}.`],
    ['no signature and no separator', input],
    ['no payload', `${head}..${signature}`],
    ['no payload and no separator', `${head}.${signature}`],
    ['no header', `.${body}.${signature}`],
    ['no header and no separator', `${body}.${signature}`],
    ['neither header nor signature', `.${body}.`],
    ['nothing but a payload', body],
    ['nothing at all', ''],
    ['nothing but separators', '..'],
    ['an empty part more', `${whole}.`],
    ['a part more', `${whole}.${encoded('foo')}`],
    ['header and payload in each other’s place', `${body}.${head}.${signature}`],
    ['the JSON serialization', JSON.stringify(json)],
    ['the flattened JSON serialization', JSON.stringify({ payload: body, protected: head, signature })],
    [
      'a header twice in JSON, the first one none',
      `${encoded(`{"alg":"none",${JSON.stringify(header).slice(1)}`)}.${body}.${signature}`,
    ],
  ];
}

/** Other ways of writing the same bytes, and what lenient decoders pass over. Signed where the text is what is signed. */
function laxBase64(header: object, payload: object, key: JwsKey): Forgery[] {
  const resigned = (head: string, body: string) => {
    const input = `${head}.${body}`;
    return `${input}.${signatureOf(input, key).toString('base64url')}`;
  };
  const [head, body] = [encoded(header), encoded(payload)];
  const signature = signatureOf(`${head}.${body}`, key).toString('base64url');
  const after = (text: string, more: string) => `${text.slice(0, 8)}${more}${text.slice(8)}`;
  const forged: Forgery[] = [];
  for (const [what, sign] of [
    ['padding', '='],
    ['a line break', '\n'],
    ['a space', ' '],
    ['a NUL', '\0'],
    ['an exclamation mark', '!'],
    ['a sign of another script', 'Ａ'],
  ] as const) {
    forged.push([`${what} in the header`, resigned(after(head, sign), body)]);
    forged.push([`${what} in the payload`, resigned(head, after(body, sign))]);
    forged.push([`${what} in the signature`, `${head}.${body}.${after(signature, sign)}`]);
    forged.push([`${what} after the signature`, `${head}.${body}.${signature}${sign}`]);
  }
  for (const [what, text] of otherSpellings(signature)) forged.push([`a signature ${what}`, `${head}.${body}.${text}`]);
  // With one to three spaces, there is a length whose last sign has bits to spare.
  for (const spaces of ['', ' ', '  ']) {
    const spaced = encoded(JSON.stringify(payload) + spaces);
    for (const [what, text] of otherSpellings(spaced)) forged.push([`a payload ${what}`, resigned(head, text)]);
  }
  return forged;
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function otherSpellings(text: string): [string, string][] {
  const found: [string, string][] = [];
  const last = SIGNS.indexOf(text.at(-1) ?? '');
  if (text.length % 4 !== 0)
    found.push(['with bits set that mean nothing', text.slice(0, -1) + (SIGNS[last ^ 1] ?? '')]);
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  if (plain !== text) found.push(['in the other alphabet', plain]);
  return found;
}

function wrongKeys(header: Record<string, unknown>, payload: object, input: string, key: JwsKey): Forgery[] {
  const { algorithm, publicKey } = key;
  const body = encoded(payload);
  const stranger = makeJwsKey(algorithm);
  const strangersJwk = stranger.algorithm === 'HS256' ? undefined : stranger.publicKey.export({ format: 'jwk' });
  const forged: Forgery[] = [
    ['the signature of another key of its kind', signed(header, payload, stranger)],
    ['its key beside it (jwk)', signed({ ...header, jwk: strangersJwk }, payload, stranger)],
    ['no key id and its key beside it', signed({ ...header, kid: undefined, jwk: strangersJwk }, payload, stranger)],
    ['an address of its key (jku)', signed({ ...header, jku: 'http://127.0.0.1:1/' }, payload, stranger)],
    ['a certificate beside it', signed({ ...header, x5c: ['MIIB'], x5t: 'x' }, payload, stranger)],
    ['extensions that are critical', signed({ ...header, crit: ['exp'] }, payload, key)],
    ['an empty list of critical extensions', signed({ ...header, crit: [] }, payload, key)],
    ['a payload that is not encoded (b64)', signed({ ...header, b64: false, crit: ['b64'] }, payload, key)],
    ['a type that is a list', signed({ ...header, typ: ['at+jwt'] }, payload, key)],
  ];
  for (const none of ['none', 'None', 'NONE', 'nOnE', '', ' none']) {
    const head = encoded({ ...header, alg: none });
    forged.push([`the algorithm "${none}" and no signature`, `${head}.${body}.`]);
    forged.push([`the algorithm "${none}" and a signature`, signed({ ...header, alg: none }, payload, key)]);
  }
  const others = [
    'ES256',
    'ES384',
    'ES512',
    'RS256',
    'RS384',
    'PS256',
    'HS256',
    'HS384',
    'EdDSA',
    'es256',
    'Es256 ',
    'ES256K',
    'Ed448',
  ];
  for (const alg of others.filter((other) => other !== algorithm))
    forged.push([`the algorithm ${alg} over the right signature`, signed({ ...header, alg }, payload, key)]);
  if (algorithm === 'HS256') return forged;
  const head = encoded({ ...header, alg: 'HS256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const secrets: [string, string | Buffer][] = [
    ['in PEM', pem],
    ['in PEM without the last line break', pem.trimEnd()],
    ['in DER', publicKey.export({ type: 'spki', format: 'der' })],
    ['as JWK', JSON.stringify(jwk)],
    ['by its coordinate or modulus', Buffer.from(String(jwk.x ?? jwk.n), 'base64url')],
    ['by its id', String(header.kid)],
    ['left out', ''],
  ];
  for (const [what, secret] of secrets) {
    const mac = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
    forged.push([`HS256 with the public key ${what} as the secret`, `${head}.${body}.${mac}`]);
    const underName = createHmac('sha256', secret).update(input).digest('base64url');
    forged.push([`an HMAC with the public key ${what}, under the right name`, `${input}.${underName}`]);
  }
  return forged;
}
