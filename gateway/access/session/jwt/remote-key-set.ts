import { boundedText, type Logger } from '../../../../platform/index.ts';
import { findKeys, type KeySet, type KeysById, readKeySet, type UnusableKey, withKnownKeys } from './key-set.ts';
import { refreshAfterMs } from './refresh-interval.ts';
import type { VerificationKey } from './verification-key.ts';

/** Fetches a JWK set. Returns its JSON and the headers that state how long it may be cached. Rejects if that fails. */
export type FetchKeys = (
  url: string,
) => Promise<{ json: unknown; cacheControl: string | undefined; expires?: string | undefined }>;

export interface RemoteKeySetOptions {
  url: string;
  log: Logger;
  fetchKeys: FetchKeys;
  /** Called when the issuer has removed a key from the set. */
  onWithdrawn?: () => void;
  /** Returns the time in milliseconds since the epoch. */
  now?: () => number;
}

const KEY_RETRY_MS = { first: 250, most: 10_000 };
/** How many consecutive failures make the set stale. A single one may be due to a busy machine or a restart of the issuer. */
const STALE_AFTER_FAILURES = 2;
/**
 * The most unusable keys that are logged, and the most characters of their ids and reasons: the issuer controls all of these.
 */
const MAX_LOGGED_KEYS = 20;
const MAX_KEY_ID = 100;
const MAX_REASON = 1_000;
/** How often a repeated failure with the same reason is logged, in milliseconds. */
const LOG_AGAIN_MS = 60_000;
/**
 * How often an unknown `kid` may cause a fetch of the set, in milliseconds. Tokens with invented ids must not cause a flood of
 * requests.
 */
const UNKNOWN_KID_INTERVAL_MS = 5_000;

/**
 * The keys behind a `jwk_url`. They are fetched at the start, refreshed as `Cache-Control` or `Expires` say, and fetched when a
 * token has an unknown `kid`. While the issuer is down, the last valid set is used and fetching is retried with growing delays.
 */
export class RemoteKeySet implements KeySet {
  readonly #options: RemoteKeySetOptions;
  readonly #now: () => number;
  #keys: KeysById = new Map();
  #held: ReadonlySet<VerificationKey> = new Set();
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The last logged failure and its time. Undefined since the last success. */
  #logged: { readonly reason: string; readonly at: number } | undefined;
  /** The last logged list of unusable keys. */
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

  /** Fetches the set and refreshes it until `stop` is called. */
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
    // The absolute value is compared, since the difference is negative after the clock was set back.
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

  /** Logs a failure if its reason is new, or if it was logged long ago. */
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

  /** Logs the unusable keys if they have changed. */
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
