import { afterAll, expect, test } from '@jest/globals';
import { startGateway } from '../../gateway/process/gateway.ts';
import { stopDeadlineMs } from '../../platform/index.ts';
import { keeper, writeMetadata } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

async function deadlineOf(settings: Readonly<Record<string, string>>): Promise<number> {
  const { directory } = await keep(writeMetadata({}));
  const environment = {
    HASURA_GRAPHQL_SERVER_PORT: '0',
    HASURA_GRAPHQL_METADATA_DIR: directory,
    HASURA_GRAPHQL_ADMIN_SECRET: 'of-a-gateway-that-stops-slowly-0123456789',
    ...settings,
  };
  const gateway = await startGateway(environment, { write: () => {} });
  // No request is open: it stops at once.
  await gateway.stop();
  return stopDeadlineMs(gateway);
}

test('a stop may take as long as its settings let requests and jobs finish', async () => {
  const longest = { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '3600' };
  expect(await deadlineOf(longest)).toBeGreaterThan(2 * 3_600_000);
});

test('a stop that hangs fails after two minutes', async () => {
  expect(await deadlineOf({})).toBe(125_000);
  expect(stopDeadlineMs(undefined)).toBe(125_000);
});
