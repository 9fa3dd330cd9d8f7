import { randomInt, randomUUID } from 'node:crypto';
import { type Author, recordAudit } from '../audit/index.ts';
import type { Transaction } from '../database/index.ts';
import type { ExtraClaims } from '../tokens/index.ts';

export interface NewUser {
  tenantId: number;
  /** In the form that `normalizeUsername` returns. */
  username: string;
  /** A hash from `passwords` or `importedHash`. */
  passwordHash: string;
  allowedRoles: readonly string[];
  /** One of `allowedRoles`. */
  defaultRole: string;
  disabled?: boolean;
  /** The user's own extra claims. */
  claims?: ExtraClaims;
}

/** Adds a user and an audit entry. @returns the user's id, or undefined if the name is taken. */
export async function addUser(
  transaction: Transaction,
  user: NewUser,
  now: Date,
  author: Author,
): Promise<string | undefined> {
  const { disabled = false, allowedRoles, claims = {}, ...row } = user;
  const [added] = await transaction.user.createManyAndReturn({
    data: [
      {
        ...row,
        id: randomUUID(),
        allowedRoles: [...allowedRoles],
        claims,
        createdAt: now,
        disabledAt: disabled ? now : null,
      },
    ],
    skipDuplicates: true,
    select: { id: true },
  });
  const id = added?.id;
  if (id === undefined) return undefined;
  const { tenantId, defaultRole: default_role } = row;
  await recordAudit(transaction, {
    ...author,
    at: now,
    event: 'user.add',
    outcome: 'success',
    tenantId,
    subject: { kind: 'user', id },
    details: {
      roles: allowedRoles,
      default_role,
      ...(Object.keys(claims).length > 0 && { claims: Object.keys(claims) }),
    },
  });
  return id;
}

/**
 * Adds users whose names are not taken yet to a tenant, in one statement for many users. The caller records this in the audit
 * log.
 *
 * @returns the number of added users.
 */
export async function importUsers(
  transaction: Transaction,
  tenantId: number,
  users: readonly Omit<NewUser, 'tenantId'>[],
  now: Date,
): Promise<number> {
  const rows = users.map(({ username, passwordHash, allowedRoles, defaultRole, disabled = false }) => ({
    id: randomUUID(),
    username,
    password_hash: passwordHash,
    allowed_roles: allowedRoles,
    default_role: defaultRole,
    disabled,
  }));
  return transaction.$executeRaw`
    INSERT INTO users (tenant_id, id, username, password_hash, allowed_roles, default_role, created_at, disabled_at)
    SELECT ${tenantId}::int, id, username, password_hash, allowed_roles, default_role, ${now},
      CASE WHEN disabled THEN ${now}::timestamptz END
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(id uuid, username text, password_hash text, allowed_roles text[], default_role text, disabled boolean)
    ON CONFLICT DO NOTHING`;
}

/** Excludes letters and digits that look alike. With 31 characters, a password of 25 has 123 random bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const PASSWORD_GROUPS = 5;
const GROUP_LENGTH = 5;

/** Returns a random password that can be read aloud. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: PASSWORD_GROUPS }, group).join('-');
}
