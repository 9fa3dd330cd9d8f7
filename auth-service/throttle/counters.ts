import { createHmac, hkdfSync } from 'node:crypto';
import { networkOf } from '../../platform/index.ts';
import type { Counter } from './store.ts';
import { type Kind, type Schedule, scheduleOf, type Terms } from './terms.ts';

/** Who somebody says they are. Nothing here knows whether there is such an account or client. */
export type Subject =
  | { readonly kind: 'account'; readonly tenantId: number; readonly username: string }
  | { readonly kind: 'client'; readonly clientId: string };

/** Somebody at an IP address who shows a secret. */
export interface Attempt {
  readonly subject: Subject;
  readonly address: string;
}

/** The counters of an attempt. */
export interface Way {
  /** That of the account, client or device alone. */
  readonly own: Counter;
  /** What the attempt has to wait for, `own` among them. */
  readonly binding: readonly Counter[];
  /** What counts its failure and never holds it up. */
  readonly besides: readonly Counter[];
}

/** The ways of an attempt. Which one it goes depends on whether its device is known. */
export interface Ways {
  /** The key that a subject and its network have together, for the list of known devices. */
  readonly deviceKey: string;
  /** From a device that the subject was never seen on. */
  readonly stranger: Way;
  /** From a known one. It never waits for the counters that it shares with others: they can be used up from elsewhere. */
  readonly known: Way;
}

const DIGEST_BYTES = 16;

/**
 * The counters that attempts count in. Their keys are keyed digests: whoever has the store can neither read from it whom
 * somebody tried to log in as, nor try names out.
 *
 * @param secret the same in all replicas.
 */
export function createWaysOf(terms: Readonly<Record<Kind, Terms>>, secret: Uint8Array): (attempt: Attempt) => Ways {
  const digestKey = Buffer.from(hkdfSync('sha256', secret, '', 'portico login attempts', 32));
  const schedules: Readonly<Record<Kind, Schedule>> = {
    account: scheduleOf(terms.account),
    device: scheduleOf(terms.device),
    address: scheduleOf(terms.address),
    tenant: scheduleOf(terms.tenant),
    client: scheduleOf(terms.client),
  };

  function key(kind: Kind, ...parts: readonly (string | number)[]): string {
    // As JSON, no two lists of parts are the same text, and a lone surrogate is not taken for another character.
    const digest = createHmac('sha256', digestKey)
      .update(JSON.stringify([kind, ...parts]))
      .digest();
    return digest.subarray(0, DIGEST_BYTES).toString('base64url');
  }
  const counter = (kind: Kind, ...parts: readonly (string | number)[]): Counter => ({
    key: key(kind, ...parts),
    kind,
    schedule: schedules[kind],
  });
  function sharedBy({ subject, address }: Attempt): readonly Counter[] {
    const ofAddress = counter('address', networkOf(address));
    return subject.kind === 'account' ? [ofAddress, counter('tenant', subject.tenantId)] : [ofAddress];
  }

  return (attempt) => {
    const deviceParts = [...nameOf(attempt.subject), networkOf(attempt.address)];
    const shared = sharedBy(attempt);
    const own = counter(attempt.subject.kind, ...nameOf(attempt.subject));
    const device = counter('device', ...deviceParts);
    return {
      deviceKey: device.key,
      stranger: { own, binding: [own, ...shared], besides: [] },
      known: { own: device, binding: [device], besides: shared },
    };
  };
}

function nameOf(subject: Subject): readonly (string | number)[] {
  return subject.kind === 'account' ? ['account', subject.tenantId, subject.username] : ['client', subject.clientId];
}
