import type { Attempt, CounterSets } from './counters.ts';
import type { KnownDevices } from './known-devices.ts';
import type { AttemptStore } from './store.ts';

/** An account, identified by its login name. */
export interface ThrottledAccount {
  readonly tenantId: number;
  readonly username: string;
}

/** The failed logins that administrators see and can clear. */
export interface ThrottledAccounts {
  /**
   * Returns until when each account is delayed, on devices that have not logged in to it and at addresses that have failed.
   * Undefined for an account without a delay.
   */
  waitsOf(accounts: readonly ThrottledAccount[], at: Date): Promise<readonly (Date | undefined)[]>;
  /** Clears the failures of an account and of its devices at these addresses. The devices stay known. */
  release(account: ThrottledAccount, addresses: readonly string[]): Promise<void>;
  /** Like `release`, and also forgets the devices. */
  forget(account: ThrottledAccount, addresses: readonly string[]): Promise<void>;
}

/** An address of no device. The account's counter does not depend on it. */
const NO_ADDRESS = '0.0.0.0';

export function createThrottledAccounts(
  store: AttemptStore,
  devices: KnownDevices,
  counterSetsOf: (attempt: Attempt) => CounterSets,
): ThrottledAccounts {
  const setsOf = ({ tenantId, username }: ThrottledAccount, address: string) =>
    counterSetsOf({ subject: { kind: 'account', tenantId, username }, address });
  const accountCounter = (account: ThrottledAccount) => setsOf(account, NO_ADDRESS).unknownDevice.own;

  async function release(account: ThrottledAccount, addresses: readonly string[]): Promise<void> {
    const ofDevices = addresses.map((address) => setsOf(account, address).knownDevice.own.key);
    const { unknownDevice, cleanAddress } = setsOf(account, NO_ADDRESS);
    await store.forget([...new Set([unknownDevice.own.key, cleanAddress.own.key, ...ofDevices])]);
  }

  return {
    async waitsOf(accounts, at) {
      const counters = accounts.map(accountCounter);
      const waits = await store.waits(counters, at.getTime());
      const untilOf = new Map(waits.map(({ key, until }) => [key, until]));
      return counters.map(({ key }) => {
        const until = untilOf.get(key);
        return until === undefined ? undefined : new Date(until);
      });
    },
    release,
    async forget(account, addresses) {
      await release(account, addresses);
      const keys = addresses.map((address) => setsOf(account, address).deviceKey);
      await devices.forgetDevices([...new Set(keys)]);
    },
  };
}
