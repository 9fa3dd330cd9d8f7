import { describe, expect, test } from '@jest/globals';
import { codingOfBody, preferredCoding } from '../../../gateway/transports/http/content-coding.ts';

const hasZstd = 'createZstdCompress' in (await import('node:zlib')).default;

describe('the coding of an answer', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['deflate', undefined],
    ['compress, foo', undefined],
    ['identity', undefined],
    ['identity, gzip', 'gzip'],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *', hasZstd ? 'zstd' : 'gzip'],
    ['*', hasZstd ? 'zstd' : 'br'],
    ['gzip, deflate, br, zstd', hasZstd ? 'zstd' : 'br'],
    [' gzip ; q=1.0 ', 'gzip'],
    // What is no quality is not asked for.
    ['gzip;q=2', undefined],
    ['gzip;q=-1', undefined],
    ['gzip;q=NaN', undefined],
    ['gzip;q=1e-1', undefined],
    ['gzip;q=', undefined],
    [',,;,;;q=1,', undefined],
    ['__proto__, constructor, toString', undefined],
    [`${'gzip, '.repeat(100)}gzip`, undefined],
  ])('for %j is %s', (header, coding) => {
    expect(preferredCoding(header)).toBe(coding);
  });
});

describe('the coding of a body', () => {
  test.each([
    [undefined, 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    [' GZip ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br', 'br'],
    ['zstd', hasZstd ? 'zstd' : undefined],
    ['gzip, gzip', undefined],
    ['gzip, br', undefined],
    ['', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('of Content-Encoding %j is %s', (header, coding) => {
    expect(codingOfBody(header)).toBe(coding);
  });
});
