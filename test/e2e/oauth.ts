import { readFile } from 'node:fs/promises';
import { startGateway } from '../../gateway/process/gateway.ts';
import { addClientTo } from '../auth-service/operator.ts';
import { createWorld, type World } from '../auth-service/world.ts';
import type { Engine } from '../database/index.ts';
import { freePort, serve, type TestServer, until, writeMetadata } from '../gateway/harness/index.ts';

/** The auth service behind a gateway with the metadata of this repository, and a service that needs a token. */
export interface OAuthWorld {
  readonly world: World;
  /** The gateway's public address, which is the issuer. */
  readonly issuer: string;
  /** What stands behind `/api/orders`. */
  readonly orders: TestServer;
  addClient(options?: {
    tenantId?: number;
    scopes?: string[];
    roles?: string[];
  }): Promise<{ clientId: string; clientSecret: string }>;
  close(): Promise<void>;
}

export async function openOAuthWorld(engine: Engine, changes: Record<string, string> = {}): Promise<OAuthWorld> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const world = await createWorld(engine, { AUTH_ISSUER: issuer, ...changes });
  await world.addTenant(1, 'acme');
  await world.addTenant(2, 'globex');
  const orders = await serve((_, response) => response.end('orders'));
  const services = await readFile(new URL('../../metadata/services.yaml', import.meta.url), 'utf8');
  const metadata = writeMetadata({ 'services.yaml': services });
  const gateway = await startGateway(
    {
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_METADATA_DIR: metadata.directory,
      HASURA_GRAPHQL_LOG_LEVEL: 'silent',
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        jwk_url: `${world.service.url}/.well-known/jwks.json`,
        issuer,
        audience: 'portico',
      }),
      AUTH_SERVICE_URL: world.service.url,
      ORDERS_URL: orders.url,
    },
    { write: () => {} },
  );
  await until('the gateway is ready', async () => (await fetch(`${issuer}/readyz`)).ok);
  return {
    world,
    issuer,
    orders,
    addClient: ({ tenantId = 1, scopes = [], roles = ['service'] } = {}) =>
      addClientTo(world.doors, { tenantId, name: 'reports', allowedRoles: roles, defaultRole: roles[0] ?? '', scopes }),
    close: async () => {
      await gateway.stop();
      metadata.close();
      await orders.close();
      await world.close();
    },
  };
}
