import { addDays, DAY_MS } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';

/** A device on which an account logged in. */
export interface KnownDevice {
  readonly expiresAt: Date;
}

export interface KnownDevices {
  /**
   * Stores a login on the device.
   *
   * @param key the digest of the subject and its network.
   * @param found the device, if it was known before the login.
   */
  rememberDevice(key: string, at: Date, found: KnownDevice | undefined): Promise<void>;
  forgetDevices(keys: readonly string[]): Promise<void>;
}

/** Stores where accounts were logged in to, for `days` after the last login. */
export function createKnownDevices(database: Database, days: number): KnownDevices {
  return {
    async rememberDevice(key, at, found) {
      const expiresAt = newExpiry(at, days, found);
      if (expiresAt)
        await database.single.withoutTenant({ text: REMEMBER, values: [key, expiresAt] }, 'remember-device');
    },
    async forgetDevices(keys) {
      await database.single.withoutTenant({ text: FORGET_DEVICES, values: [JSON.stringify(keys)] }, 'forget-attempts');
    },
  };
}

/** Returns until when a device is known after a login. Undefined if the stored time need not be updated. */
export function newExpiry(at: Date, days: number, found: KnownDevice | undefined): Date | undefined {
  const expiresAt = addDays(at, days);
  // Updating once a day is enough, since the exact end does not matter.
  return found && expiresAt.getTime() - found.expiresAt.getTime() < DAY_MS ? undefined : expiresAt;
}

const REMEMBER = `
INSERT INTO known_devices (key, expires_at) VALUES ($1, $2::timestamptz)
ON CONFLICT (key) DO UPDATE SET expires_at = EXCLUDED.expires_at`;

const FORGET_DEVICES = 'DELETE FROM known_devices WHERE key = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb)))';
