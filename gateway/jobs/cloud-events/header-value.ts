import { isUtf8 } from 'node:buffer';

const PERCENT = 0x25;
/** A value in double quotes, with backslashes before characters of any kind (RFC 9110 section 5.6.4). */
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/;

/**
 * The value of an attribute in a header: quotes are taken away, then one round of percent-decoding follows (CloudEvents HTTP
 * Protocol Binding 1.0.2, section 3.1.3.2). Undefined where a quote or a percent sign is not right, or the bytes are not UTF-8.
 *
 * @param header as node gives it, a character for each byte.
 */
export function decodeAttribute(header: string): string | undefined {
  const text = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header;
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== PERCENT) decoded[length++] = byte;
    else {
      const digits = bytes.toString('latin1', at + 1, at + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return undefined;
      decoded[length++] = Number.parseInt(digits, 16);
      at += 2;
    }
  }
  const result = decoded.subarray(0, length);
  return isUtf8(result) ? result.toString('utf8') : undefined;
}
