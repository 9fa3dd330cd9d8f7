import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, until } from '../harness/index.ts';

export type Files = Readonly<Record<string, unknown>>;

/** A suite whose gateways keep schemas in a directory of each test. */
export async function storedSchemasSuite() {
  const { keep, close } = keeper();
  afterAll(close);
  const { keep: keepForTest, close: closeAfterTest } = keeper();
  afterEach(closeAfterTest);

  const issuer = await keep(openIssuer());
  const token = issuer.token();

  let directory = '';
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'portico-schemas-'));
    await keepForTest({ close: () => rmSync(directory, { recursive: true, force: true }) });
  });

  /** A gateway that keeps schemas in the directory. Nothing that is missing keeps it from being ready. */
  const start = (files: Files, more: Readonly<Record<string, string>> = {}, waitUntilReady = true) =>
    openEditedGateway(files, {
      issuer,
      waitUntilReady,
      environment: { PORTICO_SCHEMA_DIR: directory, PORTICO_READY_GRACE_SECONDS: '0', ...more },
    });

  return {
    token,
    keepForTest,
    start,
    directory: () => directory,
    /** Starts a gateway while all services are available, and stops it when it has stored their schemas. */
    async remember(files: Files, names: readonly string[]): Promise<void> {
      const gateway = await start(files);
      await until('all schemas are stored', () =>
        names.every((name) => readdirSync(directory).includes(`${name}.graphql`)),
      );
      await until('all sources are there', async () => (await gateway.health()) === 'OK');
      await gateway.close();
    },
    stored: (name: string) => readFileSync(join(directory, `${name}.graphql`), 'utf8'),
    ask: (gateway: EditedGateway, query: string) => gateway.graphql(query, { token }),
  };
}

export const isWhole = (gateway: EditedGateway) =>
  until('the graph is whole', async () => (await gateway.health()) === 'OK');

export const unavailable = (service: string, ...path: (string | number)[]) =>
  expect.objectContaining({
    message: `the service "${service}" is not available`,
    path,
    extensions: { path: '$', code: 'source-unavailable', service, reason: 'unavailable', retry_after: 5 },
  });

export const SHOP = 'type Query { item: Item } type Mutation { rename: String } type Item { id: ID! order: Int }';
export const MAIL = 'type Query { letter: String letters: [String!]! byOrder(order: Int): [String!] }';
export const shopAnswers = { Query: { item: () => ({ id: 'i', order: 1 }) }, Mutation: { rename: () => 'renamed' } };
export const mailAnswers = {
  Query: { letter: () => 'hello', letters: () => ['hello'], byOrder: () => ['about it'] },
};

export const remote = (
  name: string,
  { graphqlUrl: url }: { graphqlUrl: string },
  definition: object = {},
  more: object = {},
) => ({
  name,
  definition: { url, ...definition },
  ...more,
});
