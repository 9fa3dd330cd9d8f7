import { BREAK, type DocumentNode, visit } from 'graphql';

/**
 * Names of fields whose values are secrets, or come with some: tokens, passwords, keys, sessions, and all fields of the
 * auth service. A name that only looks like one costs an answer its compression, and nothing else.
 */
const SECRET = /^auth_|token|jwt|secret|passw|passphrase|credential|otp|api_?key|private_?key|session|csrf|nonce/i;

/** Whether a document asks for what may be secret, by the names of its fields; aliases make no difference. */
export function mayHoldSecrets(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      if (!SECRET.test(name.value)) return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
