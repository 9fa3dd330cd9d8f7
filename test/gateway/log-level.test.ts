import { expect, test } from '@jest/globals';
import { readConfig } from '../../gateway/config.ts';

test.each([
  ['info', {}],
  ['debug', { PORTICO_LOG_LEVEL: 'debug' }],
  ['warn', { PORTICO_LOG_LEVEL: 'debug', HASURA_GRAPHQL_LOG_LEVEL: 'warn' }],
])('the gateway logs from the level %s on with %j', (level, environment) => {
  expect(readConfig({ HASURA_GRAPHQL_ADMIN_SECRET: 's', ...environment }).HASURA_GRAPHQL_LOG_LEVEL).toBe(level);
});
