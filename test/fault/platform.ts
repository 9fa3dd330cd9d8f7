import {
  bearer,
  type GatewayOptions,
  type GraphqlOptions,
  type Handler,
  keeper,
  openGateway,
  openIssuer,
  serve,
  type TestGateway,
  type TestServer,
} from '../gateway/harness/index.ts';
import { type FaultyService, faultyService } from './faulty-service.ts';

export interface FaultPlatform {
  readonly ill: FaultyService;
  readonly sound: FaultyService;
  /** The webhook of the actions `act` (a query) and `do` (a mutation). */
  readonly hook: TestServer & { answer: Handler };
  readonly gateway: TestGateway;
  readonly token: string;
  /** Sends an operation as somebody who may. */
  ask(query: string, options?: GraphqlOptions): ReturnType<TestGateway['graphql']>;
  /** Sends an operation that its client gives up when it likes; until then it waits. */
  leave(query: string): { go(): void };
  close(): Promise<void>;
}

const ACTIONS = 'type Query { act: String } type Mutation { do: String }';

/**
 * A service that fails, one that does not, and an action, behind a gateway.
 *
 * @param resilience of all that may fail.
 */
export async function openFaultPlatform(
  resilience: object = {},
  { timeoutSeconds = 60, ...options }: Partial<GatewayOptions> & { readonly timeoutSeconds?: number } = {},
): Promise<FaultPlatform> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const ill = await keep(faultyService('ill'));
  const sound = await keep(faultyService('sound'));
  const hooked: { answer: Handler } = { answer: (_, response) => response.end('"done"') };
  const server = await keep(serve((received, response, request) => hooked.answer(received, response, request)));
  const hook = Object.assign(hooked, server);
  const remote = (name: string, { graphqlUrl }: FaultyService, more: object = {}) => ({
    name,
    definition: { url: graphqlUrl, timeout_seconds: timeoutSeconds, ...more },
  });
  const action = (name: string) => ({
    name,
    definition: { handler: hook.url, timeout: timeoutSeconds, resilience },
    permissions: [{ role: 'user' }],
  });
  const metadata = {
    'remote_schemas.yaml': [remote('ill', ill, { resilience }), remote('sound', sound, { timeout_seconds: 60 })],
    'actions.yaml': { actions: [action('act'), action('do')] },
    'actions.graphql': ACTIONS,
    ...options.metadata,
  };
  const gateway = await keep(openGateway({ issuer, ...options, metadata }));
  const token = issuer.token();
  return {
    ill,
    sound,
    hook,
    gateway,
    token,
    leave: (query) => {
      const client = new AbortController();
      const headers = { 'content-type': 'application/json', ...bearer(token) };
      const body = JSON.stringify({ query });
      fetch(`${gateway.url}/v1/graphql`, { method: 'POST', headers, body, signal: client.signal }).catch(() => {});
      return { go: () => client.abort() };
    },
    ask: (query, more) => gateway.graphql(query, { token, ...more }),
    close,
  };
}
