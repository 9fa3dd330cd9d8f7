import { basicAuthorization, Listeners, type Logger, parseServiceJson } from '../../../../platform/index.ts';
import type { HttpCall } from '../http-call.ts';
import type { JwtSecret } from '../jwt/index.ts';
import { ClockSkew, type FetchKeys, fixedKeySet, type KeySet, RemoteKeySet } from '../jwt/index.ts';
import { AuthHook, type AuthHookSettings } from './auth-hook.ts';
import { Authenticator } from './authenticator.ts';
import { adminSecretOnly, type CallerAuthenticator } from './caller-authenticator.ts';
import { JwtAuthenticator } from './jwt-authenticator.ts';
import { RevocationFeed, type RevocationSettings } from './revocations.ts';
import type { WrongSecrets } from './wrong-secrets.ts';

/** How callers are authenticated: by a token, by a hook, or, without either, only by the admin secret. */
export interface AuthenticationSettings {
  readonly jwtSecrets: readonly JwtSecret[];
  readonly hook: AuthHookSettings | undefined;
  readonly adminSecret: string | undefined;
  /** The settings for polling revocations. Undefined if they are not checked. */
  readonly revocations?: RevocationSettings | undefined;
}

export interface AuthenticationDependencies {
  /** Calls the hook and fetches revocations. */
  call: HttpCall;
  /** Fetches the keys of tokens. Defaults to `call`. */
  callForKeys?: HttpCall;
  log: Logger;
  /** Counts wrong admin secrets. */
  wrongSecrets: WrongSecrets;
  /** Returns whether pages of this origin may act for their users by a cookie. */
  trustsOrigin: (origin: string) => boolean;
}

const JWKS_TIMEOUT_MS = 5_000;
/** Shorter than the time within which revocations take effect. */
const REVOCATIONS_TIMEOUT_MS = 2_000;

/** Creates the authenticator from the settings. Keys behind a URL are refreshed until `stop` is called. */
export function openAuthenticator(
  { jwtSecrets, hook, adminSecret, revocations }: AuthenticationSettings,
  dependencies: AuthenticationDependencies,
): { authenticator: Authenticator; stop: () => void } {
  const { call, callForKeys = call, log, trustsOrigin, wrongSecrets } = dependencies;
  const clockSkew = new ClockSkew(log);
  const callIssuer = clockSkew.observing(call);
  const remote: RemoteKeySet[] = [];
  const keyWithdrawals = new Listeners(log);
  const open = (secret: JwtSecret): KeySet => {
    if ('key' in secret.source) return fixedKeySet(secret.source);
    const keys = new RemoteKeySet({
      url: secret.source.jwkUrl,
      log,
      fetchKeys: fetchKeysWith(clockSkew.observing(callForKeys)),
      onWithdrawn: () => keyWithdrawals.notify(),
    });
    remote.push(keys);
    keys.start();
    return keys;
  };
  const secrets = jwtSecrets.map((secret) => ({ secret, keys: open(secret) }));
  const feed =
    revocations &&
    new RevocationFeed({ ...revocations, log, fetchPage: fetchRevocationsWith(callIssuer, revocations.secret) });
  feed?.start();
  let callers: CallerAuthenticator = adminSecretOnly;
  if (hook) callers = new AuthHook({ ...hook, call, log, trustsOrigin });
  else if (secrets.length > 0) callers = new JwtAuthenticator({ secrets, revocations: feed, trustsOrigin });
  return {
    authenticator: new Authenticator({
      callers,
      adminSecret,
      wrongSecrets,
      revocations: feed,
      keyWithdrawals,
      clockSkew,
    }),
    stop: () => {
      feed?.stop();
      for (const keys of remote) keys.stop();
    },
  };
}

function fetchRevocationsWith(call: HttpCall, secret: string | undefined): (url: string) => Promise<unknown> {
  const headers = { accept: 'application/json', ...(secret !== undefined && { authorization: `Bearer ${secret}` }) };
  return async (url) => {
    const response = await call({ url, method: 'GET', headers, timeoutMs: REVOCATIONS_TIMEOUT_MS });
    if (response.status === 401 || response.status === 403)
      throw new Error(
        `status ${response.status}: ${secret === undefined ? 'PORTICO_REVOCATION_SECRET is not set' : 'PORTICO_REVOCATION_SECRET was refused'}`,
      );
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return parseServiceJson(response.body);
  };
}

function fetchKeysWith(call: HttpCall): FetchKeys {
  return async (url) => {
    // As Hasura's client does, the user and password of the URL are sent.
    const headers = { accept: 'application/json', ...basicAuthorization(new URL(url)) };
    const response = await call({ url, method: 'GET', headers, timeoutMs: JWKS_TIMEOUT_MS });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return {
      json: parseServiceJson(response.body),
      cacheControl: response.headers['cache-control']?.toString(),
      expires: response.headers.expires?.toString(),
    };
  };
}
