import type { Sealer } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import type { Database } from '../database/index.ts';
import {
  decipherRefreshToken,
  encipherRefreshToken,
  MAX_GENERATION_STEP,
  type RefreshTokenContent,
} from './refresh-token.ts';
import {
  issuingKey,
  type OpenedKeys,
  type RefreshTokenKey,
  type RefreshTokenKeyPolicy,
  readRefreshTokenKeys,
  requireRefreshTokenKey,
} from './refresh-token-keys.ts';

/** Makes refresh tokens, and recognises those that it has made. */
export interface RefreshTokens {
  /** Reads the keys from the database, makes the first one, and keeps reading them until `stop()`. */
  load(): Promise<void>;
  stop(): void;
  readonly loaded: boolean;
  /** When the key that new tokens are made with was made. Undefined before the keys are loaded. */
  keyCreatedAt(): Date | undefined;
  /**
   * The number of a token's successor. The step is random: a service that runs on a restored backup does not make the
   * tokens again that were made after the backup and may be spent.
   */
  nextGeneration(generation: number): number;
  /** @throws Error before the keys are loaded. */
  issue(token: { tenantId: number; sessionId: string; generation: number }): string;
  /** The content of a token; undefined for most that were never issued. The caller checks whether there is such a session. */
  read(token: string): readonly RefreshTokenContent[];
}

export interface RefreshTokensOptions extends ServiceTime {
  database: Database;
  sealer: Sealer;
  randomBytes(size: number): Uint8Array;
  policy: RefreshTokenKeyPolicy;
  /** Is called when the keys could not be read again; the ones that are known stay in use. */
  onReloadFailed?(error: unknown): void;
  /** Is called with the ids of keys that the key-encryption key does not open, at the start and when they change. */
  onUnopened?(ids: readonly number[]): void;
}

/**
 * The key of refresh tokens is random and lies in the database, sealed under the key-encryption key: neither of the two
 * makes a token without the other. Where the key-encryption key was lost there is a new one, and the tokens that are out
 * are still found by their hashes.
 */
export function openRefreshTokens({
  database,
  sealer,
  now,
  randomBytes,
  policy,
  every,
  onReloadFailed = () => {},
  onUnopened = () => {},
}: RefreshTokensOptions): RefreshTokens {
  /** The newest first. */
  let keys: readonly RefreshTokenKey[] = [];
  let reported = '';
  let stop: (() => void) | undefined;

  function use(opened: OpenedKeys): void {
    keys = opened.keys;
    const ids = opened.unopened.join();
    if (ids !== reported && ids !== '') onUnopened(opened.unopened);
    reported = ids;
  }

  async function reloadKeys(): Promise<void> {
    const opened = await database.withoutTenant((transaction) => readRefreshTokenKeys(transaction, sealer), {
      operation: 'read-refresh-token-keys',
    });
    // While the key-encryption key is replaced this service may open none of them any more: it keeps those that it has.
    const isLocked = opened.keys.length === 0 && opened.unopened.length > 0 && keys.length > 0;
    if (isLocked) use({ ...opened, keys });
    else if (opened.keys.length === 0)
      use(
        await database.withoutTenant((each) => requireRefreshTokenKey(each, { sealer, now: now(), randomBytes }), {
          operation: 'read-refresh-token-keys',
        }),
      );
    else use(opened);
  }

  return {
    async load() {
      await reloadKeys();
      stop ??= every(policy.reloadSeconds * 1000, () => reloadKeys().catch(onReloadFailed));
    },
    stop: () => stop?.(),
    get loaded() {
      return keys.length > 0;
    },
    keyCreatedAt: () => issuingKey(keys, policy, now())?.createdAt,
    nextGeneration: (generation) => generation + 1 + ((randomBytes(1)[0] ?? 0) % MAX_GENERATION_STEP),
    issue(token) {
      const issuing = issuingKey(keys, policy, now());
      if (!issuing) throw new Error('the key of refresh tokens is not loaded yet');
      return encipherRefreshToken(issuing.key, token);
    },
    read: (token) => keys.map(({ key }) => decipherRefreshToken(key, token)).filter((content) => content !== undefined),
  };
}
