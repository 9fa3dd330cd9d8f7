import type { Database } from '../database/index.ts';
import { HashQueueFullError, type Passwords } from '../passwords/index.ts';
import { type AccessTokens, newRefreshToken, refreshTokenHash } from '../tokens/index.ts';
import { type Account, findAccountByName } from './account.ts';
import type { SessionLifetime, Tokens } from './session-terms.ts';

const DAY_MS = 86_400_000;

/** In the order in which a missing one is named. */
const REQUIRED = ['username', 'password', 'tenant_id'] as const;

export type LoginField = (typeof REQUIRED)[number];

/** What a caller sent; null and undefined mean that it sent nothing. An empty text is something, and wrong. */
export interface LoginInput {
  username?: string | null;
  password?: string | null;
  tenant_id?: number | null;
}

/** What the caller's session remembers of where it came from. */
export interface Client {
  address: string | null;
  userAgent: string | null;
}

export type LoginResult =
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: LoginField } | { kind: 'credentials' } }
  | { outcome: 'busy'; retryAfterSeconds: number };

export interface LoginOptions {
  database: Database;
  passwords: Passwords;
  accessTokens: AccessTokens;
  lifetime: SessionLifetime;
  now(): Date;
  randomBytes(size: number): Uint8Array;
  randomUUID(): string;
}

export type Login = (input: LoginInput, client: Client) => Promise<LoginResult>;

/**
 * Trades a username, a password and a tenant id for an access token and a refresh token.
 *
 * Wrong password, unknown user, unknown tenant, disabled user and disabled tenant are one and the same refusal, after
 * one and the same work: an account is looked up, one hash is computed, and only then is anything judged.
 */
export function createLogin(options: LoginOptions): Login {
  const { database, passwords } = options;

  return async (input, client) => {
    const { username, password, tenant_id: tenantId } = input;
    if (username == null || password == null || tenantId == null)
      return { outcome: 'refused', reason: { kind: 'missing-field', field: firstMissing(input) } };

    const account = await findAccountByName(database, tenantId, username);
    const matches = await verify(passwords, password, account);
    if (matches instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: matches.retryAfterSeconds };
    if (!account || !matches || account.disabled) return wrongCredentials();

    const opened = await openSession(options, account, client);
    return opened ? { outcome: 'success', account, ...opened } : wrongCredentials();
  };
}

function firstMissing(input: LoginInput): LoginField {
  return REQUIRED.find((field) => input[field] == null) ?? REQUIRED[0];
}

function wrongCredentials(): LoginResult {
  return { outcome: 'refused', reason: { kind: 'credentials' } };
}

async function verify(passwords: Passwords, password: string, account: Account | undefined) {
  try {
    return await passwords.verify(password, account?.passwordHash);
  } catch (error) {
    if (error instanceof HashQueueFullError) return error;
    throw error;
  }
}

/** A new session with its first refresh token, and an access token for it; undefined when the account has changed. */
async function openSession(options: LoginOptions, account: Account, client: Client) {
  const { database, accessTokens, lifetime, now, randomBytes, randomUUID } = options;
  const { tenantId, userId } = account;
  const sessionId = randomUUID();
  const refreshToken = newRefreshToken(randomBytes);
  const createdAt = now();
  const end = daysAfter(createdAt, lifetime.maxDays);
  const idleEnd = daysAfter(createdAt, Math.min(lifetime.idleDays, lifetime.maxDays));

  const opened = await database.$transaction(async (transaction) => {
    // The hash took its time. Who was disabled or got a new password meanwhile must not be left with a session that
    // came after the others were revoked, so the rows are held as they are until this one is in.
    const unchanged = await transaction.$queryRaw<unknown[]>`
      SELECT 1 FROM users JOIN tenants ON tenants.id = users.tenant_id
      WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
        AND users.password_hash = ${account.passwordHash}
        AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
      FOR SHARE`;
    if (unchanged.length === 0) return false;
    await transaction.session.create({
      data: {
        tenantId,
        id: sessionId,
        userId,
        createdAt,
        lastUsedAt: createdAt,
        expiresAt: end,
        accessEndsAt: new Date(createdAt.getTime() + accessTokens.lifetimeSeconds * 1000),
        clientAddress: client.address,
        userAgent: client.userAgent,
        refreshTokens: { create: { hash: refreshTokenHash(refreshToken), createdAt, expiresAt: idleEnd } },
      },
    });
    return true;
  });
  if (!opened) return undefined;

  const accessToken = accessTokens.issue({ ...account, sessionId }, createdAt);
  return { sessionId, tokens: { accessToken, expiresIn: accessTokens.lifetimeSeconds, refreshToken } };
}

function daysAfter(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
