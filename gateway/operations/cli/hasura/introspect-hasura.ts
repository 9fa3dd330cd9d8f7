import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { hasCredentials } from '../../../../platform/index.ts';

/** A Hasura server to introspect. */
export interface HasuraServer {
  /** The address of the server, or of its GraphQL endpoint. */
  readonly url: string;
  /** Undefined for a server without an admin secret, where all callers are admins. It is never printed. */
  readonly adminSecret: string | undefined;
}

/** The introspection result of a role, or the problem. */
export type RoleIntrospection = { readonly introspection: IntrospectionQuery } | { readonly problem: string };

const INTROSPECTION_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 67_108_864;
const MAX_MESSAGE_LENGTH = 200;
/** Descriptions are not compared. */
const INTROSPECTION_QUERY = getIntrospectionQuery({ descriptions: false });

/** Returns the address of the GraphQL endpoint without confidential parts, or undefined for an invalid URL. */
export function endpointOf(url: string): URL | undefined {
  const endpoint = URL.canParse(url) ? new URL(url) : undefined;
  if (!endpoint || !/^https?:$/.test(endpoint.protocol)) return undefined;
  // Credentials in a URL would appear in messages.
  if (hasCredentials(endpoint)) return undefined;
  if (!/\/graphql\/?$/.test(endpoint.pathname))
    endpoint.pathname = `${endpoint.pathname.replace(/\/+$/, '')}/v1/graphql`;
  return endpoint;
}

/** Introspects a role's schema. The admin secret allows any role. */
export async function introspectHasura(
  endpoint: URL,
  { adminSecret }: HasuraServer,
  role: string,
): Promise<RoleIntrospection> {
  const failed = (what: string) => ({ problem: withoutSecret(what, adminSecret) });
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-hasura-role': role,
        ...(adminSecret !== undefined && { 'x-hasura-admin-secret': adminSecret }),
      },
      body: JSON.stringify({ query: INTROSPECTION_QUERY, operationName: 'IntrospectionQuery' }),
      // The secret must reach only the named server.
      redirect: 'manual',
      signal: AbortSignal.timeout(INTROSPECTION_TIMEOUT_MS),
    });
    const text = await limitedText(response);
    if (text === undefined) return failed(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    return readIntrospection(response.status, text, failed);
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return failed(
      name === 'TimeoutError'
        ? `no response within ${INTROSPECTION_TIMEOUT_MS / 1000} s`
        : `no response (${cause?.code ?? name})`,
    );
  }
}

function readIntrospection(
  status: number,
  text: string,
  failed: (what: string) => RoleIntrospection,
): RoleIntrospection {
  let answer: { data?: { __schema?: unknown } | null; errors?: readonly { message?: unknown }[]; error?: unknown };
  try {
    answer = JSON.parse(text);
  } catch {
    return failed(`status ${status}, and the response is not JSON`);
  }
  if (answer?.data?.__schema) return { introspection: answer.data as unknown as IntrospectionQuery };
  const message = Array.isArray(answer?.errors) ? answer.errors[0]?.message : answer?.error;
  const said = typeof message === 'string' ? `: ${message.slice(0, MAX_MESSAGE_LENGTH)}` : '';
  return failed(`status ${status}, and the response has no schema${said}`);
}

async function limitedText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Removes the secret, which a server may repeat, and control characters, which could manipulate the terminal. */
function withoutSecret(text: string, secret: string | undefined): string {
  const shown = secret ? text.replaceAll(secret, '[secret]') : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are taken out
  return shown.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
