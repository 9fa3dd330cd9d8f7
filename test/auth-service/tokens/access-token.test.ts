import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createAccessTokens, mergeClaims, problemWithClaims } from '../../../auth-service/tokens/index.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { issue } = createAccessTokens({
  keys: { active: () => ({ kid: 'key', algorithm: 'ES256', privateKey, activatedAt: new Date() }) },
  issuer: 'portico',
  audience: 'portico',
  lifetimeSeconds: 900,
});

/** As large as a set may be. */
function fullSet(name: string): Record<string, string> {
  const names = [1, 2, 3, 4].map((number) => `x-hasura-${name}-${number}`);
  return Object.fromEntries(names.map((claim) => [claim, 'x'.repeat(400 - claim.length)]));
}

const issueWith = (...sets: Record<string, string>[]) =>
  issue(
    {
      tenantId: 1,
      userId: 'alice',
      sessionId: 'session',
      allowedRoles: ['user'],
      defaultRole: 'user',
      extraClaims: mergeClaims(...sets),
    },
    new Date(),
  );

test('three full sets of extra claims fit a token', () => {
  const sets = ['tenant', 'role', 'user'].map(fullSet);
  expect(sets.map(problemWithClaims)).toEqual([undefined, undefined, undefined]);

  expect(issueWith(...sets).accessToken.length).toBeLessThanOrEqual(8_192);
});

test('a token that would be too long to be accepted is not issued, and the error says whose it is', () => {
  const sets = ['tenant', 'first', 'second', 'user'].map(fullSet);

  expect(() => issueWith(...sets)).toThrow(
    /^the access token of alice of tenant 1 would have \d+ characters, and nothing accepts more than 8192: /,
  );
});
