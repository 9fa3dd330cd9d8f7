import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readStartSettings } from '../../start/config.ts';
import { authServiceSpec } from '../../start/services.ts';
import { makeDataDir } from '../e2e/portico.ts';

const dataDir = makeDataDir();
const SECRET = { HASURA_GRAPHQL_ADMIN_SECRET: 's' };

/** What the auth service is started with. */
function gatewaySettings(environment: NodeJS.ProcessEnv) {
  const spec = authServiceSpec(readStartSettings({ PORTICO_DATA_DIR: dataDir, ...environment }), undefined, {});
  return Object.fromEntries(Object.entries(spec.environment).filter(([name]) => name.startsWith('AUTH_GATEWAY_')));
}
const AUTH_GATEWAY_JWKS_URL = expect.stringMatching(/portico-jwks\.json$/);

test.each<[string, NodeJS.ProcessEnv, object]>([
  ['as they are by default', SECRET, { AUTH_GATEWAY_JWKS_URL }],
  [
    'as the gateway has them',
    { ...SECRET, PORTICO_ASSERTION_ISSUER: 'mine', PORTICO_OPERATOR_SOURCE: 'accounts' },
    { AUTH_GATEWAY_JWKS_URL, AUTH_GATEWAY_ISSUER: 'mine', AUTH_GATEWAY_AUDIENCE: 'accounts' },
  ],
  [
    'in the gateway’s file',
    { ...SECRET, PORTICO_ASSERTION_ISSUER_FILE: '/issuer' },
    { AUTH_GATEWAY_JWKS_URL, AUTH_GATEWAY_ISSUER_FILE: '/issuer' },
  ],
  [
    'as the environment has them for the auth service',
    { ...SECRET, PORTICO_ASSERTION_ISSUER: 'mine', AUTH_GATEWAY_ISSUER: 'other' },
    { AUTH_GATEWAY_JWKS_URL, AUTH_GATEWAY_ISSUER: 'other' },
  ],
  ['not at all without an admin secret', { PORTICO_ASSERTION_ISSUER: 'mine' }, {}],
])('the auth service accepts assertions by issuer and audience %s', (_, environment, expected) => {
  expect(gatewaySettings(environment)).toEqual(expected);
});

test('the auth service gets what the launcher has read from a file once', () => {
  const file = join(dataDir, 'issuer');
  writeFileSync(file, 'https://issuer.example\n');
  const settings = readStartSettings({ PORTICO_DATA_DIR: dataDir, AUTH_ISSUER_FILE: file });
  const { AUTH_ISSUER, AUTH_ISSUER_FILE } = authServiceSpec(settings, undefined, {}).environment;
  expect([AUTH_ISSUER, AUTH_ISSUER_FILE]).toEqual(['https://issuer.example', '']);
});
