import { hkdfSync } from 'node:crypto';
import { createSealer, type Sealer } from '../../../platform/index.ts';
import type { AssertionSettings } from './settings.ts';

const SEALING_KEY_BYTES = 32;

/**
 * Encrypts data that gateways store outside their processes, with a key that all gateways share. The key is derived for this
 * purpose from the secret of the signing key (RFC 5869 section 3.2), and is rotated together with it. Data that was sealed
 * under the standby secret can be opened too. That secret is the next one before the exchange, and the previous one after it.
 *
 * @returns undefined without that secret.
 */
export function openSealer(
  settings: Pick<AssertionSettings, 'PORTICO_ASSERTION_KEY' | 'PORTICO_ASSERTION_STANDBY_KEY'>,
  purpose: string,
): Sealer | undefined {
  const { PORTICO_ASSERTION_KEY: secret, PORTICO_ASSERTION_STANDBY_KEY: standbySecret } = settings;
  if (secret === undefined) return undefined;
  const keyOf = (bytes: Uint8Array) => new Uint8Array(hkdfSync('sha256', bytes, '', purpose, SEALING_KEY_BYTES));
  return createSealer(keyOf(secret), standbySecret && keyOf(standbySecret));
}
