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

/** Creates refresh tokens, and recognizes its own tokens. */
export interface RefreshTokens {
  /** Reads the keys from the database, creates the first one, and reads them repeatedly until `stop()`. */
  load(): Promise<void>;
  stop(): void;
  readonly loaded: boolean;
  /** Returns when the key for new tokens was created. Undefined before the keys are loaded. */
  keyCreatedAt(): Date | undefined;
  /**
   * Returns the number of a token's successor. The step is random, so that a service with a restored backup does not create the
   * same tokens again that were created after the backup and may have been used.
   */
  nextGeneration(generation: number): number;
  /** @throws Error before the keys are loaded. */
  issue(token: { tenantId: number; sessionId: string; generation: number }): string;
  /** Returns the possible contents of a token. Empty for most invented tokens. The caller checks whether the session exists. */
  read(token: string): readonly RefreshTokenContent[];
}

export interface RefreshTokensOptions extends ServiceTime {
  database: Database;
  sealer: Sealer;
  randomBytes(size: number): Uint8Array;
  policy: RefreshTokenKeyPolicy;
  /** Called if the keys could not be read again. The known ones stay in use. */
  onReloadFailed?(error: unknown): void;
  /** Called with the ids of keys that the key-encryption key cannot open, at the start and when they change. */
  onUnopened?(ids: readonly number[]): void;
}

/**
 * Opens the keys of refresh tokens. A key is random and stored in the database, sealed with the key-encryption key, so that
 * only both together can create a token. If the key-encryption key is lost, a new key is created, and existing tokens are still
 * found by their hashes.
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
    // While the key-encryption key is being replaced, this service may be unable to open any key, and keeps the ones that it
    // has.
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
