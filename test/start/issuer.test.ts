import { describe, expect, test } from '@jest/globals';
import { readStartSettings } from '../../start/config.ts';

describe('the issuer of tokens', () => {
  test.each<[string, NodeJS.ProcessEnv]>([
    ['http://127.0.0.1:8080', {}],
    ['http://127.0.0.1:9000', { HASURA_GRAPHQL_SERVER_PORT: '9000' }],
    ['http://127.0.0.1:9000', { HASURA_GRAPHQL_SERVER_HOST: '0.0.0.0', HASURA_GRAPHQL_SERVER_PORT: '9000' }],
    ['http://127.0.0.1:9000', { HASURA_GRAPHQL_SERVER_HOST: '*', HASURA_GRAPHQL_SERVER_PORT: '9000' }],
    ['https://api.example.com', { HASURA_GRAPHQL_SERVER_PORT: '9000', AUTH_ISSUER: 'https://api.example.com' }],
    ['http://127.0.0.1:8080', { HASURA_GRAPHQL_SERVER_PORT: '0' }],
  ])('is %s with %j', (issuer, environment) => {
    expect(readStartSettings(environment).issuer).toBe(issuer);
  });

  test('does not depend on the port of a gateway that is started apart from its auth service', () => {
    expect(readStartSettings({ HASURA_GRAPHQL_SERVER_PORT: '9000' }, false).issuer).toBe('http://127.0.0.1:8080');
  });
});
