import type { JsonWebKey, KeyObject } from 'node:crypto';
import { type Sealer, StartError } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import { type Database, SigningKeyState } from '../database/index.ts';
import { KEY_ALGORITHMS, type KeyAlgorithm, readPrivateKey } from './key-pairs.ts';
import { advanceKeys } from './key-rotation.ts';
import { KEY_SET_MAX_AGE_SECONDS, type KeyPolicy } from './key-schedule.ts';
import { openKey, type SigningKeyRow } from './signing-key-rows.ts';
import { timeFrom } from './time-from.ts';

/** How often a token with an unknown `kid` may cause a read of the database, in milliseconds. */
const UNKNOWN_KID_INTERVAL_MS = 5_000;

/** The key that signs new access tokens. */
export interface ActiveKey {
  kid: string;
  algorithm: KeyAlgorithm;
  privateKey: KeyObject;
  /** When the key began to sign. */
  activatedAt: Date;
}

/** A JWK set (RFC 7517, section 5) of public keys, each with `kid`, `alg` and `use`. */
export interface PublicKeySet {
  keys: readonly JsonWebKey[];
}

const NO_KEYS: PublicKeySet = { keys: [] };

export interface SigningKeys {
  /**
   * Reads the keys from the database and performs the steps that are due (the first key, a rotation), repeatedly until
   * `stop()`.
   *
   * @throws StartError if the key-encryption key is not the one that sealed them.
   */
  load(): Promise<void>;
  /** Reads the keys again now. Concurrent callers share one read. */
  reload(): Promise<void>;
  stop(): void;
  readonly loaded: boolean;
  /** @throws Error before the keys are loaded. */
  active(): ActiveKey;
  /** Returns every key that may have signed a valid token or will soon sign. Empty before the keys are loaded. */
  publicKeySet(): PublicKeySet;
  /** Returns the current public keys for other verifiers, and for how many seconds verifiers may keep them. */
  published(): Promise<{ keySet: PublicKeySet; maxAgeSeconds: number }>;
  /** Returns whether a key of this id is published. For an unknown id, it occasionally checks the database. */
  knows(kid: string): Promise<boolean>;
}

export interface SigningKeyOptions extends ServiceTime {
  database: Database;
  sealer: Sealer;
  policy: KeyPolicy;
  /** Called if the keys could not be read again. The last ones stay in use. */
  onReloadFailed?(error: unknown): void;
}

interface View {
  active: ActiveKey;
  keySet: PublicKeySet;
  readAt: number;
}

export function openSigningKeys({
  database,
  sealer,
  policy,
  now,
  every,
  onReloadFailed = () => {},
}: SigningKeyOptions): SigningKeys {
  let view: View | undefined;
  let reloading: Promise<void> | undefined;
  let lastLookForUnknown = Number.NEGATIVE_INFINITY;
  let stop: (() => void) | undefined;

  async function readSigningKeys(): Promise<void> {
    const readAt = now();
    const rows = await advanceKeys(database, sealer, policy, readAt);
    view = keysViewOf(rows, view?.active, sealer, readAt.getTime());
  }

  function reload(): Promise<void> {
    reloading ??= readSigningKeys().finally(() => {
      reloading = undefined;
    });
    return reloading;
  }

  async function reloadOrKeep(): Promise<void> {
    await reload().catch(onReloadFailed);
  }

  /** Returns whether another replica may have published a key that this one has not read. */
  function isStale({ readAt }: View): boolean {
    return timeFrom(readAt, now()) > 2 * policy.reloadSeconds * 1000;
  }

  return {
    async load() {
      await reload();
      stop ??= every(policy.reloadSeconds * 1000, reloadOrKeep);
    },
    reload,
    stop: () => stop?.(),
    get loaded() {
      return view !== undefined;
    },
    active() {
      if (!view) throw new Error('the signing keys are not loaded yet');
      return view.active;
    },
    publicKeySet: () => view?.keySet ?? NO_KEYS,
    async published() {
      if (view && isStale(view)) await reloadOrKeep();
      if (!view) return { keySet: NO_KEYS, maxAgeSeconds: 0 };
      return { keySet: view.keySet, maxAgeSeconds: isStale(view) ? 0 : KEY_SET_MAX_AGE_SECONDS };
    },
    async knows(kid) {
      const isKnown = () => view?.keySet.keys.some((key) => key.kid === kid) ?? false;
      if (isKnown()) return true;
      if (timeFrom(lastLookForUnknown, now()) < UNKNOWN_KID_INTERVAL_MS) return false;
      lastLookForUnknown = now().getTime();
      await reloadOrKeep();
      return isKnown();
    },
  };
}

function keysViewOf(
  rows: readonly SigningKeyRow[],
  before: ActiveKey | undefined,
  sealer: Sealer,
  readAt: number,
): View {
  const row = rows.find(({ state }) => state === SigningKeyState.active);
  if (!row) throw new StartError('the database contains signing keys, but none of them is active');
  const active = before?.kid === row.kid ? before : activeKeyOf(row, sealer);
  const keySet = { keys: rows.map(({ publicJwk }) => publicJwk as JsonWebKey) };
  return { active, keySet, readAt };
}

function activeKeyOf(row: SigningKeyRow, sealer: Sealer): ActiveKey {
  const privateKey = readPrivateKey(openKey(row, sealer));
  const activatedAt = row.activatedAt ?? row.createdAt;
  return { kid: row.kid, algorithm: algorithmNamed(row.algorithm), privateKey, activatedAt };
}

function algorithmNamed(name: string): KeyAlgorithm {
  const algorithm = KEY_ALGORITHMS.find((known) => known === name);
  if (!algorithm) throw new StartError('the database contains a signing key with an unknown algorithm');
  return algorithm;
}
