import { constants, createHash, createHmac, generateKeyPairSync, privateEncrypt, sign } from 'node:crypto';
import type { JwsAlgorithm, JwsKey } from './keys.ts';

/** What is wrong with a signature, and its bytes. */
type ForgedSignature = readonly [what: string, bytes: Buffer];

/** Signatures of `input` that no verifier may take, by the key whose signature `right` is. */
export function forgedSignatures(input: string, key: JwsKey, right: Buffer): readonly ForgedSignature[] {
  return [...ofAnyKind(right), ...BY_ALGORITHM[key.algorithm](input, key, right)];
}

const BY_ALGORITHM: Readonly<
  Record<JwsAlgorithm, (input: string, key: JwsKey, right: Buffer) => readonly ForgedSignature[]>
> = { ES256: ecdsaSignatures, RS256: rsaSignatures, EdDSA: edwardsSignatures, HS256: hmacs };

/** Signatures that are wrong whatever made them. */
function ofAnyKind(right: Buffer): ForgedSignature[] {
  const flipped = (bit: number): ForgedSignature => {
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

function ecdsaSignatures(input: string, { privateKey }: JwsKey, right: Buffer): ForgedSignature[] {
  const [r, s] = [bigint(right.subarray(0, 32)), bigint(right.subarray(32))];
  const pair = (a: bigint, b: bigint) => Buffer.concat([bytesOf(a, 32), bytesOf(b, 32)]);
  const edges = { 0: 0n, 1: 1n, n: P256_ORDER, 'n-1': P256_ORDER - 1n, 'n+1': P256_ORDER + 1n, p: P256_PRIME };
  const found: ForgedSignature[] = [];
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
function rsaSignatures(input: string, { privateKey, publicKey }: JwsKey, right: Buffer): ForgedSignature[] {
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

function edwardsSignatures(input: string, { privateKey }: JwsKey, right: Buffer): ForgedSignature[] {
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

function hmacs(input: string, { privateKey }: JwsKey, right: Buffer): ForgedSignature[] {
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
