import type { Logger } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { Usage } from '../operations/usage/index.ts';
import type { UpstreamHttp } from '../upstream/index.ts';

/** Loads the code that counts usage where it is switched on: elsewhere it costs nothing. */
export async function loadUsage(config: GatewayConfig, http: UpstreamHttp, log: Logger): Promise<Usage | undefined> {
  if (!config.usage) return undefined;
  const { openUsage } = await import('../operations/usage/index.ts');
  const publicRole = config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE;
  return openUsage({ ...config.usage, publicRole, send: http.send, log });
}
