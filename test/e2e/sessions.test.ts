import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../bench/machine/free-port.ts';
import { makeDataDirWithAccounts, type Portico, startPortico } from './portico.ts';
import { ALICE, graphql, login, post } from './session-scenarios.ts';

describe('a logout, with two gateways', () => {
  let dataDir: string;
  let services: Portico;
  let gateways: Portico[];
  let environment: Record<string, string>;

  const startServices = () => startPortico({ dataDir, arguments: ['auth-service', 'orders'], environment });
  const startGateway = () =>
    startPortico({
      dataDir,
      arguments: ['gateway'],
      environment: { ...environment, AUTH_SERVICE_URL: services.authServiceUrl, ORDERS_URL: services.ordersUrl },
    });
  const accepts = async ({ url }: Portico, token: string) =>
    (await graphql(url, '{ orders { id } }', {}, token)).status === 200;

  async function readyToAnswer({ url }: Portico): Promise<void> {
    await eventually('the gateway is ready', async () => (await fetch(`${url}/readyz`)).ok);
  }

  beforeAll(async () => {
    dataDir = await makeDataDirWithAccounts();
    environment = { AUTH_PORT: String(await freePort()) };
    services = await startServices();
    gateways = [await startGateway(), await startGateway()];
    await Promise.all(gateways.map(readyToAnswer));
  });
  afterAll(async () => {
    for (const portico of [...gateways, services]) await portico.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('is refused by both gateways, also after the gateway or the auth service was restarted', async () => {
    const [one, two] = gateways as [Portico, Portico];
    const gone = await login(one.url, ALICE);
    const kept = await login(two.url, ALICE);
    for (const gateway of gateways)
      for (const { access_token } of [gone, kept]) expect(await accepts(gateway, access_token)).toBe(true);

    await post(`${one.url}/api/rest/auth_user_logout`, {}, gone.access_token);
    await eventually('both refuse the token', async () => {
      const accepted = await Promise.all(gateways.map((gateway) => accepts(gateway, gone.access_token)));
      return !accepted.includes(true);
    });

    await two.stop();
    gateways[1] = await startGateway();
    await readyToAnswer(gateways[1]);
    await services.stop();
    for (const gateway of gateways) {
      const about = (token: string) => graphql(gateway.url, '{ __typename }', {}, token);
      expect((await about(gone.access_token)).status).toBe(401);
      expect((await about(kept.access_token)).status).toBe(200);
    }

    services = await startServices();
    const more = await login(one.url, ALICE);
    await post(`${one.url}/api/rest/auth_user_logout`, {}, more.access_token);
    await eventually('both refuse the next one too', async () => {
      const statuses = await Promise.all(
        gateways.map(async ({ url }) => (await graphql(url, '{ __typename }', {}, more.access_token)).status),
      );
      return statuses.every((status) => status === 401);
    });
    expect((await graphql(one.url, '{ __typename }', {}, gone.access_token)).status).toBe(401);
    expect((await graphql(one.url, '{ __typename }', {}, kept.access_token)).status).toBe(200);
  });
});

async function eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 90_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
