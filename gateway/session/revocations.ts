import { z } from 'zod';
import type { Logger } from '../../platform/index.ts';

/** What of a verified token can be revoked: its session, all of its user's or its tenant's tokens up to a moment. */
export interface TokenIdentity {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  /** Seconds since the epoch; undefined counts as issued long ago. */
  readonly issuedAt: number | undefined;
}

const text = z.union([z.string(), z.number()]).transform(String);
const revocation = z.object({
  sid: text.optional(),
  user_id: text.optional(),
  tenant_id: text.optional(),
  /** Tokens of the user or tenant that were issued before this moment are void. Seconds since the epoch. */
  before: z.number().optional(),
  /** When the last token that it is about has expired. Seconds since the epoch. */
  until: z.number(),
});
const page = z.object({ cursor: z.string(), revocations: z.array(revocation) });

type Revocation = z.output<typeof revocation>;

export interface RevocationFeedOptions {
  /** Where the issuer publishes them. */
  readonly url: string;
  readonly intervalMs: number;
  /** For how long the list may go without news before it counts as lost, in milliseconds. */
  readonly maxAgeMs: number;
  /** Whether tokens are accepted all the same while it is lost. */
  readonly acceptWhenLost: boolean;
  readonly log: Logger;
  readonly fetchPage: (url: string) => Promise<unknown>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * What the issuer has revoked, asked for again and again. A revocation is kept for as long as a token that it is about
 * can live. After a start or a lost connection the feed goes on where it was; without a cursor it begins with all that
 * is in force.
 */
export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #now: () => number;
  /** `sid`, or `tenant/user`, or `tenant/` to what is void and until when that matters. */
  readonly #revoked = new Map<string, { before: number; until: number }>();
  #cursor: string | undefined;
  #lastNews = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #complained = false;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Whether the list is known and fresh enough to judge tokens by. */
  get ready(): boolean {
    return this.#options.acceptWhenLost || this.#now() - this.#lastNews <= this.#options.maxAgeMs;
  }

  start(): void {
    void this.#follow();
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

  async #follow(): Promise<void> {
    try {
      await this.#ask();
      if (this.#complained) this.#options.log.info('revocations are known again');
      this.#complained = false;
    } catch (error) {
      if (!this.#complained)
        this.#options.log.warn({ reason: (error as Error).message }, 'revocations cannot be had; the last ones stay');
      this.#complained = true;
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#follow(), this.#options.intervalMs).unref();
  }

  async #ask(): Promise<void> {
    const { url, fetchPage } = this.#options;
    const address = new URL(url);
    if (this.#cursor !== undefined) address.searchParams.set('after', this.#cursor);
    const { cursor, revocations } = page.parse(await fetchPage(address.href));
    for (const item of revocations) this.#add(item);
    this.#cursor = cursor;
    this.#lastNews = this.#now();
    const seconds = this.#lastNews / 1000;
    for (const [key, { until }] of this.#revoked) if (until <= seconds) this.#revoked.delete(key);
  }

  #add({ sid, user_id: user, tenant_id: tenant, before = 0, until }: Revocation): void {
    const key = sid !== undefined ? `s ${sid}` : user !== undefined ? `u ${tenant} ${user}` : `t ${tenant}`;
    const known = this.#revoked.get(key);
    this.#revoked.set(key, { before: Math.max(before, known?.before ?? 0), until: Math.max(until, known?.until ?? 0) });
  }
}
