import { type KeyObject, sign } from 'node:crypto';

/** A self-signed X.509 certificate (RFC 5280 section 4.1) of an RSA, EC or Ed25519 key, in PEM. */
export function selfSigned({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): string {
  const type = publicKey.asymmetricKeyType ?? '';
  const algorithm = sequence(Buffer.from(SIGNATURE_ALGORITHMS[type] ?? '', 'hex'));
  const name = sequence();
  const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(tagged(0x02, Buffer.from([1])), algorithm, name, validity, name, key);
  const signature = sign(type === 'ed25519' ? null : 'sha256', body, privateKey);
  const certificate = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Object identifiers with their tag: sha256WithRSAEncryption, ecdsa-with-SHA256, id-Ed25519. */
const SIGNATURE_ALGORITHMS: Readonly<Record<string, string>> = {
  rsa: '06092a864886f70d01010b',
  ec: '06082a8648ce3d040302',
  ed25519: '06032b6570',
};

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function utcTime(text: string): Buffer {
  return tagged(0x17, Buffer.from(text));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
