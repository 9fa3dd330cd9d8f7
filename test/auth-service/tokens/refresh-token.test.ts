import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { refreshTokenHash } from '../../../auth-service/tokens/index.ts';
import { decipherRefreshToken, encipherRefreshToken } from '../../../auth-service/tokens/refresh-token.ts';

const KEY = Buffer.alloc(32, 7);
const sessionId = '01234567-89ab-4def-8123-456789abcdef';

describe('a refresh token', () => {
  test('is one block of AES-256 over tenant, session and number', () => {
    const token = encipherRefreshToken(KEY, { tenantId: 258, sessionId, generation: 3 });

    expect(token).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    // openssl enc -aes-256-ecb -nopad of 00000102 0123456789ab4def 00000003
    expect(token).toBe('f81319b2-bbc1-077a-26cd-9a6b17532203');
  });

  test.each([1, 0, -5, 2_147_483_647, -2_147_483_648])(
    'tells those who have the key its tenant, %i, session and number',
    (tenantId) => {
      const token = encipherRefreshToken(KEY, { tenantId, sessionId, generation: 0x7fff_ffff });

      expect(decipherRefreshToken(KEY, token)).toEqual({
        tenantId,
        sessionIds: ['01234567-89ab-4def-0000-000000000000', '01234567-89ab-4def-ffff-ffffffffffff'],
        generation: 0x7fff_ffff,
      });
    },
  );

  test('reveals nothing to holders of another key, nor does a made-up one, but for every second', () => {
    const tokens = Array.from({ length: 2000 }, (_, number) =>
      encipherRefreshToken(KEY, { tenantId: 1, sessionId: randomUUID(), generation: number + 1 }),
    );
    const readable = tokens.filter((token) => decipherRefreshToken(randomBytes(32), token));

    expect(readable.length).toBeLessThan(1200);
    for (const text of ['', 'x', randomUUID().toUpperCase(), `${randomUUID()} `, 'g'.repeat(36)])
      expect(decipherRefreshToken(KEY, text)).toBeUndefined();
  });

  test('does not repeat, and half of its bits differ from those of the one before', () => {
    const tokens = Array.from({ length: 1000 }, (_, number) =>
      encipherRefreshToken(KEY, { tenantId: 1, sessionId, generation: number + 1 }),
    );
    const bits = (token: string) => BigInt(`0x${token.replaceAll('-', '')}`);
    const differing = tokens.slice(1).map((token, index) => {
      const change = bits(token) ^ bits(tokens[index] ?? '0');
      return change.toString(2).replaceAll('0', '').length;
    });

    expect(new Set(tokens).size).toBe(1000);
    expect(Math.min(...differing)).toBeGreaterThan(30);
  });

  test.each([0, -1, 0x8000_0000])('has no number %i', (generation) => {
    expect(() => encipherRefreshToken(KEY, { tenantId: 1, sessionId, generation })).toThrow(RangeError);
  });

  test('is stored as its SHA-256', () => {
    const token = randomUUID();

    expect(Buffer.from(refreshTokenHash(token))).toEqual(createHash('sha256').update(token).digest());
  });
});
