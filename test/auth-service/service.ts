import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '../../auth-service/config.ts';
import { type Bcrypt, type HashThreads, openHashThreads } from '../../auth-service/passwords/index.ts';
import { type AuthServiceDependencies, startAuthService } from '../../auth-service/process/service.ts';

export const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** What a gateway of these tests shows to read the revocations. */
export const REVOCATION_SECRET = 'the-secret-of-the-gateways-in-these-tests';

/** Wrong passwords slow nobody down, where that is not what a test is about. An empty setting has its default. */
const UNTHROTTLED = {
  AUTH_THROTTLE_ACCOUNT: 'free=100000',
  AUTH_THROTTLE_DEVICE: 'free=100000',
  AUTH_THROTTLE_ADDRESS: 'free=100000',
  AUTH_THROTTLE_CLIENT: 'free=100000',
};

/** What takes the limits back to their defaults. */
export const THROTTLED = Object.fromEntries(Object.keys(UNTHROTTLED).map((name) => [name, '']));

/** The settings of a test's service: a random port, and hashes at the lowest cost in one thread. */
export function environment(databaseUrl: string, changes: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    AUTH_PORT: '0',
    AUTH_BCRYPT_COST: '4',
    // To start a thread takes as long as fifty hashes at this cost.
    AUTH_HASH_THREADS: '1',
    AUTH_PASSWORD_PEPPER: 'a pepper that is long enough for tests',
    AUTH_KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY,
    AUTH_REVOCATION_SECRET: REVOCATION_SECRET,
    // A busy machine is slow: the deadlines are for suites that are about them.
    AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: '60',
    // The user of the test databases is a superuser.
    AUTH_UNSAFE_DATABASE_SUPERUSER: 'true',
    ...UNTHROTTLED,
    ...changes,
  };
}

export function configFor(databaseUrl: string, changes?: Record<string, string>): Config {
  return readConfig(environment(databaseUrl, changes));
}

export const LOGIN = /* GraphQL */ `
  mutation auth_user_login($username: String, $password: String, $tenant_id: Int) {
    auth_user_login(data: { username: $username, password: $password, tenant_id: $tenant_id }) {
      success
      error_message
      data {
        access_token
        expires_in
        refresh_token
      }
    }
  }
`;

export interface LoginAnswer {
  success: boolean;
  error_message: string | null;
  data: { access_token: string; expires_in: number; refresh_token: string } | null;
}

export interface GraphAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: {
    data?: { auth_user_login?: LoginAnswer; auth_user_me?: Record<string, unknown> | null } | null;
    errors?: { message: string; extensions?: { code?: string } }[];
    extensions?: { http?: { status: number; headers?: Record<string, string> } };
  };
}

export interface TestService {
  readonly url: string;
  /** Everything logged so far. */
  logs(): string;
  /** bcrypt computations so far. */
  hashes(): number;
  /** Lets something happen while the next bcrypt computation is under way, before its result is used. */
  duringNextHash(action: () => Promise<void>): void;
  graphql(query: string, variables?: unknown, headers?: Record<string, string>): Promise<GraphAnswer>;
  post(body: string | Buffer, headers?: Record<string, string>): Promise<GraphAnswer>;
  login(variables: Record<string, unknown>): Promise<GraphAnswer>;
  stop(): Promise<void>;
}

let hashThread: HashThreads | undefined;

/** The thread of all services that hash with one, of all suites of this process. */
function sharedThread(): HashThreads {
  hashThread ??= openHashThreads(1);
  return hashThread;
}

/** The real service, in this process, on a random port. Its hash computations are counted where they leave it. */
export async function startTestService(
  databaseUrl: string,
  changes: Record<string, string> = {},
  surroundings: AuthServiceDependencies = {},
): Promise<TestService> {
  const lines: string[] = [];
  let hashes = 0;
  let during: (() => Promise<void>) | undefined;
  const counting = (bcrypt: Bcrypt): Bcrypt => ({
    hash: (text, cost) => count(bcrypt.hash(text, cost)),
    compare: (text, hash) => count(bcrypt.compare(text, hash)),
  });
  async function count<Result>(computed: Promise<Result>): Promise<Result> {
    hashes += 1;
    const result = await computed;
    await during?.();
    during = undefined;
    return result;
  }

  const running = await startAuthService(configFor(databaseUrl, changes), {
    logDestination: { write: (line) => lines.push(line) },
    aroundBcrypt: counting,
    ...(changes.AUTH_HASH_THREADS === undefined && { hashThreads: sharedThread() }),
    ...surroundings,
  });
  const url = `http://127.0.0.1:${running.port}`;

  const post: TestService['post'] = async (body, headers = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  const graphql: TestService['graphql'] = (query, variables, headers) =>
    post(JSON.stringify({ query, variables }), headers);
  return {
    url,
    logs: () => lines.join(''),
    hashes: () => hashes,
    duringNextHash(action) {
      during = action;
    },
    post,
    graphql,
    login: (variables) => graphql(LOGIN, variables),
    stop: running.stop,
  };
}
