import { type Logger, networksOf } from '../../../../platform/index.ts';
import { tooManyWrongSecrets } from '../errors.ts';

/** What the secret belongs to. */
export type SecretKind = 'admin' | 'producer';

/** Wrong secrets from a network that are answered without a wait; a larger network has four times those of the one inside. */
const FREE = 10;
const NETWORK_GROWTH = 4;
/** After them each wrong secret begins a wait, twice as long as the one before. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** A network that has sent no wrong secret for so long begins anew. */
const FORGET_MS = 3_600_000;
/** The most networks that are counted for a kind; of those beyond, the ones whose last wrong secret is longest ago are dropped. */
const MAX_NETWORKS = 20_000;

/** A secret that a client shows. */
export interface ShownSecret {
  readonly kind: SecretKind;
  /** The IP address of the client. */
  readonly address: string;
  /** Whether the right secret is short enough to be found by trying. */
  readonly isGuessable: boolean;
}

/**
 * Counts wrong secrets of each kind by the client's network: the address, or of IPv6 the /64, /56 and /48. Only a network's own
 * failures make it wait. Clients behind a proxy can share one address with strangers, so a right secret passes during a wait,
 * unless it could be guessed. Each process counts for itself.
 */
export interface WrongSecrets {
  /**
   * Opens something with the secret that a client shows. A wrong one is counted and logged.
   *
   * @param open compares the secret, and returns undefined for a wrong one.
   * @throws GatewayError 429 with `Retry-After` during a wait: for wrong secrets, and for all where the right one is guessable.
   */
  judge<Opened>(shown: ShownSecret, open: () => Opened | undefined): Opened | undefined;
  /** Wrong secrets, and requests that were refused during a wait. */
  readonly counts: Readonly<Record<SecretKind, { readonly refused: number; readonly throttled: number }>>;
}

interface NetworkFailures {
  failures: number;
  lastAt: number;
  waitsUntil: number;
}

/** By the name of the network, in the order of the last failures. */
type FailuresByNetwork = Map<string, NetworkFailures>;

/** @param now milliseconds on a clock that never goes back. */
export function createWrongSecrets(log: Logger, now: () => number = () => performance.now()): WrongSecrets {
  const failuresOf: Record<SecretKind, FailuresByNetwork> = { admin: new Map(), producer: new Map() };
  const counts = { admin: { refused: 0, throttled: 0 }, producer: { refused: 0, throttled: 0 } };

  function waitMs(networks: FailuresByNetwork, address: string): number {
    // Most processes never see a wrong secret.
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
      // Who may try without a wait would find a guessable secret.
      if (shown.isGuessable) refuseIfWaiting(shown);
      const opened = open();
      if (opened !== undefined) return opened;
      refuseIfWaiting(shown);
      count(shown);
      return undefined;
    },
  };
}
