import { type Environment, resolveVariable } from '../../metadata/index.ts';
import { MIN_SECRET_LENGTH } from './portico-signature.ts';
import { standardSecretProblem } from './standard-webhooks.ts';

/** Returns the secrets in the given environment variables, or the problem with one. Undefined and null entries are skipped. */
export function resolveSecrets(
  variables: readonly (string | null | undefined)[],
  environment: Environment,
): { secrets: readonly string[] } | { problem: string } {
  const secrets: string[] = [];
  for (const variable of variables) {
    if (variable == null) continue;
    const resolved = resolveVariable(variable, environment);
    if ('problem' in resolved) return resolved;
    if (resolved.text.length < MIN_SECRET_LENGTH)
      return { problem: `the secret in ${variable} must have at least ${MIN_SECRET_LENGTH} characters` };
    const problem = standardSecretProblem(resolved.text);
    if (problem) return { problem: `the secret in ${variable}: ${problem}` };
    secrets.push(resolved.text);
  }
  return { secrets };
}
