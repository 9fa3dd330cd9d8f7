import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { timeFrom } from './time-from.ts';

/** The public keys of the gateway, as it publishes them (RFC 7517): ES256 only. */
const keySet = z.object({ keys: z.array(z.unknown()) });
const gatewayKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  kid: z.string(),
  x: z.string(),
  y: z.string(),
});

/** A key that the gateway publishes no longer is accepted no longer than this. */
const MAX_AGE_MS = 5 * 60_000;
/** The shortest time between two fetches of the set, so that invented key ids cannot cause more. */
const MIN_INTERVAL_MS = 5_000;
const KEYS_TIMEOUT_MS = 5_000;

export interface GatewayKeysOptions {
  readonly url: string;
  now(): Date;
  onFetchFailed(error: unknown): void;
}

/** A public key of the gateway by its id; undefined where it has none, or cannot be asked. */
export type FindGatewayKey = (kid: string) => Promise<KeyObject | undefined>;

/** The keys are fetched when the first one is needed: the gateway starts after this service. */
export function createGatewayKeys({ url, now, onFetchFailed }: GatewayKeysOptions): FindGatewayKey {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    triedAt = now().getTime();
    try {
      keys = await fetchKeys(url);
      fetchedAt = triedAt;
    } catch (error) {
      onFetchFailed(error);
    }
  }

  /** Undefined also for a key that was fetched too long ago. */
  const usable = (kid: string) => (timeFrom(fetchedAt, now()) > MAX_AGE_MS ? undefined : keys.get(kid));

  return async (kid) => {
    const known = usable(kid);
    // It does not wait for a fetch that an invented id has caused.
    if (known) return known;
    if (timeFrom(triedAt, now()) >= MIN_INTERVAL_MS)
      fetching ??= refresh().finally(() => {
        fetching = undefined;
      });
    await fetching;
    return usable(kid);
  };
}

async function fetchKeys(url: string): Promise<ReadonlyMap<string, KeyObject>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { keys } = keySet.parse(await response.json());
  const usable = keys.flatMap((key) => gatewayKey.safeParse(key).data ?? []);
  return new Map(
    usable.map(({ kid, kty, crv, x, y }) => [kid, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })]),
  );
}
