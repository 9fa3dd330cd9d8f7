import type { Logger } from '../../platform/index.ts';
import { fixedKey, type JwtSecret } from './jwt-secret.ts';
import { fixedKeySet, type KeySet } from './key-set.ts';
import { RemoteKeySet } from './remote-key-set.ts';

export { Authenticator } from './authenticator.ts';
export { type JwtSecret, parseJwtSecret } from './jwt-secret.ts';
export { roleNotAllowed } from './refusals.ts';
export { createSession, type Session } from './session.ts';

/** The keys that `secret` names, being kept fresh when they are behind a URL. */
export function openKeySet(
  secret: JwtSecret,
  log: Logger,
  fetchKeys: (url: string) => Promise<{ json: unknown; cacheControl: string | undefined }>,
): { keys: KeySet; stop: () => void } {
  if (secret.jwk_url) {
    const keys = new RemoteKeySet({ url: secret.jwk_url, log, fetchKeys });
    keys.start();
    return { keys, stop: () => keys.stop() };
  }
  const { type, key } = secret;
  const fixed = type && key ? fixedKey(type, key) : { problem: 'no key' };
  if ('problem' in fixed || !type) throw new TypeError('the JWT secret was not checked before use');
  return { keys: fixedKeySet({ key: fixed.key, algorithms: [type] }), stop: () => {} };
}
