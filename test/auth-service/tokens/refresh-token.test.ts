import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { newRefreshToken, refreshTokenHash } from '../../../auth-service/tokens/index.ts';

test('a refresh token shows all of its 16 random bytes', () => {
  const token = newRefreshToken(() => Buffer.from('00112233445566778899aabbccddeeff', 'hex'));

  expect(token).toBe('00112233-4455-6677-8899-aabbccddeeff');
});

test('refresh tokens do not repeat', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newRefreshToken(randomBytes))).size).toBe(1000);
});

test('its SHA-256 is what is stored', () => {
  const token = newRefreshToken(randomBytes);

  expect(Buffer.from(refreshTokenHash(token))).toEqual(createHash('sha256').update(token).digest());
});
