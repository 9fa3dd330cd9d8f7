/** The reasons why an administrator is refused, with their messages. The code is also the reason in the audit log. */
const MESSAGES = {
  /** The caller administers nothing, or no longer does. */
  'not-administrator': 'The caller is not an administrator',
  /** The caller administers a tenant. */
  'operators-only': 'This action requires a platform operator',
  /** The tenant does not exist, or the caller may not see it. The same applies to the other `unknown-` codes. */
  'unknown-tenant': 'There is no such tenant',
  'unknown-user': 'There is no such user',
  'unknown-session': 'The user has no open session with this id',
  'unknown-client': 'There is no such service account',
  'unknown-key': 'There is no such signing key',
  'name-taken': 'A user with this name already exists in this tenant',
  'tenant-taken': 'A tenant with this id or name already exists',
  'client-revoked': 'The service account is already revoked',
  'key-active': 'The key is in use for signing. Rotate the keys, and retire this key when another one signs',
  'role-not-assignable': 'Administrators of this tenant may not assign one of the roles',
  'claim-not-assignable': 'Administrators of this tenant may not assign one of the claims',
  'scope-not-assignable': 'Administrators of this tenant may not assign one of the scopes',
  /** An administrator who resets a password can log in as the user, and would have the user's rights. */
  'user-not-manageable': 'The user has a role or claim that administrators of this tenant may not assign',
  'client-not-manageable': 'The service account has a role or scope that administrators of this tenant may not assign',
  'last-administrator': 'The tenant would be left without an administrator',
  'changed-too-often': 'Rights were removed several times within a few seconds; try again in a few seconds',
} as const;

export type AdministrationErrorCode = keyof typeof MESSAGES | 'missing-field' | 'invalid-field' | 'unusable-password';

/** An administrator was refused, and nothing was changed. The caller may see the message. */
export class AdministrationError extends Error {
  readonly code: AdministrationErrorCode;

  constructor(code: AdministrationErrorCode, message: string) {
    super(message);
    this.name = 'AdministrationError';
    this.code = code;
  }
}

export function refusal(code: keyof typeof MESSAGES): AdministrationError {
  return new AdministrationError(code, MESSAGES[code]);
}

/** For a caller who administers nothing. */
export function notAdministrator(): AdministrationError {
  return refusal('not-administrator');
}

export function missingField(field: string): AdministrationError {
  return new AdministrationError('missing-field', `${field} is required`);
}

/** @param expected describes valid values, and never repeats the sent one. */
export function invalidField(field: string, expected: string): AdministrationError {
  return new AdministrationError('invalid-field', `${field}: expected ${expected}`);
}

/** @param problem describes the problem without repeating a value. */
export function invalidClaims(problem: string): AdministrationError {
  return new AdministrationError('invalid-field', `claims: ${problem}`);
}

export function unusablePassword({ code, message }: { code: string; message: string }): AdministrationError {
  return new AdministrationError('unusable-password', `The password cannot be used: ${message} (${code})`);
}

const ABOUT_THE_INPUT: ReadonlySet<string> = new Set([
  'missing-field',
  'invalid-field',
  'unusable-password',
  'name-taken',
  'tenant-taken',
]);

/** Returns whether a right is missing. Other refusals concern invalid input. */
export function isAboutRights({ code }: AdministrationError): boolean {
  return !ABOUT_THE_INPUT.has(code);
}
