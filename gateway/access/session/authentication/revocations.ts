import { z } from 'zod';
import { boundedText, Listeners, type Logger } from '../../../../platform/index.ts';
import type { GatewayError } from '../../../errors.ts';
import { invalidToken, revocationsUnavailable } from '../errors.ts';

/**
 * The claims of a verified token that revocations refer to: its session, or its user or tenant with the time when it was
 * issued.
 */
export interface TokenIdentity {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  /** Seconds since the epoch. Undefined counts as issued long ago. */
  readonly issuedAt: number | undefined;
}

/** The most characters of the reason why a list could not be read, which may quote each of its problems. */
const MAX_REASON = 1_000;

const idText = z.union([z.string(), z.number()]).transform(String);
const revocation = z.object({
  sid: idText.optional(),
  user_id: idText.optional(),
  tenant_id: idText.optional(),
  /** Tokens of the user or tenant that were issued before this moment are invalid. Seconds since the epoch. */
  before: z.number().optional(),
  /** When the last affected token has expired. Seconds since the epoch. */
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
  /** The URL at which the issuer publishes revocations. */
  readonly url: string;
  /** The bearer credential that the issuer requires. Undefined if it requires none. */
  readonly secret: string | undefined;
  readonly intervalMs: number;
  /** The age from which the list counts as lost, in milliseconds. */
  readonly maxAgeMs: number;
  /** Whether tokens are accepted while the list is lost. */
  readonly acceptWhenLost: boolean;
}

export interface RevocationFeedOptions extends RevocationSettings {
  readonly log: Logger;
  readonly fetchPage: (url: string) => Promise<unknown>;
  /** Returns the time in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A single failed poll may be due to a busy machine, so only the next failure is logged. */
const LOGGED_FAILURES = 2;

/**
 * The issuer's revocations, polled at an interval. A revocation is kept until the last token that it affects has expired. After
 * a lost connection, polling continues at the cursor. Without a cursor, it begins with all current revocations.
 */
export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #now: () => number;
  /**
   * By session (`s <sid>`), user (`u <tenant> <user>`) or tenant (`t <tenant>`): which tokens are revoked, and until when the
   * entry is kept.
   */
  readonly #revoked = new Map<string, { before: number; until: number }>();
  readonly #listeners: Listeners;
  #cursor: string | undefined;
  #lastNews = Number.NEGATIVE_INFINITY;
  /** A value of `performance.now()`, which changes of the clock do not affect. */
  #fetchedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The number of consecutive failed polls. */
  #failures = 0;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.log);
    this.#now = options.now ?? Date.now;
  }

  /** Whether the list is available and fresh enough. An old list must not become fresh if the clock is set back. */
  get known(): boolean {
    return Math.abs(this.#now() - this.#lastNews) <= this.#options.maxAgeMs;
  }

  /** The seconds since the list was fetched, or since the start. */
  get ageSeconds(): number {
    return Math.max(0, performance.now() - this.#fetchedAt) / 1000;
  }

  /** Whether tokens can be accepted: the list is fresh, or the settings accept tokens without it. */
  get ready(): boolean {
    return this.#options.acceptWhenLost || this.known;
  }

  /** Returns the error for a token: 401 if it was revoked, 503 if the list is lost. Undefined if it is accepted. */
  refusal(token: TokenIdentity): GatewayError | undefined {
    if (this.isRevoked(token)) return invalidToken('the token has been revoked');
    return this.ready ? undefined : revocationsUnavailable();
  }

  /** @throws GatewayError the error of `refusal`. */
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
    // If the clock is set back, expired tokens become valid again, so their revocations are fetched again.
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

/** Returns the claims of a verified token that revocations refer to. */
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
