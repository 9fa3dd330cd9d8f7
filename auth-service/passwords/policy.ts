import { type CommonPasswords, commonPasswords } from './common-passwords.ts';
import { isUsable, MAX_PASSWORD_BYTES } from './passwords.ts';

/** How many characters a password must have in addition to the names of its user, tenant and service. */
const MIN_BESIDE_NAMES = 8;

/** Shorter parts of names also occur in many good passwords. In characters. */
const MIN_NAME_LENGTH = 3;

/** Why a password is refused. */
export type PasswordProblemCode =
  | 'password-too-short'
  | 'password-too-long'
  | 'password-not-unicode'
  | 'password-too-common'
  | 'password-from-names';

export interface PasswordProblem {
  code: PasswordProblemCode;
  /** For the user, after "the password cannot be used: ". It names what is required, and never the password. */
  message: string;
}

/** The user of the password. */
export interface PasswordOwner {
  username: string;
  tenantName: string;
}

export interface PasswordPolicy {
  /** Returns why a new password is refused, or undefined. Existing passwords are never checked. */
  problemWith(password: string, owner: PasswordOwner): PasswordProblem | undefined;
}

export interface PasswordPolicyOptions {
  /** In characters (Unicode code points) of the NFKC form. */
  minLength: number;
  /** The service's name. */
  serviceNames: readonly string[];
}

/**
 * The policy of new passwords: long enough, not among the most common ones, and not made of names of their context (service,
 * user, tenant). There are no rules about their composition. Every character counts, including spaces and control characters.
 * Source: NIST SP 800-63B-4, section 3.1.1.2; OWASP ASVS 5, 6.2.1 to 6.2.11.
 */
export function createPasswordPolicy({ minLength, serviceNames }: PasswordPolicyOptions): PasswordPolicy {
  // Created on demand, since a login never needs it.
  let common: CommonPasswords | undefined;

  return {
    problemWith(password, { username, tenantName }) {
      if (Buffer.byteLength(password, 'utf8') > MAX_PASSWORD_BYTES)
        return { code: 'password-too-long', message: `it can have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8` };
      if (!isUsable(password)) return { code: 'password-not-unicode', message: 'it contains an invalid character' };
      const normalized = password.normalize('NFKC');
      if (characterCount(normalized) < minLength)
        return { code: 'password-too-short', message: `it must have at least ${minLength} characters` };
      common ??= commonPasswords();
      if (common.has(normalized))
        return { code: 'password-too-common', message: 'it is one of the most common passwords' };
      if (isMadeOfNames(normalized.toLowerCase(), [username, tenantName, ...serviceNames]))
        return {
          code: 'password-from-names',
          message: `it must have at least ${MIN_BESIDE_NAMES} characters in addition to the names of the user, the tenant and the service`,
        };
      return undefined;
    },
  };
}

function characterCount(text: string): number {
  return [...text].length;
}

/**
 * Returns whether too little is left after removing names and their parts (`alice`, `example` and `com` of
 * `alice@example.com`), the longest first. Returns false for a password without any of them.
 */
function isMadeOfNames(password: string, names: readonly string[]): boolean {
  const parts = names.flatMap((name) => {
    const folded = name.normalize('NFKC').toLowerCase();
    return [folded, ...folded.split(/[^\p{L}\p{M}\p{N}]+/u)];
  });
  const longestFirst = parts
    .filter((part) => characterCount(part) >= MIN_NAME_LENGTH)
    .sort((one, other) => other.length - one.length);
  const rest = longestFirst.reduce((text, part) => text.replaceAll(part, ''), password);
  return rest !== password && characterCount(rest) < MIN_BESIDE_NAMES;
}
