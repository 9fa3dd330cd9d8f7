import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { mayHoldSecrets } from '../../../gateway/pipeline/validation/secret-fields.ts';

const isFound = (field: string) => mayHoldSecrets(parse(`{ harmless: user { harmless: ${field} } }`));

test.each([
  ...['auth_login', 'accessToken', 'jwt', 'client_secret', 'passwordHash', 'pwd', 'userPwd', 'session_id', 'csrf'],
  ...['cookie', 'setCookie', 'bearer', 'APIKey', 'api_key', 'private_key', 'accessKey', 'client_key', 'encryptionKey'],
  ...['signing_key', 'signature', 'signedUrl', 'signed_url', 'magicLink', 'magic_link', 'resetLink', 'resetURL'],
  ...['reset_link', 'otp', 'mfa', 'mfaMethods', 'recovery_codes', 'backupCodes', 'pin', 'cardPin', 'pin_hash', 'PIN'],
])('the field %s may hold a secret', (field) => {
  expect(isFound(field)).toBe(true);
});

test.each(['id', 'shipping', 'spinner', 'opinion', 'pinned', 'key', 'design', 'url', 'author', 'monkey'])(
  'the field %s holds none',
  (field) => {
    expect(isFound(field)).toBe(false);
  },
);
