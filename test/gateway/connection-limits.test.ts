import { connect } from 'node:net';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { freePort, keeper, openGateway, openIssuer, send, until } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());

async function open(environment: Record<string, string>) {
  const metricsPort = await freePort();
  const settings = { PORTICO_METRICS_PORT: String(metricsPort), ...environment };
  const gateway = await keepForTest(openGateway({ issuer, environment: settings }));
  const metrics = async () => (await send(`http://127.0.0.1:${metricsPort}/metrics`)).text;
  return { gateway, metrics };
}

function openSocket(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return keepForTest(Promise.resolve({ close: async () => void socket.destroy() }));
}

const isOpen = (count: number) => new RegExp(`^portico_connections ${count}$`, 'm');

test('an address has so many connections as the settings say, and the metrics tell of those refused', async () => {
  const { gateway, metrics } = await open({ PORTICO_MAX_CONNECTIONS_PER_ADDRESS: '3' });
  for (const _ of [1, 2, 3]) await openSocket(gateway.port);
  await until('three are open', async () => isOpen(3).test(await metrics()));
  const refused = await gateway.send('/healthz');
  expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
    429,
    '5',
    { path: '$', error: 'too many open connections from this address', code: 'connection-limit-exceeded' },
  ]);
  expect(await metrics()).toContain('portico_connections_refused_total{reason="address"} 1');
});

test('connections of a proxy are not counted by their address, which is the proxy’s', async () => {
  const environment = { PORTICO_MAX_CONNECTIONS_PER_ADDRESS: '3', PORTICO_TRUSTED_PROXIES: '1' };
  const { gateway, metrics } = await open(environment);
  for (const _ of [1, 2, 3, 4]) await openSocket(gateway.port);
  await until('four are open', async () => isOpen(4).test(await metrics()));
  expect((await gateway.send('/healthz')).status).toBe(200);
});

test('all addresses together have so many as the settings say', async () => {
  const { gateway, metrics } = await open({ PORTICO_MAX_CONNECTIONS: '1' });
  await openSocket(gateway.port);
  await until('one is open', async () => isOpen(1).test(await metrics()));
  const refused = await gateway.send('/healthz');
  expect([refused.status, refused.body]).toMatchObject([503, { code: 'service-unavailable' }]);
});

test('a body that does not come ends its request, and the metrics tell of it', async () => {
  const { gateway, metrics } = await open({ PORTICO_SLOW_BODY_SECONDS: '1' });
  const socket = connect(gateway.port, '127.0.0.1', () =>
    socket.write(
      'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    ),
  );
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  await new Promise((resolve) => socket.on('close', resolve));
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(await metrics()).toContain('portico_slow_clients_total{reason="body"} 1');
});
