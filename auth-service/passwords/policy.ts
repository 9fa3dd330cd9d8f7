import { type CommonPasswords, commonPasswords } from './common-passwords.ts';
import { isUsable, MAX_PASSWORD_BYTES } from './passwords.ts';

/** So much of a password has to be something else than the names of its user, tenant and service, in characters. */
const MIN_BESIDE_NAMES = 8;

/** Shorter parts of names are in many good passwords. In characters. */
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
  /** For the user, after "the password cannot be used: "; names what would do, and never what it was. */
  message: string;
}

/** Whose password it is to be. */
export interface PasswordOwner {
  username: string;
  tenantName: string;
}

export interface PasswordPolicy {
  /** Why a new password is rejected, or undefined. Existing passwords are never checked. */
  problemWith(password: string, owner: PasswordOwner): PasswordProblem | undefined;
}

export interface PasswordPolicyOptions {
  /** In characters (Unicode code points) of its form NFKC. */
  minLength: number;
  /** The service's name. */
  serviceNames: readonly string[];
}

/**
 * The requirements of a new password: long enough, not among the most common ones, and not made of names of its context
 * (service, user, tenant). No rule about its composition; every character counts, spaces and control characters too.
 * Source: NIST SP 800-63B-4, section 3.1.1.2; OWASP ASVS 5, 6.2.1 to 6.2.11.
 */
export function createPasswordPolicy({ minLength, serviceNames }: PasswordPolicyOptions): PasswordPolicy {
  // Made when it is first needed: a login never needs it.
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
 * Whether too little is left when the names and their parts (`alice`, `example` and `com` of `alice@example.com`) are
 * taken out, the longest first. A password that holds none of them is not.
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
