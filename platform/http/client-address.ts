import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';

/** `203.0.113.7:4711` or `[2001:db8::7]:4711`, as some proxies write. The port does not identify the caller. */
const WITH_PORT = /^(?:\[(?<bracketed>[^\]]+)\](?::\d+)?|(?<plain>[\d.]+):\d+)$/;

const MAPPED_AND_DOTTED = /^::ffff:(?<address>\d+\.\d+\.\d+\.\d+)$/i;

/** `::ffff:0:0/96`, the prefix of IPv4-mapped addresses (RFC 4291 section 2.5.5.2). */
const MAPPED = [0, 0, 0, 0, 0, 0xffff];

/** `64:ff9b::/96`, the prefix of addresses that are translated between IPv4 and IPv6 (RFC 6052 section 2.1). */
const TRANSLATED = [0x64, 0xff9b, 0, 0, 0, 0];

/**
 * Returns the client's IP address, from the entries of `X-Forwarded-For` that trusted proxies wrote.
 *
 * Each proxy appends the address of its own client. With `trustedProxies` proxies before this process, the outermost one's
 * entry is that many places from the right, and everything to the left is unverified input. If that entry is missing or not an
 * address, the request did not pass through the proxies, and the peer address of the connection is used.
 *
 * @returns IPv4-mapped IPv6 addresses as IPv4. Empty if the connection is closed.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const peer = withoutMapping(request.socket.remoteAddress ?? '');
  if (trustedProxies === 0) return peer;
  // Repeated headers of this name arrive joined, in their order.
  const entries = request.headers['x-forwarded-for']?.toString().split(',') ?? [];
  return addressIn(entries.at(-trustedProxies) ?? '') ?? peer;
}

function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const { bracketed, plain } = WITH_PORT.exec(text)?.groups ?? {};
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? undefined : withoutMapping(address);
}

/** An IPv4 client of a dual-stack socket has the address `::ffff:203.0.113.7`. Some proxies write `::ffff:cb00:7107`. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address;
  // The form in which Node.js writes the addresses of connections, and so the most common one.
  const dotted = MAPPED_AND_DOTTED.exec(address)?.groups?.address;
  return dotted !== undefined && isIPv4(dotted) ? dotted : (ipv4Within(groupsOf(address), MAPPED) ?? address);
}

/**
 * Returns an IPv4 address, or the /64 of an IPv6 address, within which a single caller has any number of addresses. For clients
 * that a translator of RFC 6052 brings to IPv6, it returns their IPv4 address.
 */
export function networkOf(address: string): string {
  const plain = withoutMapping(address).split('%')[0] ?? '';
  if (!isIPv6(plain)) return withoutMapping(address);
  const groups = groupsOf(plain);
  return (
    ipv4Within(groups, TRANSLATED) ??
    groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')
  );
}

/** Returns the IPv4 address in the last two groups if the first six are those of `prefix`. */
function ipv4Within(groups: readonly number[], prefix: readonly number[]): string | undefined {
  const [high, low] = groups.slice(prefix.length);
  if (high === undefined || low === undefined || prefix.some((group, index) => groups[index] !== group))
    return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The prefix lengths of IPv6 networks that are counted separately: a subnet's, a customer's, a site's (RFC 6177). */
const IPV6_PREFIXES = [64, 56, 48] as const;

/** A network that contains an address. */
export interface Network {
  /** The text of the network. Networks of different sizes never have the same text. */
  readonly name: string;
  /** How much larger the network is than the smallest one: 0, 1 or 2. */
  readonly level: number;
}

/** Returns the networks that contain an address, the smallest first: `networkOf`, and for IPv6 also the /56 and the /48. */
export function networksOf(address: string): readonly Network[] {
  const smallest = networkOf(address);
  const groups = smallest.split(':').map((group) => Number.parseInt(group, 16));
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  if (groups.length !== 4) return [{ name: smallest, level: 0 }];
  const names = { 64: smallest, 56: groupsText([a, b, c, d & 0xff00], 56), 48: groupsText([a, b, c, 0], 48) };
  return IPV6_PREFIXES.map((bits, level) => ({ name: names[bits], level }));
}

function groupsText(groups: readonly number[], bits: number): string {
  return `${groups.map((group) => group.toString(16)).join(':')}/${bits}`;
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = writtenGroups(head);
  const after = writtenGroups(tail ?? '');
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function writtenGroups(text: string): readonly number[] {
  return text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? ipv4Groups(group) : [Number.parseInt(group, 16)]));
}

/** Returns the two groups of an IPv4 address at the end of an IPv6 address. */
function ipv4Groups(text: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}
