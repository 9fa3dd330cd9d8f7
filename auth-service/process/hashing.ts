import type { Logger } from '../../platform/index.ts';
import type { ActiveSpan } from '../active-span.ts';
import { type Config, passwordRules } from '../config.ts';
import {
  type Bcrypt,
  type BcryptPool,
  createPasswordPolicy,
  createPasswords,
  type HashThreads,
  openBcryptPool,
  type PasswordPolicy,
  type Passwords,
} from '../passwords/index.ts';

/** The parts that create and verify password hashes, and the policy of new passwords. */
export interface Hashing {
  readonly pool: BcryptPool;
  readonly passwords: Passwords;
  readonly policy: PasswordPolicy;
}

export interface HashingOptions {
  readonly config: Config;
  readonly activeSpan: ActiveSpan;
  readonly logger: Logger;
  /** Observes or replaces the computations of the pool. */
  readonly aroundBcrypt: ((bcrypt: Bcrypt) => Bcrypt) | undefined;
  /** Undefined if the pool has its own threads. */
  readonly sharedThreads: HashThreads | undefined;
}

/** Starts the hashing threads. */
export function openHashing({ config, activeSpan, logger, aroundBcrypt, sharedThreads }: HashingOptions): Hashing {
  const pool = openBcryptPool({ ...config.passwords, activeSpan, ...(sharedThreads && { sharedThreads }) });
  if (pool.library === 'bcryptjs')
    logger.warn(
      { event: 'hashing.native_unavailable' },
      '@node-rs/bcrypt cannot be loaded; bcryptjs, which is slower, hashes passwords',
    );
  return {
    pool,
    passwords: createPasswords({ ...config.passwords, bcrypt: aroundBcrypt?.(pool) ?? pool }),
    policy: createPasswordPolicy(passwordRules(config)),
  };
}
