import {
  constants,
  createHash,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';

export type JwsAlgorithm = 'ES256' | 'RS256' | 'EdDSA' | 'HS256';

/** A key pair, or for HS256 a secret in the place of both. */
export interface JwsKey {
  readonly algorithm: JwsAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** What is wrong with a token, and the token. */
export type Forgery = readonly [what: string, token: string];

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

/**
 * Tokens that no verifier may take, in the classes of Wycheproof's vectors for JWS, ECDSA (P1363), RSA (PKCS #1 v1.5),
 * EdDSA and HMAC (github.com/C2SP/wycheproof), made of a token that is right in everything else.
 */
export function forgeries(header: Record<string, unknown>, payload: object, key: JwsKey): readonly Forgery[] {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const signature = signatureOf(input, key);
  const bySignature: Readonly<Record<JwsAlgorithm, (input: string, key: JwsKey, right: Buffer) => [string, Buffer][]>> =
    {
      ES256: ecdsaSignatures,
      RS256: rsaSignatures,
      EdDSA: edwardsSignatures,
      HS256: hmacs,
    };
  return [
    ...malformed(header, payload, input, signature),
    ...laxBase64(header, payload, key),
    ...wrongKeys(header, payload, input, key),
    ...[...anySignature(signature), ...bySignature[key.algorithm](input, key, signature)].map(
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

function anySignature(right: Buffer): [string, Buffer][] {
  const flipped = (bit: number): [string, Buffer] => {
    const bytes = Buffer.from(right);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return [`with bit ${bit} turned round`, bytes];
  };
  const bits = [0, 7, 8, 100, right.length * 4 - 1, right.length * 4, right.length * 8 - 8, right.length * 8 - 1];
  return [
    ...bits.map(flipped),
    ['of one byte', Buffer.of(0)],
    ['cut by a byte', right.subarray(0, -1)],
    ['without its first byte', right.subarray(1)],
    ['cut in half', right.subarray(0, right.length / 2)],
    ['with a zero more', Buffer.concat([right, Buffer.of(0)])],
    ['with a zero before', Buffer.concat([Buffer.of(0), right])],
    ['twice', Buffer.concat([right, right])],
    ['of zeros', Buffer.alloc(right.length)],
    ['of ones', Buffer.alloc(right.length, 0xff)],
    ['turned round', Buffer.from(right).reverse()],
    ['of 4,000 bytes', Buffer.alloc(4_000, 1)],
  ];
}

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const P256_PRIME = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

function ecdsaSignatures(input: string, { privateKey }: JwsKey, right: Buffer): [string, Buffer][] {
  const [r, s] = [bigint(right.subarray(0, 32)), bigint(right.subarray(32))];
  const pair = (a: bigint, b: bigint) => Buffer.concat([bytesOf(a, 32), bytesOf(b, 32)]);
  const edges = { 0: 0n, 1: 1n, n: P256_ORDER, 'n-1': P256_ORDER - 1n, 'n+1': P256_ORDER + 1n, p: P256_PRIME };
  const found: [string, Buffer][] = [];
  for (const [a, value] of Object.entries(edges)) {
    found.push([`with r = ${a}`, pair(value, s)], [`with s = ${a}`, pair(r, value)]);
    for (const [b, other] of Object.entries(edges)) found.push([`with r = ${a}, s = ${b}`, pair(value, other)]);
  }
  if (r + P256_ORDER < 2n ** 256n) found.push(['with r + n', pair(r + P256_ORDER, s)]);
  if (s + P256_ORDER < 2n ** 256n) found.push(['with s + n', pair(r, s + P256_ORDER)]);
  const wide = (size: number) => Buffer.concat([bytesOf(r, size), bytesOf(s, size)]);
  const bytes = Buffer.from(input);
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
  return [
    ...found,
    ['with r and s in each other’s place', pair(s, r)],
    ['with n - r', pair(P256_ORDER - r, s)],
    ['with r and s of 33 bytes', wide(33)],
    ['with r and s of 48 bytes', wide(48)],
    ['in DER', sign('sha256', bytes, { key: privateKey, dsaEncoding: 'der' })],
    ['of a SHA-384', sign('sha384', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })],
    ['of a SHA-1', sign('sha1', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })],
    [
      'of the digest once more',
      sign('sha256', createHash('sha256').update(bytes).digest(), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    ],
    ['on P-384', sign('sha256', bytes, { key: p384, dsaEncoding: 'ieee-p1363' })],
    ['on secp256k1', sign('sha256', bytes, { key: k1, dsaEncoding: 'ieee-p1363' })],
  ];
}

const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** RFC 8017, section 9.2: 00 01 FF … FF 00 DigestInfo. The private key is used on whatever stands there instead. */
function rsaSignatures(input: string, { privateKey, publicKey }: JwsKey, right: Buffer): [string, Buffer][] {
  const size = right.length;
  const digest = createHash('sha256').update(input).digest();
  const raw = (message: Buffer) => privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, message);
  const framed = (info: Buffer, { head = [0, 1], fill = 0xff, end = [0], tail = Buffer.alloc(0) } = {}) => {
    const filling = Buffer.alloc(size - head.length - end.length - info.length - tail.length, fill);
    return raw(Buffer.concat([Buffer.from(head), filling, Buffer.from(end), info, tail]));
  };
  const info = Buffer.concat([SHA256_INFO, digest]);
  const asn1 = (hex: string) => framed(Buffer.concat([Buffer.from(hex, 'hex'), digest]));
  const short = Buffer.concat([Buffer.from([0, 1, ...Array<number>(8).fill(0xff), 0]), info]);
  const modulus = bigint(Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url'));
  if (!framed(info).equals(right)) throw new Error('the frame is not the one of PKCS #1');
  const sha1 = Buffer.concat([
    Buffer.from('3021300906052b0e03021a05000414', 'hex'),
    createHash('sha1').update(input).digest(),
  ]);
  return [
    ['whose digest is followed by something', raw(Buffer.concat([short, Buffer.alloc(size - short.length, 0x61)]))],
    ['whose digest is followed by zeros', framed(info, { tail: Buffer.alloc(8) })],
    ['of block type 0', framed(info, { head: [0, 0], fill: 0 })],
    ['of block type 2', framed(info, { head: [0, 2] })],
    ['that does not begin with a zero', framed(info, { head: [1, 1] })],
    ['filled with something else', framed(info, { fill: 0xfe })],
    ['whose filling does not end', framed(info, { end: [] })],
    ['whose filling ends in something else', framed(info, { end: [1] })],
    ['without the NULL of the algorithm', asn1('302f300b0609608648016503040201' + '0420')],
    ['with something beside the NULL', asn1('3033300f060960864801650304020105000400' + '0420')],
    ['with a NULL that has a length', asn1('3032300e06096086480165030402010501000420')],
    ['with lengths in the long form', asn1('308131300d060960864801650304020105000420')],
    ['of indefinite length', asn1('3080300d060960864801650304020105000420')],
    ['with a length that is too small', asn1('3030300d060960864801650304020105000420')],
    ['with a set for a sequence', asn1('3131300d060960864801650304020105000420')],
    ['that says SHA-384', asn1('3031300d060960864801650304020205000420')],
    ['that says SHA-512 over 256', asn1('3031300d060960864801650304020305000420')],
    ['of the digest alone', framed(digest)],
    ['of a digest that is cut', framed(Buffer.concat([SHA256_INFO, digest.subarray(0, 31)]))],
    ['of nothing', framed(Buffer.alloc(0))],
    ['of a SHA-1', framed(sha1)],
    ['of a SHA-512', sign('sha512', Buffer.from(input), privateKey)],
    ['with PSS', sign('sha256', Buffer.from(input), { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING })],
    ['plus the modulus', bytesOf(bigint(right) + modulus, size + 1)],
    ['that is the modulus', bytesOf(modulus, size)],
    ['that is the modulus less one', bytesOf(modulus - 1n, size)],
    ['that is one', bytesOf(1n, size)],
    ['that is the message itself', Buffer.concat([Buffer.alloc(size - short.length), short])],
  ];
}

const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

function edwardsSignatures(input: string, { privateKey }: JwsKey, right: Buffer): [string, Buffer][] {
  const [r, s] = [right.subarray(0, 32), bigint(Buffer.from(right.subarray(32)).reverse())];
  const of = (point: Buffer, scalar: bigint) => Buffer.concat([point, bytesOf(scalar, 32).reverse()]);
  const identity = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  const minusOne = Buffer.concat([Buffer.of(0xec), Buffer.alloc(30, 0xff), Buffer.of(0x7f)]);
  return [
    ['with s + L', of(r, s + ED25519_ORDER)],
    ['with s + 2L', of(r, s + 2n * ED25519_ORDER)],
    ['with L - s', of(r, ED25519_ORDER - s)],
    ['with s = L', of(r, ED25519_ORDER)],
    ['with s = 0', of(r, 0n)],
    ['with the highest bit of s', of(r, s + 2n ** 255n)],
    ['with R the neutral point', of(identity, s)],
    ['with R the neutral point and s = 0', of(identity, 0n)],
    ['with R of order 2', of(minusOne, s)],
    ['with R of order 2 and s = L', of(minusOne, ED25519_ORDER)],
    ['with R of order 4', of(Buffer.alloc(32), 0n)],
    ['with R and s in each other’s place', Buffer.concat([right.subarray(32), r])],
    ['of the digest', sign(null, createHash('sha512').update(input).digest(), privateKey)],
    ['without s', r],
  ];
}

function hmacs(input: string, { privateKey }: JwsKey, right: Buffer): [string, Buffer][] {
  const secret = privateKey.export();
  const mac = (hash: string, key: Buffer | string) => createHmac(hash, key).update(input).digest();
  return [
    ['of 16 bytes', right.subarray(0, 16)],
    ['of no bytes', Buffer.alloc(0)],
    ['with SHA-512', mac('sha512', secret)],
    ['with SHA-512, cut to its length', mac('sha512', secret).subarray(0, 32)],
    ['with SHA-1', mac('sha1', secret)],
    ['without a secret', mac('sha256', '')],
    ['with the secret in base64', mac('sha256', secret.toString('base64'))],
    ['with the secret in hexadecimal', mac('sha256', secret.toString('hex'))],
    ['that is the digest of the message', createHash('sha256').update(input).digest()],
    ['that is the digest of secret and message', createHash('sha256').update(secret).update(input).digest()],
  ];
}

/** A new key. Secrets are text, as they are configured. */
export function makeJwsKey(algorithm: JwsAlgorithm): JwsKey {
  if (algorithm === 'ES256') return { algorithm, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
  if (algorithm === 'RS256') return { algorithm, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  if (algorithm === 'EdDSA') return { algorithm, ...generateKeyPairSync('ed25519') };
  const privateKey = createSecretKey(Buffer.from(randomBytes(32).toString('base64url')));
  return { algorithm, privateKey, publicKey: privateKey };
}

function bigint(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** Big-endian. What is too large for the size loses its highest bytes. */
function bytesOf(number: bigint, size: number): Buffer {
  return Buffer.from(
    number
      .toString(16)
      .padStart(size * 2, '0')
      .slice(-size * 2),
    'hex',
  );
}
