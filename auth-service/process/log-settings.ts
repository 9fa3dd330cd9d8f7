import type { Logger } from '../../platform/index.ts';
import type { Config } from '../config.ts';

/** Logs settings that are probably not what the operator meant. */
export function logSettings({ misspelt, revocationSecrets }: Config, logger: Logger): void {
  for (const { variable, meant } of misspelt)
    logger.warn({ event: 'settings.misspelt' }, `${variable} is no setting: did you mean ${meant}?`);
  if (revocationSecrets.length === 0)
    logger.warn(
      { event: 'revocations.unprotected' },
      'AUTH_REVOCATION_SECRET is not set: /revocations requires no secret',
    );
}
