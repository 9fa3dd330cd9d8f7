import { type Logger, networksOf } from '../../../platform/index.ts';
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
/** The most networks that are counted; of those beyond, the ones whose last wrong secret is longest ago are dropped. */
const MAX_NETWORKS = 20_000;

/**
 * Counts wrong secrets by the client's network: the address, or of IPv6 the /64, /56 and /48. Only a network's own failures
 * make it wait, so nobody keeps the holder of a secret out from elsewhere. Each process counts for itself.
 */
export interface WrongSecrets {
  /** @throws GatewayError 429 with `Retry-After` during a wait, in which right secrets are refused as well. */
  refuseIfWaiting(kind: SecretKind, address: string): void;
  /** Counts a wrong secret, and logs it. */
  count(kind: SecretKind, address: string): void;
  /** Wrong secrets, and requests that were refused during a wait. */
  readonly counts: Readonly<Record<SecretKind, { readonly refused: number; readonly throttled: number }>>;
}

interface NetworkFailures {
  failures: number;
  lastAt: number;
  waitsUntil: number;
}

/** @param now milliseconds on a clock that never goes back. */
export function createWrongSecrets(log: Logger, now: () => number = () => performance.now()): WrongSecrets {
  const networks = new Map<string, NetworkFailures>();
  const counts = { admin: { refused: 0, throttled: 0 }, producer: { refused: 0, throttled: 0 } };

  function waitMs(address: string): number {
    // Most processes never see a wrong secret.
    if (networks.size === 0) return 0;
    const ends = networksOf(address).map(({ name }) => networks.get(name)?.waitsUntil ?? 0);
    return Math.max(0, ...ends) - now();
  }

  function countIn(name: string, free: number): void {
    const at = now();
    const before = networks.get(name);
    const isForgotten = before === undefined || at - before.lastAt >= FORGET_MS;
    const failures = isForgotten ? 1 : before.failures + 1;
    const wait = failures < free ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - free));
    // The map is in the order of the last failures.
    networks.delete(name);
    networks.set(name, { failures, lastAt: at, waitsUntil: at + wait });
  }

  function dropOldest(): void {
    for (const name of networks.keys()) {
      if (networks.size <= MAX_NETWORKS) return;
      networks.delete(name);
    }
  }

  return {
    counts,
    refuseIfWaiting(kind, address) {
      const wait = waitMs(address);
      if (wait <= 0) return;
      counts[kind].throttled += 1;
      throw tooManyWrongSecrets(Math.ceil(wait / 1000));
    },
    count(kind, address) {
      counts[kind].refused += 1;
      for (const { name, level } of networksOf(address)) countIn(name, FREE * NETWORK_GROWTH ** level);
      dropOldest();
      const retryAfterSeconds = Math.max(0, Math.ceil(waitMs(address) / 1000));
      log.warn(
        { event: 'secret.wrong', kind, ip: address, retry_after_seconds: retryAfterSeconds },
        `wrong ${kind} secret`,
      );
    },
  };
}
