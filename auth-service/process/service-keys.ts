import { randomBytes } from 'node:crypto';
import type { Logger } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import {
  createSealer,
  type KeyPolicy,
  openRefreshTokens,
  openSigningKeys,
  type RefreshTokens,
  type Sealer,
  type SigningKeys,
} from '../tokens/index.ts';

/** The keys in the database, which create access and refresh tokens, and the sealer that encrypts them there. */
export interface ServiceKeys {
  readonly sealer: Sealer;
  readonly signing: SigningKeys;
  readonly policy: KeyPolicy;
  readonly refreshTokens: RefreshTokens;
  readonly loaded: boolean;
  /**
   * Reads the keys, creates missing ones, and reads them repeatedly until `stop()`.
   *
   * @throws StartError if the key-encryption key is not the one that sealed them.
   */
  load(): Promise<void>;
  stop(): void;
}

export interface ServiceKeysOptions extends ServiceTime {
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
}

/** Creates the keys without reading them. If keys cannot be read again later, this is logged and the last ones stay in use. */
export function openServiceKeys({ config, database, now, every, logger }: ServiceKeysOptions): ServiceKeys {
  const sealer = createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  const policy = { ...config.signingKeys, tokenSeconds: config.accessTokens.lifetimeSeconds };
  const signing = openSigningKeys({
    database,
    sealer,
    policy,
    now,
    every,
    onReloadFailed: (error) =>
      logger.warn(
        { err: error, event: 'signing_keys.reload_failed' },
        'failed to reload the signing keys, keeping the last ones',
      ),
  });
  const refreshTokens = openRefreshTokens({
    database,
    sealer,
    now,
    randomBytes,
    policy: config.signingKeys,
    every,
    onReloadFailed: (error) =>
      logger.warn(
        { err: error, event: 'refresh_token_keys.reload_failed' },
        'failed to reload the refresh token keys, keeping the last ones',
      ),
    onUnopened: (ids) =>
      logger.warn(
        { refresh_token_keys: ids, event: 'refresh_token_keys.unopened' },
        'AUTH_KEY_ENCRYPTION_KEY cannot decrypt these refresh token keys: reuse of their tokens is not detected',
      ),
  });
  return {
    sealer,
    signing,
    policy,
    refreshTokens,
    get loaded() {
      return signing.loaded && refreshTokens.loaded;
    },
    async load() {
      await signing.load();
      await refreshTokens.load();
    },
    stop() {
      refreshTokens.stop();
      signing.stop();
    },
  };
}
