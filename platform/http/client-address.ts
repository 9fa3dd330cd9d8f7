import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';

/** `203.0.113.7:4711` or `[2001:db8::7]:4711`, as some proxies write; the port does not identify the caller. */
const WITH_PORT = /^(?:\[(?<bracketed>[^\]]+)\](?::\d+)?|(?<plain>[\d.]+):\d+)$/;

const MAPPED = /^::ffff:(?<address>\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The IP address of the client, from the entries of `X-Forwarded-For` that trusted proxies wrote.
 *
 * Each proxy appends the address of its own client. With `trustedProxies` of them before this process, the outermost one's
 * entry is that many places from the right; everything to the left of it is unverified input of the caller. If that entry is
 * missing or no address, the request did not pass through the proxies, and the peer address of the connection is used.
 *
 * @returns IPv4-mapped IPv6 addresses as IPv4; empty when the connection is closed.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const peer = withoutMapping(request.socket.remoteAddress ?? '');
  if (trustedProxies === 0) return peer;
  // Several headers of this name arrive joined, in their order.
  const entries = request.headers['x-forwarded-for']?.toString().split(',') ?? [];
  return addressIn(entries.at(-trustedProxies) ?? '') ?? peer;
}

function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const { bracketed, plain } = WITH_PORT.exec(text)?.groups ?? {};
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? undefined : withoutMapping(address);
}

/** An IPv4 client of a dual-stack socket has the address `::ffff:203.0.113.7`. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address;
  const mapped = MAPPED.exec(address)?.groups?.address;
  return mapped !== undefined && isIPv4(mapped) ? mapped : address;
}

/** An IPv4 address, or the /64 of an IPv6 one: within that, a single caller has as many addresses as it likes. */
export function networkOf(address: string): string {
  const plain = withoutMapping(address).split('%')[0] ?? '';
  if (!isIPv6(plain)) return withoutMapping(address);
  const [head = '', tail] = plain.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function groups(text: string): readonly string[] {
  // An IPv4 ending stands for two groups; it is never among the first four.
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
