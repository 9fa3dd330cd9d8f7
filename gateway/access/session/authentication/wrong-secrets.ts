import { type Logger, networksOf } from '../../../../platform/index.ts';
import { tooManyWrongSecrets } from '../errors.ts';

/** The owner of the secret. */
export type SecretKind = 'admin' | 'producer';

/**
 * How many wrong secrets of a network are answered without a delay. Each larger network has four times as many as the one
 * inside it.
 */
const FREE = 10;
const NETWORK_GROWTH = 4;
/** After the free attempts, each wrong secret starts a waiting period, twice as long as the last one. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** A network without wrong secrets for this long starts anew. */
const FORGET_MS = 3_600_000;
/** The most networks that are counted for each kind. Beyond the limit, those whose last wrong secret is oldest are dropped. */
const MAX_NETWORKS = 20_000;

/** A secret that a client sends. */
export interface ShownSecret {
  readonly kind: SecretKind;
  /** The IP address of the client. */
  readonly address: string;
  /** Whether the correct secret is short enough to be guessed. */
  readonly isGuessable: boolean;
}

/**
 * Counts wrong secrets of each kind by the client's network: the IPv4 address, or the IPv6 prefixes /64, /56 and /48. Only a
 * network's own failures make it wait. Clients behind a proxy can share one address with strangers, so a correct secret is
 * accepted during the waiting period, unless it could be guessed. Each process counts for itself.
 */
export interface WrongSecrets {
  /**
   * Verifies the secret that a client sends. A wrong one is counted and logged.
   *
   * @param open verifies the secret, and returns undefined for a wrong one.
   * @throws GatewayError 429 with `Retry-After` during a waiting period: for wrong secrets, and for all secrets if the correct
   * one could be guessed.
   */
  judge<Opened>(shown: ShownSecret, open: () => Opened | undefined): Opened | undefined;
  /** Wrong secrets, and requests that were rejected during a waiting period. */
  readonly counts: Readonly<Record<SecretKind, { readonly refused: number; readonly throttled: number }>>;
}

interface NetworkFailures {
  failures: number;
  lastAt: number;
  waitsUntil: number;
}

/** By network name, in the order of the last failures. */
type FailuresByNetwork = Map<string, NetworkFailures>;

/** @param now returns milliseconds from a monotonic clock. */
export function createWrongSecrets(log: Logger, now: () => number = () => performance.now()): WrongSecrets {
  const failuresOf: Record<SecretKind, FailuresByNetwork> = { admin: new Map(), producer: new Map() };
  const counts = { admin: { refused: 0, throttled: 0 }, producer: { refused: 0, throttled: 0 } };

  function waitMs(networks: FailuresByNetwork, address: string): number {
    // Most processes never receive a wrong secret.
    if (networks.size === 0) return 0;
    const ends = networksOf(address).map(({ name }) => networks.get(name)?.waitsUntil ?? 0);
    return Math.max(0, ...ends) - now();
  }

  function countIn(networks: FailuresByNetwork, name: string, free: number): void {
    const at = now();
    const before = networks.get(name);
    const isForgotten = before === undefined || at - before.lastAt >= FORGET_MS;
    const failures = isForgotten ? 1 : before.failures + 1;
    const wait = failures < free ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - free));
    networks.delete(name);
    networks.set(name, { failures, lastAt: at, waitsUntil: at + wait });
  }

  function dropOldest(networks: FailuresByNetwork): void {
    for (const name of networks.keys()) {
      if (networks.size <= MAX_NETWORKS) return;
      networks.delete(name);
    }
  }

  function refuseIfWaiting({ kind, address }: ShownSecret): void {
    const wait = waitMs(failuresOf[kind], address);
    if (wait <= 0) return;
    counts[kind].throttled += 1;
    throw tooManyWrongSecrets(Math.ceil(wait / 1000));
  }

  function count({ kind, address }: ShownSecret): void {
    const networks = failuresOf[kind];
    counts[kind].refused += 1;
    for (const { name, level } of networksOf(address)) countIn(networks, name, FREE * NETWORK_GROWTH ** level);
    dropOldest(networks);
    const retryAfterSeconds = Math.max(0, Math.ceil(waitMs(networks, address) / 1000));
    log.warn(
      { event: 'secret.wrong', kind, ip: address, retry_after_seconds: retryAfterSeconds },
      `wrong ${kind} secret`,
    );
  }

  return {
    counts,
    judge(shown, open) {
      // Without the wait, a client could find a guessable secret by trying.
      if (shown.isGuessable) refuseIfWaiting(shown);
      const opened = open();
      if (opened !== undefined) return opened;
      refuseIfWaiting(shown);
      count(shown);
      return undefined;
    },
  };
}
