import { createHmac, hkdfSync } from 'node:crypto';
import { type Network, networkOf, networksOf } from '../../platform/index.ts';
import {
  type BackoffPolicy,
  type BackoffSchedule,
  backoffScheduleOf,
  COUNTER_KINDS,
  type CounterKind,
} from './backoff-policy.ts';
import type { Counter } from './store.ts';

/** The claimed identity of an attempt. The account or client may not exist. */
export type AttemptSubject =
  | { readonly kind: 'account'; readonly tenantId: number; readonly username: string }
  | { readonly kind: 'client'; readonly clientId: string };

/** An attempt to authenticate with a secret, from an IP address. */
export interface Attempt {
  readonly subject: AttemptSubject;
  readonly address: string;
}

/** The counters of an attempt. */
export interface CounterSet {
  /** The counter of the account, client or device alone. */
  readonly own: Counter;
  /** The counters that can delay the attempt, including `own`. */
  readonly limiting: readonly Counter[];
  /**
   * The counters that record the failure without delaying the attempt. All counters of a group count it, or none if one
   * requires a delay.
   */
  readonly countedOnly: readonly (readonly Counter[])[];
}

/** The counter sets of an attempt. Which one applies depends on whether the device is known. */
export interface CounterSets {
  /** The combined key of a subject and its network, for the list of known devices. */
  readonly deviceKey: string;
  /** For a device on which the subject was never seen. */
  readonly unknownDevice: CounterSet;
  /** For a known device. Counters that it shares with others never delay it, since they can be used up from elsewhere. */
  readonly knownDevice: CounterSet;
  /**
   * For an unknown device in networks without failures of their own, after strangers have used up the allowance of
   * `unknownDevice`. Its `own` counter is the second allowance of the account or client.
   */
  readonly cleanAddress: CounterSet;
  /** The largest network that contains the attempt's address. Attempts of one network wait one at a time. */
  readonly network: string;
}

const COUNTER_KEY_BYTES = 16;

/** The factor by which a network's allowance is larger than that of the network inside it. */
const NETWORK_GROWTH = 4;

/** The kinds of the second allowance, which only addresses without failures of their own may use. */
const CLEAN_KINDS = { account: 'clean_account', client: 'clean_client' } as const;

/**
 * Creates the counter sets of attempts. The keys are keyed digests, so that the holder of the store can neither read which
 * names were tried, nor test names against it.
 *
 * @param secret the same in all replicas.
 */
export function createCounterSetsOf(
  terms: Readonly<Record<CounterKind, BackoffPolicy>>,
  secret: Uint8Array,
): (attempt: Attempt) => CounterSets {
  const digestKey = Buffer.from(hkdfSync('sha256', secret, '', 'portico login attempts', 32));
  const schedules = Object.fromEntries(COUNTER_KINDS.map((kind) => [kind, backoffScheduleOf(terms[kind])])) as Record<
    CounterKind,
    BackoffSchedule
  >;
  const networkSchedules = {
    address: schedulesByLevel(terms.address),
    clean_address: schedulesByLevel(terms.clean_address),
  };

  function counterKey(kind: CounterKind, ...parts: readonly (string | number)[]): string {
    // JSON text differs for different lists of parts, and does not confuse a lone surrogate with another character.
    const digest = createHmac('sha256', digestKey)
      .update(JSON.stringify([kind, ...parts]))
      .digest();
    return digest.subarray(0, COUNTER_KEY_BYTES).toString('base64url');
  }
  const counter = (kind: CounterKind, ...parts: readonly (string | number)[]): Counter => ({
    key: counterKey(kind, ...parts),
    kind,
    schedule: schedules[kind],
  });
  function networkCounters(kind: keyof typeof networkSchedules, networks: readonly Network[]): readonly Counter[] {
    return networks.map(({ name, level }) => ({
      ...counter(kind, name),
      schedule: networkSchedules[kind][level] ?? schedules[kind],
    }));
  }

  return ({ subject, address }) => {
    const ownParts = subjectKeyParts(subject);
    const own = counter(subject.kind, ...ownParts);
    const ownOfClean = counter(CLEAN_KINDS[subject.kind], ...ownParts);
    const device = counter('device', ...ownParts, networkOf(address));
    const networks = networksOf(address);
    const addresses = networkCounters('address', networks);
    const clean = networkCounters('clean_address', networks);
    const tenants = subject.kind === 'account' ? [counter('tenant', subject.tenantId)] : [];
    const tenantsOfClean = subject.kind === 'account' ? [counter('clean_tenant', subject.tenantId)] : [];
    return {
      deviceKey: device.key,
      network: networks.at(-1)?.name ?? '',
      unknownDevice: { own, limiting: [own, ...addresses, ...tenants], countedOnly: [clean] },
      knownDevice: { own: device, limiting: [device], countedOnly: [addresses, tenants, clean] },
      cleanAddress: {
        own: ownOfClean,
        limiting: [ownOfClean, ...tenantsOfClean, ...clean],
        countedOnly: [addresses, tenants],
      },
    };
  };
}

/** Returns the schedules of the networks that contain an address, the smallest first. */
function schedulesByLevel(policy: BackoffPolicy): readonly BackoffSchedule[] {
  return [0, 1, 2].map((level) => backoffScheduleOf({ ...policy, free: policy.free * NETWORK_GROWTH ** level }));
}

function subjectKeyParts(subject: AttemptSubject): readonly (string | number)[] {
  return subject.kind === 'account' ? ['account', subject.tenantId, subject.username] : ['client', subject.clientId];
}
