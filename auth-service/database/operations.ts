import { Durations } from '../../platform/index.ts';
import { isDatabaseUnavailable } from './is-unavailable.ts';

/** The operations on the database with their meanings. Metrics and traces use only these names. */
export const DATABASE_OPERATIONS = {
  'find-account': 'the account of a login',
  'open-session': 'a new session with its first refresh token',
  'replace-password-hash': 'a hash of another cost or pepper, at a login',
  'find-refresh-token': 'the session of a refresh token',
  'rotate-refresh-token': 'a refresh',
  'resolve-reuse': 'a refresh token that was sent before: its successor again, or the end of its session',
  'confirm-rotations': 'which replies with new refresh tokens were delivered',
  'identify-caller': 'the session and user of an access token',
  'list-sessions': 'the sessions of a user',
  'end-sessions': 'a logout, or the end of one session',
  'change-password': 'a new password',
  'list-revocations': 'revocations for gateways',
  'authenticate-client': 'a service account',
  'issue-client-token': 'an access token of a service account',
  'introspect-token': 'whether a token is active',
  'revoke-client-token': 'the revocation of an access token of a service account',
  'count-attempt': 'failed logins, before a secret is checked',
  'peek-attempts': 'the same without counting',
  'refund-attempt': 'an attempt that was none',
  'forget-attempts': 'failed logins and known devices that an administrator has forgotten',
  'remember-device': 'that a device has logged in to an account',
  'write-audit-entry': 'an entry of the audit log that has no transaction of another operation',
  'read-audit-log': 'a page of the audit log',
  'read-administration': 'a list or an object for administrators',
  'change-administration': 'a change by an administrator',
  'advance-signing-keys': 'signing keys: reading them, and rotating those that are due',
  'read-refresh-token-keys': 'the keys of refresh tokens',
  'read-clock': 'the time of the database, which the service follows',
  'check-peppers': 'whether the peppers are the ones that the database knows',
  housekeeping: 'a batch of expired rows',
  ping: 'whether the database answers, for `/readyz` and `/healthz`',
  other: 'anything else',
} as const;

export type DatabaseOperation = keyof typeof DATABASE_OPERATIONS;

/** Why an operation failed: the database was unavailable or rejected it. */
export type OperationFailure = 'unavailable' | 'failed';

/**
 * Bounds of the semantic conventions for `db.client.operation.duration`, in milliseconds, with two additional ones below 10.
 */
export const DATABASE_BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000] as const;

interface MeasuredOperation {
  readonly operation: DatabaseOperation;
  readonly failure: OperationFailure | undefined;
  readonly durations: Durations;
}

/** The durations of operations, including the wait for a connection. */
export class OperationDurations {
  readonly #measured = new Map<string, MeasuredOperation>();

  /** Measures `work`. */
  async during<Result>(operation: DatabaseOperation, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      const result = await work();
      this.#add(operation, undefined, startedAt);
      return result;
    } catch (error) {
      this.#add(operation, isDatabaseUnavailable(error) ? 'unavailable' : 'failed', startedAt);
      throw error;
    }
  }

  values(): Iterable<MeasuredOperation> {
    return this.#measured.values();
  }

  #add(operation: DatabaseOperation, failure: OperationFailure | undefined, startedAt: number): void {
    const key = failure === undefined ? operation : `${operation} ${failure}`;
    let measured = this.#measured.get(key);
    if (!measured) {
      measured = { operation, failure, durations: new Durations(DATABASE_BOUNDS_MS) };
      this.#measured.set(key, measured);
    }
    measured.durations.add(performance.now() - startedAt);
  }
}
