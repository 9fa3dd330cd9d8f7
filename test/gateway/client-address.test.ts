import { afterAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../../gateway/process/gateway.ts';
import { keeper, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const LIES = { forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6' };

/** What a service behind the gateway is told of where a request came from. */
async function toldTo(environment: Record<string, string>, forwarded: string) {
  const platform = await keep(openPlatform({ environment }));
  const { gateway } = platform;
  await gateway.graphql('mutation { auth_user_login(data: {}) { success } }', {
    headers: { ...LIES, 'x-forwarded-for': forwarded },
  });
  const log = gateway
    .logs()
    .split('\n')
    .find((line) => line.includes('"http-log"') && line.includes('/v1/graphql'));
  return { header: platform.accounts.requests.at(-1)?.headers['x-forwarded-for'], logged: JSON.parse(log ?? '{}').ip };
}

describe('the address that a client is known by', () => {
  test('is that of its connection, where no proxy is configured', async () => {
    expect(await toldTo({}, '6.6.6.6')).toEqual({ header: '127.0.0.1', logged: '127.0.0.1' });
  });

  test('is the one that the outermost trusted proxy saw', async () => {
    const environment = { PORTICO_TRUSTED_PROXIES: '2' };
    expect(await toldTo(environment, '6.6.6.6, 203.0.113.7, 10.0.0.2')).toEqual({
      header: '203.0.113.7',
      logged: '203.0.113.7',
    });
  });

  test('is that of the connection for a client that bypasses the proxies', async () => {
    expect(await toldTo({ PORTICO_TRUSTED_PROXIES: '2' }, '6.6.6.6')).toMatchObject({ header: '127.0.0.1' });
  });
});

test('a number of proxies that is none is refused at the start', async () => {
  await expect(startGateway({ PORTICO_TRUSTED_PROXIES: 'all' })).rejects.toThrow('PORTICO_TRUSTED_PROXIES');
});
