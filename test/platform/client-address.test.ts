import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { clientAddress, networkOf, networksOf } from '../../platform/index.ts';

/** A request over a connection from `peer`, with this `X-Forwarded-For`. */
function request(peer: string | undefined, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

describe('without a proxy in front', () => {
  test.each([
    ['10.0.0.1', undefined],
    ['10.0.0.1', '6.6.6.6'],
    ['::ffff:10.0.0.1', '6.6.6.6, 7.7.7.7'],
  ])('the connection from %p counts, whatever the header %p says', (peer, forwarded) => {
    expect(clientAddress(request(peer, forwarded), 0)).toBe('10.0.0.1');
  });

  test('a connection that is gone has no address', () => {
    expect(clientAddress(request(undefined, '6.6.6.6'), 0)).toBe('');
  });
});

describe('behind proxies', () => {
  test.each([
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '6.6.6.6, 203.0.113.7', '203.0.113.7'],
    [1, '6.6.6.6,5.5.5.5 ,\t203.0.113.7 ', '203.0.113.7'],
    [2, '6.6.6.6, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    [3, '6.6.6.6, 203.0.113.7, 10.0.0.2, 10.0.0.3', '203.0.113.7'],
    [1, '203.0.113.7:50123', '203.0.113.7'],
    [1, '[2001:db8::7]:50123', '2001:db8::7'],
    [1, '[2001:db8::7]', '2001:db8::7'],
    [1, '2001:db8::7', '2001:db8::7'],
    [1, '::FFFF:203.0.113.7', '203.0.113.7'],
    [1, '::ffff:cb00:7107', '203.0.113.7'],
    [1, '::fffe:cb00:7107', '::fffe:cb00:7107'],
  ])('the entry that the outermost of %d wrote counts: %p is %p', (proxies, forwarded, expected) => {
    expect(clientAddress(request('10.0.0.1', forwarded), proxies)).toBe(expected);
  });

  test.each([
    [1, undefined],
    [1, ''],
    [1, 'unknown'],
    [1, '203.0.113.7, unknown'],
    [1, '203.0.113.7,'],
    [1, '203.0.113.256'],
    [1, 'for=203.0.113.7'],
    [1, '203.0.113.7:x'],
    [2, '203.0.113.7'],
    [2, 'somebody, 10.0.0.2'],
  ])('with %d of them, a caller who came another way, with %p, is known by the connection', (proxies, forwarded) => {
    expect(clientAddress(request('10.0.0.1', forwarded), proxies)).toBe('10.0.0.1');
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::ffff:7f00:1', '127.0.0.1'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['64:ff9b:1::cb00:7107', '64:ff9b:1:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8:0001:0002:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4'],
  ['', ''],
])('the network of %p is %p', (address, expected) => {
  expect(networkOf(address)).toBe(expected);
});

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['2001:db8:1:2345::1', ['2001:db8:1:2345', '2001:db8:1:2300/56', '2001:db8:1:0/48']],
  ['2001:db8:1::1', ['2001:db8:1:0', '2001:db8:1:0/56', '2001:db8:1:0/48']],
  ['', ['']],
])('%p is in the networks %p', (address, expected) => {
  expect(networksOf(address).map(({ name }) => name)).toEqual(expected);
});
