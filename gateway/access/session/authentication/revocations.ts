import { z } from 'zod';
import { boundedText, Listeners, type Logger } from '../../../../platform/index.ts';
import type { GatewayError } from '../../../errors.ts';
import { invalidToken, revocationsUnavailable } from '../errors.ts';

/** The scopes of revocation of a verified token: its session, or all tokens of its user or tenant issued before a time. */
export interface TokenIdentity {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  /** Seconds since the epoch; undefined counts as issued long ago. */
  readonly issuedAt: number | undefined;
}

/** Characters of why a list could not be read: it may repeat each problem of it. */
const MAX_REASON = 1_000;

const idText = z.union([z.string(), z.number()]).transform(String);
const revocation = z.object({
  sid: idText.optional(),
  user_id: idText.optional(),
  tenant_id: idText.optional(),
  /** Tokens of the user or tenant that were issued before this moment are void. Seconds since the epoch. */
  before: z.number().optional(),
  /** When the last token that it is about has expired. Seconds since the epoch. */
  until: z.number(),
});
const page = z.object({
  cursor: z.string(),
  /** Whether another page follows. */
  more: z.boolean().default(false),
  revocations: z.array(revocation),
});

type Revocation = z.output<typeof revocation>;

export interface RevocationSettings {
  /** Where the issuer publishes them. */
  readonly url: string;
  /** The bearer credential that the issuer requires; undefined: none. */
  readonly secret: string | undefined;
  readonly intervalMs: number;
  /** How old the list may be before it counts as lost, in milliseconds. */
  readonly maxAgeMs: number;
  /** Whether tokens are accepted while it is lost. */
  readonly acceptWhenLost: boolean;
}

export interface RevocationFeedOptions extends RevocationSettings {
  readonly log: Logger;
  readonly fetchPage: (url: string) => Promise<unknown>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A single failed poll may come of a busy machine: it is logged when the next one fails too. */
const LOGGED_FAILURES = 2;

/**
 * The issuer's revocations, polled at an interval. A revocation is kept until the last token that it concerns has
 * expired. After a lost connection polling continues at the cursor; without a cursor it begins with all current
 * revocations.
 */
export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #now: () => number;
  /** By session (`s <sid>`), user (`u <tenant> <user>`) or tenant (`t <tenant>`): which tokens are void, and until when it is kept. */
  readonly #revoked = new Map<string, { before: number; until: number }>();
  readonly #listeners: Listeners;
  #cursor: string | undefined;
  #lastNews = Number.NEGATIVE_INFINITY;
  /** A reading of `performance.now()`, which no change of the clock affects. */
  #fetchedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Polls that have failed in a row. */
  #failures = 0;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.log);
    this.#now = options.now ?? Date.now;
  }

  /** Whether the list is known and fresh enough. A clock that was set back must not make an old list a fresh one. */
  get known(): boolean {
    return Math.abs(this.#now() - this.#lastNews) <= this.#options.maxAgeMs;
  }

  /** Seconds since the list was fetched, or since the start. */
  get ageSeconds(): number {
    return Math.max(0, performance.now() - this.#fetchedAt) / 1000;
  }

  /** Whether tokens can be accepted: the list is fresh, or the settings accept tokens without it. */
  get ready(): boolean {
    return this.#options.acceptWhenLost || this.known;
  }

  /** The error for a token: 401 when it was revoked, 503 when the list is lost; undefined when it is accepted. */
  refusal(token: TokenIdentity): GatewayError | undefined {
    if (this.isRevoked(token)) return invalidToken('the token has been revoked');
    return this.ready ? undefined : revocationsUnavailable();
  }

  /** @throws GatewayError, the `refusal`. */
  refuseRevoked(token: TokenIdentity): void {
    const refusal = this.refusal(token);
    if (refusal) throw refusal;
  }

  /**
   * Calls `listener` after each poll, successful or not.
   *
   * @returns a function that removes the listener.
   */
  onNews(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  start(): void {
    void this.#poll();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  isRevoked({ sessionId, userId, tenantId, issuedAt = 0 }: TokenIdentity): boolean {
    if (this.#revoked.size === 0) return false;
    if (sessionId !== undefined && this.#revoked.has(`s ${sessionId}`)) return true;
    if (tenantId === undefined) return false;
    const voids = (key: string) => issuedAt < (this.#revoked.get(key)?.before ?? 0);
    return voids(`t ${tenantId}`) || (userId !== undefined && voids(`u ${tenantId} ${userId}`));
  }

  async #poll(): Promise<void> {
    try {
      await this.#fetch();
      if (this.#failures >= LOGGED_FAILURES)
        this.#options.log.info({ event: 'revocations.recovered' }, 'revocations fetched again');
      this.#failures = 0;
    } catch (error) {
      if (++this.#failures === LOGGED_FAILURES)
        this.#options.log.warn(
          { event: 'revocations.fetch_failed', reason: boundedText((error as Error).message, MAX_REASON) },
          'could not fetch revocations, keeping the last list',
        );
    }
    this.#listeners.notify();
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#poll(), this.#options.intervalMs).unref();
  }

  async #fetch(): Promise<void> {
    const { url, fetchPage } = this.#options;
    // After the clock was set back, tokens that had expired are valid again, and so their revocations are fetched again.
    if (this.#now() < this.#lastNews) this.#cursor = undefined;
    for (let more = true; more && !this.#stopped; ) {
      const requestedAt = this.#now();
      const address = new URL(url);
      if (this.#cursor !== undefined) address.searchParams.set('after', this.#cursor);
      const answer = page.parse(await fetchPage(address.href));
      for (const item of answer.revocations) this.#add(item);
      this.#cursor = answer.cursor;
      more = answer.more;
      if (!more) {
        this.#lastNews = requestedAt;
        this.#fetchedAt = performance.now();
      }
    }
    const seconds = this.#now() / 1000;
    for (const [key, { until }] of this.#revoked) if (until <= seconds) this.#revoked.delete(key);
  }

  #add({ sid, user_id: user, tenant_id: tenant, before = 0, until }: Revocation): void {
    const key = sid !== undefined ? `s ${sid}` : user !== undefined ? `u ${tenant} ${user}` : `t ${tenant}`;
    const known = this.#revoked.get(key);
    this.#revoked.set(key, { before: Math.max(before, known?.before ?? 0), until: Math.max(until, known?.until ?? 0) });
  }
}

/** Reads from a verified token's claims what revocations refer to. */
export function tokenIdentity(payload: Readonly<Record<string, unknown>>): TokenIdentity {
  const { sid, sub, tenant_id: tenant, iat } = payload;
  return {
    sessionId: idFromClaim(sid),
    userId: idFromClaim(sub),
    tenantId: idFromClaim(tenant),
    issuedAt: typeof iat === 'number' ? iat : undefined,
  };
}

function idFromClaim(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
