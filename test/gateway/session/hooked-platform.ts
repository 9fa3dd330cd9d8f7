import {
  type GraphqlBody,
  type Handler,
  keeper,
  openPlatform,
  type Platform,
  reply,
  serve,
  type TestServer,
} from '../harness/index.ts';

/** What a hook says of whom it lets in. */
export const SESSION = { 'X-Hasura-Role': 'user', 'x-hasura-user-id': '9', 'X-Hasura-Tenant-Id': '3' };

export const answerWith =
  (body: unknown, status = 200, headers: Record<string, string | string[]> = {}): Handler =>
  (_, response) =>
    reply(response, status, body, headers);

/** An authentication hook that lets everybody in, unless a test has it answer something else. */
export interface Hook extends TestServer {
  instead: Handler;
}

export async function openHook(): Promise<Hook> {
  const server = await serve((...exchange) => hook.instead(...exchange));
  const hook: Hook = { ...server, instead: answerWith(SESSION) };
  return hook;
}

/** A platform whose callers the hook judges. */
export const openHookedPlatform = (
  hook: Hook,
  environment: Record<string, string | undefined> = {},
): Promise<Platform> =>
  openPlatform({
    environment: {
      HASURA_GRAPHQL_JWT_SECRET: undefined,
      HASURA_GRAPHQL_AUTH_HOOK: `${hook.url}/judge?by=portico`,
      HASURA_GRAPHQL_ADMIN_SECRET: 'the-admin-secret',
      ...environment,
    },
  });

/** A hook, and platforms that ask it in every way. */
export async function openHookedPlatforms() {
  const { keep, close } = keeper();
  const hook = await keep(openHook());
  const byGet = await keep(openHookedPlatform(hook));
  const byPost = await keep(openHookedPlatform(hook, { HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST' }));
  const byPostAlone = await keep(
    openHookedPlatform(hook, {
      HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
      HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: 'false',
    }),
  );
  const forget = () => {
    for (const server of [byGet, byPost, byPostAlone]) server.forget();
    hook.requests.length = 0;
    hook.instead = answerWith(SESSION);
  };
  return { hook, byGet, byPost, byPostAlone, forget, close };
}

export const ORDERS = '{ orders { id tenant } }';

/** The headers of a client that shows something to be judged by. */
export const CLIENT = {
  authorization: 'Bearer of-the-client',
  'x-api-key': 'k-1',
  'X-Hasura-Role': 'manager',
  'user-agent': 'client/1',
  accept: 'application/json',
  referer: 'https://app.test/',
  dnt: '1',
};

export function refusalOf({ status, body }: { status: number; body: unknown }) {
  const { errors, code, error } = body as GraphqlBody;
  const [first] = errors ?? [];
  return { status, code: first?.extensions.code ?? code, message: first?.message ?? error };
}
