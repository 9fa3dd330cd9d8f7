import type { AuthenticationSettings } from './open-authenticator.ts';

/**
 * The session variables that callers may have, in lower case. Undefined where the settings do not say: only a
 * `claims_map` lists them.
 */
export function knownSessionVariables({ jwtSecrets, hook }: AuthenticationSettings): ReadonlySet<string> | undefined {
  if (hook || jwtSecrets.length === 0) return undefined;
  const known = new Set(['x-hasura-role']);
  for (const { claims } of jwtSecrets) {
    if (claims.kind !== 'map') return undefined;
    for (const name of claims.rules.keys()) known.add(name);
  }
  return known;
}
