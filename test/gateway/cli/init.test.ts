import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUTH_TYPE_DEFINITIONS } from '../../../auth-service/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { init, nextSteps, type StarterKind } from '../../../gateway/operations/cli/init.ts';
import { type OrdersService, startOrders } from '../../examples/orders/service.ts';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, type TestGateway } from '../harness/index.ts';
import { sseClient } from '../subscriptions/clients.ts';

const workDir = mkdtempSync(join(tmpdir(), 'portico-init-'));
afterAll(() => rmSync(workDir, { recursive: true, force: true }));

function written(kind: StarterKind) {
  const directory = join(workDir, kind);
  init(directory, kind);
  const { remoteSchemas, actions, restEndpoints, services } = loadMetadata(directory);
  return {
    directory,
    sources: remoteSchemas.map(({ name }) => name),
    actions: actions.actions.length,
    endpoints: restEndpoints.map(({ metadata }) => metadata.name),
    services: services.map(({ name }) => name),
  };
}

describe('the metadata that portico init writes', () => {
  test('is examples in comments alone', () => {
    expect(written('bare')).toMatchObject({ sources: [], actions: 0, endpoints: [], services: [] });
  });

  test('has the login, with examples in comments', () => {
    const { directory, ...found } = written('login');
    expect(found).toMatchObject({ sources: ['auth'], actions: 0, services: ['oauth', 'well_known'] });
    expect(found.endpoints).toEqual(expect.arrayContaining(['auth_user_login', 'auth_token_refresh']));
    expect(found.endpoints).not.toContain('orders');
    const text = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'));
    // In comments alone: nothing of the sample service is left that would need its address.
    expect(text.join('').replace(/^ *#.*$/gm, '')).not.toMatch(/orders/i);
    expect(readFileSync(join(directory, 'remote_schemas.yaml'), 'utf8')).toContain('# - name: orders');
  });

  test('has the sample service too', () => {
    expect(written('sample')).toMatchObject({ sources: ['auth', 'orders'], actions: 4 });
  });
});

describe('the actions of the sample, with its service behind a gateway', () => {
  const { keep, close } = keeper();
  let orders: OrdersService;
  let gateway: TestGateway;
  let acme: string;
  let globex: string;

  beforeAll(async () => {
    const directory = join(workDir, 'running');
    init(directory, 'sample');
    orders = await startOrders();
    await keep({ close: orders.stop });
    const [issuer, auth] = await Promise.all([keep(openIssuer()), keep(graphqlUpstream(AUTH_TYPE_DEFINITIONS))]);
    const environment = {
      HASURA_GRAPHQL_METADATA_DIR: directory,
      AUTH_SERVICE_URL: auth.url,
      ORDERS_URL: orders.url,
    };
    gateway = await keep(openGateway({ issuer, environment }));
    acme = issuer.token({ hasura: { 'x-hasura-tenant-id': '1' } });
    globex = issuer.token({ hasura: { 'x-hasura-tenant-id': '2' } });
  });
  afterAll(close);

  const calls = (path: string) => orders.log.filter((line) => line.path === path).length;

  test('a field of all orders of a list is one call', async () => {
    const { body } = await gateway.graphql('{ orders { id delivery { parcels due } } }', { token: acme });
    expect(body).toEqual({
      data: {
        orders: [
          { id: 'acme-1001', delivery: { parcels: 1, due: '2026-01-19' } },
          { id: 'acme-1002', delivery: { parcels: 1, due: '2026-02-10' } },
          { id: 'acme-1003', delivery: { parcels: 2, due: '2026-02-27' } },
        ],
      },
    });
    expect(calls('/actions/delivery')).toBe(1);
  });

  test('a saved operation places an order as the caller', async () => {
    const { body } = await gateway.graphql('mutation { orderOne(item: "Magnet") { id item status } }', { token: acme });
    expect(body).toEqual({ data: { orderOne: { id: expect.any(String), item: 'Magnet', status: 'placed' } } });
    const items = async (token: string) => (await gateway.graphql('{ orders { item quantity } }', { token })).text;
    expect(await items(acme)).toContain('{"item":"Magnet","quantity":1}');
    expect(await items(globex)).not.toContain('Magnet');
    const refused = await gateway.graphql('mutation { orderOne(item: " ") { id } }', { token: acme });
    expect(refused.body).toMatchObject({
      data: { orderOne: null },
      errors: [{ message: 'item must not be empty', extensions: { code: 'invalid-input' } }],
    });
  });

  test('a subscription follows an order until it is cancelled', async () => {
    const following = sseClient(gateway.url, bearer(acme)).subscribe(
      'subscription { orderStatus(id: "acme-1002") { id status } }',
    );
    const status = (value: string) => ({ data: { orderStatus: { id: 'acme-1002', status: value } } });
    expect(await following.next()).toEqual(status('placed'));
    await gateway.graphql('mutation { cancelOrder(id: "acme-1003") { id } }', { token: acme });
    await gateway.graphql('mutation { cancelOrder(id: "acme-1002") { id } }', { token: acme });
    expect(await following.next()).toEqual(status('cancelled'));
    await following.ended();
    expect(following.results).toHaveLength(2);
  });

  test('a cancelled order has no delivery', async () => {
    await gateway.graphql('mutation { cancelOrder(id: "acme-1002") { id } }', { token: acme });
    const { body } = await gateway.graphql('{ order(id: "acme-1002") { delivery { due } } }', { token: acme });
    expect(body).toEqual({ data: { order: { delivery: null } } });
  });

  test('the subscription of another tenant finds no order', async () => {
    const following = sseClient(gateway.url, bearer(globex)).subscribe(
      'subscription { orderStatus(id: "acme-1001") { status } }',
    );
    expect(await following.next()).toMatchObject({ errors: [{ extensions: { code: 'order-not-found' } }] });
  });
});

test('the next step can be pasted, whatever the directory is called', () => {
  expect(nextSteps('/srv/meta data', 'sample')).toMatch(/HASURA_GRAPHQL_METADATA_DIR='\/srv\/meta data' npm start\n$/);
  expect(nextSteps("/srv/it's", 'bare')).toContain("'/srv/it'\\''s'");
});

describe('where metadata cannot be written', () => {
  test('a file is named as one', () => {
    const file = join(workDir, 'a-file');
    writeFileSync(file, '');
    expect(() => init(file)).toThrow(`init: ${file} is a file, or is within one`);
    expect(() => init(join(file, 'metadata'))).toThrow(`init: ${join(file, 'metadata')} is a file, or is within one`);
  });

  test('nothing that was made is left, and the reason is the first one', () => {
    const parent = mkdtempSync(join(workDir, 'vain-'));
    expect(() => init(join(parent, 'a', 'b', 'c'.repeat(300)))).toThrow(/ \(ENAMETOOLONG\)$/);
    expect(readdirSync(parent)).toEqual([]);
  });

  test.each([
    ['', false],
    ['of another process', true],
  ])('a disk that is full by the second file is the reason, whatever is left: %s', (other, isLeft) => {
    const directory = join(workDir, `full${other.length}`, 'metadata');
    const module = new URL('../../../dist/gateway/operations/cli/init.js', import.meta.url).href;
    const script = `
      import fs from 'node:fs';
      import { join } from 'node:path';
      import { syncBuiltinESMExports } from 'node:module';
      const [module, directory, other] = process.argv.slice(1);
      const { renameSync } = fs;
      let renamed = 0;
      fs.renameSync = (...names) => {
        if (renamed++ === 0) return renameSync(...names);
        if (other) fs.writeFileSync(join(directory, other), '');
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      };
      syncBuiltinESMExports();
      const { init } = await import(module);
      try { init(directory); } catch (error) { process.stdout.write(error.message); }`;
    const args = ['--input-type=module', '-e', script, module, directory, other];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(said).toBe(`init: cannot write to ${directory}: the disk is full (ENOSPC)`);
    expect(existsSync(dirname(directory))).toBe(isLeft);
    if (isLeft) expect(readdirSync(directory)).toEqual([other]);
  });

  test('a directory that is missing, and only gone through, is not made', () => {
    const parent = mkdtempSync(join(workDir, 'through-'));
    const files = init(`${parent}/fresh/../metadata`);
    expect(files).toContain(join(parent, 'metadata', 'version.yaml'));
    expect(readdirSync(parent)).toEqual(['metadata']);
  });

  const onLinux = existsSync('/proc/self') ? test : test.skip;

  onLinux('a file system that has no directories to make is an error at once', () => {
    expect(() => init('/proc/portico/metadata')).toThrow('init: cannot write to /proc/portico/metadata (ENOENT)');
  });
});
