import { createHmac, hkdfSync } from 'node:crypto';
import { networkOf } from '../../platform/index.ts';
import { type BackoffPolicy, type BackoffSchedule, backoffScheduleOf, type CounterKind } from './backoff-policy.ts';
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
  /** The counters that record its failure without delaying it. */
  readonly countedOnly: readonly Counter[];
}

/** The counter sets of an attempt, which depend on whether its device is known. */
export interface CounterSets {
  /** The key that a subject and its network have together, for the list of known devices. */
  readonly deviceKey: string;
  /** From a device that the subject was never seen on. */
  readonly unknownDevice: CounterSet;
  /** From a known one. It never waits for the counters that it shares with others: they can be used up from elsewhere. */
  readonly knownDevice: CounterSet;
}

const COUNTER_KEY_BYTES = 16;

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
  const schedules: Readonly<Record<CounterKind, BackoffSchedule>> = {
    account: backoffScheduleOf(terms.account),
    device: backoffScheduleOf(terms.device),
    address: backoffScheduleOf(terms.address),
    tenant: backoffScheduleOf(terms.tenant),
    client: backoffScheduleOf(terms.client),
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
  function sharedBy({ subject, address }: Attempt): readonly Counter[] {
    const ofAddress = counter('address', networkOf(address));
    return subject.kind === 'account' ? [ofAddress, counter('tenant', subject.tenantId)] : [ofAddress];
  }

  return (attempt) => {
    const deviceParts = [...subjectKeyParts(attempt.subject), networkOf(attempt.address)];
    const shared = sharedBy(attempt);
    const own = counter(attempt.subject.kind, ...subjectKeyParts(attempt.subject));
    const device = counter('device', ...deviceParts);
    return {
      deviceKey: device.key,
      unknownDevice: { own, limiting: [own, ...shared], countedOnly: [] },
      knownDevice: { own: device, limiting: [device], countedOnly: shared },
    };
  };
}

function subjectKeyParts(subject: AttemptSubject): readonly (string | number)[] {
  return subject.kind === 'account' ? ['account', subject.tenantId, subject.username] : ['client', subject.clientId];
}
