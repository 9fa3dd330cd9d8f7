import { boundedText, type Logger } from '../../../../platform/index.ts';
import { findKeys, type KeySet, type KeysById, readKeySet, type UnusableKey, withKnownKeys } from './key-set.ts';
import { refreshAfterMs } from './refresh-interval.ts';
import type { VerificationKey } from './verification-key.ts';

/** Fetches a JWK set: its JSON, and the headers that say how long it may be cached. Rejects when that fails. */
export type FetchKeys = (
  url: string,
) => Promise<{ json: unknown; cacheControl: string | undefined; expires?: string | undefined }>;

export interface RemoteKeySetOptions {
  url: string;
  log: Logger;
  fetchKeys: FetchKeys;
  /** Called when the issuer has removed a key from the set. */
  onWithdrawn?: () => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const KEY_RETRY_MS = { first: 250, most: 10_000 };
/** Fetches that failed in a row make the set stale: one alone has met a busy machine or a restart of the issuer. */
const STALE_AFTER_FAILURES = 2;
/** Unusable keys that are logged, and characters of their ids and of reasons: the issuer decides about them. */
const MAX_LOGGED_KEYS = 20;
const MAX_KEY_ID = 100;
const MAX_REASON = 1_000;
/** A fetch that keeps failing for the same reason is logged this often. */
const LOG_AGAIN_MS = 60_000;
/**
 * An unknown `kid` makes the gateway fetch the set, at most this often: tokens with invented ids must not cause a flood
 * of requests.
 */
const UNKNOWN_KID_INTERVAL_MS = 5_000;

/**
 * The keys behind a `jwk_url`: fetched at once, refreshed when `Cache-Control` or `Expires` say so, and on a token with
 * an unknown `kid`. While the issuer is down the last good set is used and fetching is retried with growing
 * pauses.
 */
export class RemoteKeySet implements KeySet {
  readonly #options: RemoteKeySetOptions;
  readonly #now: () => number;
  #keys: KeysById = new Map();
  #held: ReadonlySet<VerificationKey> = new Set();
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The failure that was logged last, and when; undefined since the last success. */
  #logged: { readonly reason: string; readonly at: number } | undefined;
  /** The keys that verify nothing, as they were logged last. */
  #loggedUnusable = '[]';
  #lastAttempt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  get ready(): boolean {
    return this.#keys.size > 0;
  }

  get isStale(): boolean {
    return this.ready && this.#failures >= STALE_AFTER_FAILURES;
  }

  /** Begins to fetch, and keeps the set fresh until stopped. */
  start(): void {
    void this.#refresh();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  find(kid: string | undefined, algorithm: string): readonly VerificationKey[] | Promise<readonly VerificationKey[]> {
    const found = findKeys(this.#keys, kid, algorithm);
    if (found.length > 0) return found;
    // The absolute value: after the clock was set back the difference is negative for as long.
    if (!this.#refreshing && Math.abs(this.#now() - this.#lastAttempt) < UNKNOWN_KID_INTERVAL_MS) return found;
    return this.#refresh().then(() => findKeys(this.#keys, kid, algorithm));
  }

  holds(key: VerificationKey): boolean {
    return this.#held.has(key);
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetch(): Promise<void> {
    const { url, log, fetchKeys, onWithdrawn } = this.#options;
    this.#lastAttempt = this.#now();
    let next: number;
    try {
      const { json, ...headers } = await fetchKeys(url);
      const { keys, unusable } = readKeySet(json);
      this.#logUnusable(unusable);
      if (keys.size === 0) throw new TypeError('the JWK set contains no usable key');
      if (!this.ready) {
        log.info({ event: 'token_keys.loaded', keys: keys.size }, 'token keys loaded');
        this.#logged = undefined;
      }
      this.#keys = withKnownKeys(keys, this.#keys);
      const before = this.#held;
      this.#held = new Set([...this.#keys.values()].flat());
      if ([...before].some((key) => !this.#held.has(key))) onWithdrawn?.();
      this.#failures = 0;
      this.#logRecovery();
      next = refreshAfterMs(headers, this.#now());
    } catch (error) {
      this.#failures += 1;
      next = Math.min(KEY_RETRY_MS.first * 2 ** (this.#failures - 1), KEY_RETRY_MS.most);
      this.#logFailure(boundedText((error as Error).message, MAX_REASON), next);
    }
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#refresh(), next).unref();
  }

  /** Logs a failure when its reason is a new one, and once in a while. */
  #logFailure(reason: string, retryMs: number): void {
    const now = performance.now();
    if (this.#logged?.reason === reason && now - this.#logged.at < LOG_AGAIN_MS) return;
    this.#logged = { reason, at: now };
    const { log } = this.#options;
    const detail = { reason, retry_ms: retryMs };
    if (this.ready)
      log.warn(
        { event: 'token_keys.refresh_failed', ...detail },
        'could not refresh token keys, keeping the last ones: tokens signed with newer keys are rejected',
      );
    else log.warn({ event: 'token_keys.unavailable', ...detail }, 'token keys not available yet');
  }

  #logRecovery(): void {
    if (!this.#logged) return;
    this.#logged = undefined;
    this.#options.log.info({ event: 'token_keys.recovered' }, 'token keys refreshed again');
  }

  /** Logs the unusable keys when they have changed. */
  #logUnusable(all: readonly UnusableKey[]): void {
    const unusable = all.slice(0, MAX_LOGGED_KEYS).map(({ kid, problem }) => ({
      kid: kid && boundedText(kid, MAX_KEY_ID),
      problem: boundedText(problem, MAX_REASON),
    }));
    const unusableText = JSON.stringify([all.length, unusable]);
    if (unusableText === this.#loggedUnusable) return;
    this.#loggedUnusable = unusableText;
    if (unusable.length > 0)
      this.#options.log.warn(
        { event: 'token_keys.unusable', keys: unusable, total: all.length },
        'token keys that cannot verify any token',
      );
  }
}
