import { bearer, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { type RawSocket, rawSocket } from './clients.ts';
import { graphqlWsService } from './services.ts';

export const ORDERS = 'subscription { orderPlaced { id } }';
export const COUNT = 'subscription { count(to: 2) { number } }';
/** The subprotocol graphql-transport-ws. */
export const NEW = 'graphql-transport-ws';
/** The subprotocol graphql-ws, of the package subscriptions-transport-ws. */
export const OLD = 'graphql-ws';

/** A service with subscriptions behind two gateways: one with the defaults, and one that is strict with connections. */
export async function openStrictWorld() {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const service = await keep(graphqlWsService());
  const { feed } = service;
  const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
  const gateway = await keep(openGateway({ issuer, metadata }));
  const strict = await keep(
    openGateway({
      issuer,
      metadata,
      environment: {
        HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1',
        HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '1',
        PORTICO_MAX_OPERATIONS_PER_CONNECTION: '2',
        PORTICO_MAX_LIVE_CONNECTIONS: '2',
        PORTICO_MAX_BODY_BYTES: '2048',
      },
    }),
  );

  /** A client that has introduced itself and been let in. */
  async function initialised(protocol: string, url = gateway.url): Promise<RawSocket> {
    const raw = await rawSocket(url, protocol);
    raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
    await raw.next('connection_ack');
    return raw;
  }
  return { issuer, service, feed, gateway, strict, initialised, close };
}
