import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { timeFrom } from './time-from.ts';

/** The gateway's public keys as it publishes them (RFC 7517). Only ES256. */
const keySet = z.object({ keys: z.array(z.unknown()) });
const gatewayKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  kid: z.string(),
  x: z.string(),
  y: z.string(),
});

/** The longest time that a key is accepted after the gateway stops publishing it. */
const MAX_AGE_MS = 5 * 60_000;
/** The shortest time between two fetches of the set, so that invented key ids cannot cause more. */
const MIN_INTERVAL_MS = 5_000;
const KEYS_TIMEOUT_MS = 5_000;

export interface GatewayKeysOptions {
  readonly url: string;
  now(): Date;
  onFetchFailed(error: unknown): void;
}

/** Returns a public key of the gateway by id. Undefined if there is none, or if the gateway does not respond. */
export type FindGatewayKey = (kid: string) => Promise<KeyObject | undefined>;

/** Fetches the keys when the first one is needed, since the gateway starts after this service. */
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

  /** Also returns undefined if the keys were fetched too long ago. */
  const usable = (kid: string) => (timeFrom(fetchedAt, now()) > MAX_AGE_MS ? undefined : keys.get(kid));

  return async (kid) => {
    const known = usable(kid);
    // A known key does not wait for a fetch that an invented id has caused.
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
