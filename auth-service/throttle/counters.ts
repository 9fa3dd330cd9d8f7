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

/** The claimed identity of an attempt. Whether there is such an account or client is not known here. */
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
  /** The counters that the attempt waits for, `own` among them. */
  readonly limiting: readonly Counter[];
  /** The counters that record its failure without delaying it. Of each group all count it, or none where one requires a wait. */
  readonly countedOnly: readonly (readonly Counter[])[];
}

/** The counter sets of an attempt, which depend on whether its device is known. */
export interface CounterSets {
  /** The key that a subject and its network have together, for the list of known devices. */
  readonly deviceKey: string;
  /** From a device that the subject was never seen on. */
  readonly unknownDevice: CounterSet;
  /** From a known one. It never waits for the counters that it shares with others: they can be used up from elsewhere. */
  readonly knownDevice: CounterSet;
  /**
   * From an unknown device in networks without failures of their own, after strangers have used up what `unknownDevice`
   * allows. Its `own` counter is the second allowance of the account or client.
   */
  readonly cleanAddress: CounterSet;
  /** The largest network that the attempt comes from. Attempts of one network wait one at a time. */
  readonly network: string;
}

const COUNTER_KEY_BYTES = 16;

/** By how much the allowance of a network is larger than that of the network inside of it. */
const NETWORK_GROWTH = 4;

/** The kind of the second allowance, which only addresses without failures of their own may use. */
const CLEAN_KINDS = { account: 'clean_account', client: 'clean_client' } as const;

/**
 * The counters that attempts count in. Their keys are keyed digests: the holder of the store can neither read from it which
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
    // As JSON, no two lists of parts are the same text, and a lone surrogate is not taken for another character.
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

/** The schedules of the networks that an address is in, the smallest first. */
function schedulesByLevel(policy: BackoffPolicy): readonly BackoffSchedule[] {
  return [0, 1, 2].map((level) => backoffScheduleOf({ ...policy, free: policy.free * NETWORK_GROWTH ** level }));
}

function subjectKeyParts(subject: AttemptSubject): readonly (string | number)[] {
  return subject.kind === 'account' ? ['account', subject.tenantId, subject.username] : ['client', subject.clientId];
}
