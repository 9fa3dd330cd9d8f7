import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { PASSWORD, TENANTS } from '../cluster/index.ts';
import { type AttemptKind, type LoadAttempt, type LoadCall, sendAttempt } from './attempt.ts';

export interface SessionTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Sends requests and records the outcome of each. */
export class SessionCaller {
  readonly #pool: Pool;
  readonly #keep: (attempt: LoadAttempt) => void;

  constructor(pool: Pool, keep: (attempt: LoadAttempt) => void) {
    this.#pool = pool;
    this.#keep = keep;
  }

  async call<Picked>(
    kind: AttemptKind,
    call: Omit<LoadCall, 'pick'> & {
      pick: (body: never) => Picked | null | undefined;
      onUnauthorized?: (() => void) | undefined;
    },
  ): Promise<Picked | undefined> {
    const sentAt = performance.now();
    const { picked, failure } = await sendAttempt(this.#pool, call);
    const isRefusedGuess = failure?.status === 401 && call.onUnauthorized !== undefined;
    if (isRefusedGuess) call.onUnauthorized?.();
    else this.#keep({ kind, sentAt, endedAt: performance.now(), failure });
    return picked as Picked | undefined;
  }

  /** @param isGuess whether the password may be a wrong one: then a refusal is no failure. */
  login(username: string, password: string, tenant_id: number, isGuess = false): Promise<SessionTokens | undefined> {
    return this.call('login', {
      onUnauthorized: isGuess ? () => {} : undefined,
      method: 'POST',
      path: '/api/rest/auth_user_login',
      body: { username, password, tenant_id },
      pick: (body: { auth_user_login?: { data?: SessionTokens | null } }) => body.auth_user_login?.data,
    });
  }

  refresh(refresh_token: string): Promise<SessionTokens | undefined> {
    return this.call('refresh', {
      method: 'POST',
      path: '/api/rest/auth_token_refresh',
      body: { refresh_token },
      isRepeatable: true,
      pick: (body: { auth_token_refresh?: { data?: SessionTokens | null } }) => body.auth_token_refresh?.data,
    });
  }
}

const REFRESH_RETRY_MS = 1_000;
const MAX_REFRESH_RETRIES = 30;

/**
 * A user whose client stays logged in: it trades its refresh token again and again, and sends the same one again when the
 * answer did not come.
 */
export class ReaderSession {
  readonly #caller: SessionCaller;
  readonly #username: string;
  #tokens: SessionTokens | undefined;
  #isBusy = false;

  constructor(caller: SessionCaller, username: string) {
    this.#caller = caller;
    this.#username = username;
  }

  get accessToken(): string | undefined {
    return this.#tokens?.access_token;
  }

  async logIn(): Promise<void> {
    this.#tokens = (await this.#caller.login(this.#username, PASSWORD, TENANTS.readers)) ?? this.#tokens;
  }

  async refresh(): Promise<void> {
    if (!this.#tokens || this.#isBusy) return;
    this.#isBusy = true;
    try {
      const { refresh_token } = this.#tokens;
      let renewed = await this.#caller.refresh(refresh_token);
      // A client that got no answer asks again soon, with the token that it has.
      for (let tries = 0; renewed === undefined && tries < MAX_REFRESH_RETRIES; tries++) {
        await sleep(REFRESH_RETRY_MS);
        renewed = await this.#caller.refresh(refresh_token);
      }
      this.#tokens = renewed ?? this.#tokens;
    } finally {
      this.#isBusy = false;
    }
  }
}

const STALE_AFTER_MS = 300_000;
const LOGIN_RETRY_MS = 1_000;
const MAX_LOGIN_RETRIES = 30;

/** A user who changes what is stored, and knows what was accepted. */
export class WriterSession {
  readonly #caller: SessionCaller;
  readonly #username: string;
  /** The password is one of these: the last that was accepted, and those whose change had no clear answer. */
  #passwords: string[] = [PASSWORD];
  #tokens: { readonly tokens: SessionTokens; readonly since: number } | undefined;
  #changes = 0;
  #isBusy = false;

  constructor(caller: SessionCaller, username: string) {
    this.#caller = caller;
    this.#username = username;
  }

  /** Logs in with each password that it may be. @returns undefined where none is accepted. */
  async logIn(): Promise<SessionTokens | undefined> {
    const isGuess = this.#passwords.length > 1;
    for (const password of this.#passwords.toReversed()) {
      const tokens = await this.#caller.login(this.#username, password, TENANTS.writers, isGuess);
      if (!tokens) continue;
      this.#passwords = [password];
      this.#tokens = { tokens, since: performance.now() };
      return tokens;
    }
    return undefined;
  }

  async token(): Promise<string | undefined> {
    if (this.#tokens && performance.now() - this.#tokens.since < STALE_AFTER_MS)
      return this.#tokens.tokens.access_token;
    return (await this.logIn())?.access_token;
  }

  /** @returns the item's name where the order was accepted. */
  async placeOrder(item: string): Promise<string | undefined> {
    const token = await this.token();
    if (token === undefined) return undefined;
    return this.#caller.call('placeOrder', {
      method: 'POST',
      path: '/v1/graphql',
      token,
      onUnauthorized: this.#forgetSession,
      body: {
        query: 'mutation($item: String!) { placeOrder(item: $item, quantity: 1) { item } }',
        variables: { item },
      },
      pick: (body: { data?: { placeOrder?: { item: string } | null } | null }) => body.data?.placeOrder?.item,
    });
  }

  async changePassword(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      // After a change without a clear answer, which of the two it is.
      if (this.#passwords.length > 1 && !(await this.logIn())) return;
      const token = await this.token();
      const [current_password] = this.#passwords;
      if (token === undefined || current_password === undefined) return;
      this.#changes += 1;
      const new_password = `the changed password number ${this.#changes} of ${this.#username}`;
      // Until there is an answer it may be either.
      this.#passwords = [current_password, new_password];
      const succeeded = await this.#caller.call('password', {
        method: 'POST',
        path: '/api/rest/auth_user_change_password',
        token,
        onUnauthorized: this.#forgetSession,
        body: { current_password, new_password },
        pick: (body: { auth_user_change_password?: { success?: boolean } }) =>
          body.auth_user_change_password?.success || undefined,
      });
      if (succeeded) this.#passwords = [new_password];
    } finally {
      this.#isBusy = false;
    }
  }

  /** A change of the password that came late ends the sessions that were opened after it was sent, this one too. */
  readonly #forgetSession = () => {
    this.#tokens = undefined;
  };

  /**
   * Names of all orders there are, over a new session.
   *
   * @returns undefined when no password is accepted for half a minute: where requests are still refused with `Retry-After`,
   * a client comes back.
   */
  async orders(): Promise<readonly string[] | undefined> {
    while (this.#isBusy) await sleep(20);
    let token = (await this.logIn())?.access_token;
    for (let tries = 0; token === undefined && tries < MAX_LOGIN_RETRIES; tries++) {
      await sleep(LOGIN_RETRY_MS);
      token = (await this.logIn())?.access_token;
    }
    if (token === undefined) return undefined;
    return this.#caller.call('orders', {
      method: 'GET',
      path: '/api/rest/orders',
      token,
      isRepeatable: true,
      pick: (body: { orders?: readonly { item: string }[] }) => body.orders?.map(({ item }) => item),
    });
  }
}
