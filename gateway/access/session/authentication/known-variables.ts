import type { AuthenticationSettings } from './open-authenticator.ts';

/** Returns the lower-case names of the session variables that callers may have. Undefined unless a `claims_map` lists them. */
export function knownSessionVariables({ jwtSecrets, hook }: AuthenticationSettings): ReadonlySet<string> | undefined {
  if (hook || jwtSecrets.length === 0) return undefined;
  const known = new Set(['x-hasura-role']);
  for (const { claims } of jwtSecrets) {
    if (claims.kind !== 'map') return undefined;
    for (const name of claims.rules.keys()) known.add(name);
  }
  return known;
}
