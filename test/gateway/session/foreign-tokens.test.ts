import { afterAll, expect, test } from '@jest/globals';
import { parseJwtSecret } from '../../../gateway/access/session/index.ts';
import { pageBlocks } from '../../readme-blocks.ts';
import { CLAIMS_NAMESPACE } from '../harness/issuer.ts';
import { keeper } from '../harness/keep.ts';
import { openTestAuthenticator, tokenSignedWith } from './callers.ts';

const { keep, close } = keeper();
afterAll(close);
const KEY = 'k'.repeat(32);
const [keycloak = '', auth0 = '', clerk = ''] = pageBlocks('docs/foreign-tokens.md', 'json');

// Payloads as the issuers make them, as far as the page needs them.
const TOKENS: readonly [string, string, Record<string, unknown>][] = [
  [
    'Keycloak',
    keycloak,
    { aud: ['portico', 'account'], realm_access: { roles: ['user', 'manager', 'offline_access'] }, tenant_id: 7 },
  ],
  [
    'Auth0',
    auth0,
    {
      aud: ['https://api.shop.example.com', 'https://example.eu.auth0.com/userinfo'],
      'https://shop.example.com/roles': ['user', 'manager'],
      'https://shop.example.com/tenant': 7,
    },
  ],
  ['Clerk', clerk, { roles: ['user', 'manager'], tenant: 7, sid: 'sess_1' }],
];

test.each(TOKENS)('tokens of %s are read as the page configures them', async (_, block, payload) => {
  expect(parseJwtSecret(block)).not.toHaveProperty('problem');
  const { jwk_url, ...settings } = JSON.parse(block);
  expect(jwk_url).toMatch(/^https:/);
  const { session, refusal } = await keep(
    openTestAuthenticator({ secrets: [{ type: 'HS256', key: KEY, ...settings }] }),
  );
  const claims = { [CLAIMS_NAMESPACE]: undefined, iss: settings.issuer, sub: 'someone', ...payload };
  const headers = (changed: object = {}) => ({
    authorization: `Bearer ${tokenSignedWith('HS256', KEY, { payload: { ...claims, ...changed } })}`,
  });
  const variables = { 'x-hasura-user-id': 'someone', 'x-hasura-tenant-id': '7' };
  expect(await session(headers())).toMatchObject({ role: 'user', variables });
  expect(await session({ ...headers(), 'x-hasura-role': 'manager' })).toMatchObject({ role: 'manager' });
  expect(await refusal(headers({ iss: 'https://elsewhere.example.com' }))).toBeDefined();
  if (settings.audience) expect(await refusal(headers({ aud: 'another' }))).toBeDefined();
});
