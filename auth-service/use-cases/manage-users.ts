import { randomInt, randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../database/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { endSessions } from './end-sessions.ts';
import type { UserKey } from './switch-user.ts';

export interface NewUser {
  tenantId: number;
  /** As `normalizeUsername` gives it. */
  username: string;
  /** What `passwords` or `importedHash` made. */
  passwordHash: string;
  allowedRoles: readonly string[];
  /** One of `allowedRoles`. */
  defaultRole: string;
  disabled?: boolean;
}

/** Adds the users whose names are not taken yet. @returns how many those were. */
export async function addUsers(
  database: Database | Transaction,
  users: readonly NewUser[],
  now: Date,
): Promise<number> {
  const { count } = await database.user.createMany({
    data: users.map(({ disabled = false, allowedRoles, ...user }) => ({
      ...user,
      id: randomUUID(),
      allowedRoles: [...allowedRoles],
      createdAt: now,
      disabledAt: disabled ? now : null,
    })),
    skipDuplicates: true,
  });
  return count;
}

/** No letters and digits that look like others. 31 signs, so a password of 25 has 123 random bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 5;

/** A random password that can be read to somebody. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/**
 * Gives a user another password, which the operator does not choose, and ends all of the user's sessions
 * (OWASP ASVS 5, 6.4.6).
 *
 * @returns the password; undefined when there is no such user.
 */
export async function resetPassword(
  database: Database,
  passwords: Passwords,
  { tenantId, userId }: UserKey,
  now: () => Date,
): Promise<string | undefined> {
  const password = generatePassword();
  const passwordHash = await passwords.hash(password);
  const found = await database.$transaction(async (transaction) => {
    const { count } = await transaction.user.updateMany({ where: { tenantId, id: userId }, data: { passwordHash } });
    if (count > 0) await endSessions(transaction, { tenantId, userId }, now());
    return count > 0;
  });
  return found ? password : undefined;
}
