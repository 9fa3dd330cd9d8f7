import { BREAK, type DocumentNode, visit } from 'graphql';

/**
 * Patterns for names of fields whose values are or contain secrets: tokens, passwords, keys, sessions, and all fields
 * of the auth service. If a name matches by accident, its response is not compressed; there is no other effect.
 */
const SECRETS = [
  /^auth_|token|jwt|secret|passw|passphrase|pwd|credential|session|csrf|nonce|cookie|bearer/,
  /(?:api|private|access|client|encryption|signing)_?key|signature|signed_?ur[li]/,
  /otp|mfa|recovery|backup_?code|magic_?link|reset_?(?:link|ur[li])|(?:^|_)pin(?:_|$)|pin_?code/,
];

/** Whether a field's name in `snake_case` or `camelCase` matches a secret. */
function isSecretName(name: string): boolean {
  const snakeCase = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return SECRETS.some((pattern) => pattern.test(snakeCase));
}

/** Whether a document selects fields whose names suggest secrets. Aliases make no difference. */
export function mayHoldSecrets(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      if (!isSecretName(name.value)) return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
