import { type Audit, type AuditEntry, auditStatement, type Origin } from '../audit/index.ts';
import { type Database, Prisma } from '../database/index.ts';
import { HashQueueFullError, type Passwords } from '../passwords/index.ts';
import type { Throttle, Throttled } from '../throttle/index.ts';
import { type AccessTokens, type RefreshTokens, refreshTokenHash } from '../tokens/index.ts';
import { type Account, findAccountById, findAccountByName, normalizeUsername } from './account.ts';
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

/** What the caller's session and the audit log remember of where it came from. `address` is an IP address. */
export type Client = Origin & { readonly address: string };

export type LoginResult =
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: LoginField } | WrongCredentials }
  | { outcome: 'busy'; retryAfterSeconds: number }
  | Throttled;

/** What was wrong, for the audit log alone: the caller is told nothing of it. */
interface WrongCredentials {
  kind: 'credentials';
  why: 'unknown-user' | 'wrong-password' | 'disabled' | 'overtaken';
  /** Where there is such an account. */
  userId: string | undefined;
}

export interface LoginOptions {
  database: Database;
  audit: Audit;
  passwords: Passwords;
  throttle: Throttle;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  lifetime: SessionLifetime;
  now(): Date;
  randomUUID(): string;
}

export type Login = (input: LoginInput, client: Client) => Promise<LoginResult>;

/**
 * Trades a username, a password and a tenant id for an access token and a refresh token.
 *
 * Wrong password, unknown user, unknown tenant, disabled user and disabled tenant are one and the same refusal, after
 * one and the same work: an account is looked up, one hash is computed, and only then is anything judged. After too many
 * refusals nothing is looked up at all, whether there is such an account or not.
 */
export function createLogin(options: LoginOptions): Login {
  return async (input, client) => {
    const { username, password, tenant_id: tenantId } = input;
    if (username == null || password == null || tenantId == null)
      return { outcome: 'refused', reason: { kind: 'missing-field', field: firstMissing(input) } };

    // The name as it is looked up: another way of writing it is no other account to guess at.
    const subject = { kind: 'account', tenantId, username: normalizeUsername(username) ?? username } as const;
    const result = await options.throttle.guard(
      { subject, address: client.address },
      () => loginWith(options, { username, password, tenantId }, client),
      ({ outcome }) => VERDICTS[outcome],
    );
    await noteRefusal(options, result, subject, client);
    return result;
  };
}

/** After the throttle, and the same work for every account: whoever measures the time learns nothing from it. */
async function noteRefusal(
  { audit, now }: LoginOptions,
  result: LoginResult,
  { tenantId, username }: { tenantId: number; username: string },
  origin: Client,
): Promise<void> {
  if (result.outcome === 'success') return;
  const attempt = {
    at: now(),
    event: 'login',
    tenantId,
    isTenantClaimed: true,
    actor: { kind: 'unknown' },
    origin,
  } as const;
  const name = audit.unknownName(tenantId, username);
  if (result.outcome === 'throttled')
    await audit.noteRepeatable({ ...attempt, outcome: 'throttled', subject: name, details: counterOf(result) });
  else if (result.outcome === 'busy') await audit.noteRepeatable({ ...attempt, outcome: 'busy', subject: name });
  else if (result.reason.kind === 'credentials') {
    const { why: reason, userId } = result.reason;
    const subject = userId === undefined ? name : ({ kind: 'user', id: userId } as const);
    await audit.note({ ...attempt, outcome: 'refused', subject, details: { reason } });
  }
}

function counterOf({ counter }: Throttled) {
  return counter === undefined ? {} : { counter };
}

const VERDICTS = { success: 'right', refused: 'wrong', busy: 'unread' } as const;

type Judged = Exclude<LoginResult, Throttled>;

async function loginWith(
  options: LoginOptions,
  { username, password, tenantId }: { username: string; password: string; tenantId: number },
  client: Client,
): Promise<Judged> {
  const { database, passwords } = options;
  const account = await findAccountByName(database, tenantId, username);
  const matches = await verify(passwords, password, account);
  if (matches instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: matches.retryAfterSeconds };
  if (!account || !matches || account.disabled) return wrongCredentials(account, matches);

  const current = await withCurrentHash(options, account, password);
  const opened = await openSession(options, current, client);
  if (opened) return { outcome: 'success', account, ...opened };
  return await loginAfterChange(options, current, password, client);
}

/**
 * Replaces a hash of another cost, pepper or scheme by what is made now; the password is here only at a login. Nothing
 * is replaced but the hash that was checked, so a change of the password that comes first stays. When the hash queue is
 * full, the next login will do.
 *
 * @returns the account with the hash that it has now, as far as it is known here.
 */
async function withCurrentHash({ database, passwords }: LoginOptions, account: Account, password: string) {
  const { tenantId, userId, passwordHash: checked } = account;
  if (passwords.isCurrent(checked)) return account;
  const passwordHash = await unlessQueueFull(passwords.hash(password));
  if (passwordHash instanceof HashQueueFullError) return account;
  const { count } = await database.inTenant(tenantId, ({ user }) =>
    user.updateMany({ where: { tenantId, id: userId, passwordHash: checked }, data: { passwordHash } }),
  );
  return count > 0 ? { ...account, passwordHash } : account;
}

/**
 * The account has changed while its password was being checked. If that was another login, which replaced the hash by a
 * current one of the same password, this one is as right as that: it is checked once more. Who gets here has shown the
 * password of a moment ago, so that the second computation tells nobody anything.
 */
async function loginAfterChange(
  options: LoginOptions,
  { tenantId, userId, passwordHash }: Account,
  password: string,
  client: Client,
): Promise<Judged> {
  const account = await options.database.inTenant(tenantId, (transaction) =>
    findAccountById(transaction, tenantId, userId),
  );
  if (!account || account.disabled || account.passwordHash === passwordHash) return wrongCredentials(account, true);
  const matches = await verify(options.passwords, password, account);
  if (matches instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: matches.retryAfterSeconds };
  const opened = matches ? await openSession(options, account, client) : undefined;
  return opened ? { outcome: 'success', account, ...opened } : wrongCredentials(account, matches);
}

function firstMissing(input: LoginInput): LoginField {
  return REQUIRED.find((field) => input[field] == null) ?? REQUIRED[0];
}

function wrongCredentials(account: Account | undefined, matches: boolean): Judged {
  const why = !account ? 'unknown-user' : !matches ? 'wrong-password' : account.disabled ? 'disabled' : 'overtaken';
  return { outcome: 'refused', reason: { kind: 'credentials', why, userId: account?.userId } };
}

function verify(passwords: Passwords, password: string, account: Account | undefined) {
  return unlessQueueFull(passwords.verify(password, account?.passwordHash));
}

async function unlessQueueFull<Result>(computed: Promise<Result>): Promise<Result | HashQueueFullError> {
  try {
    return await computed;
  } catch (error) {
    if (error instanceof HashQueueFullError) return error;
    throw error;
  }
}

/** A new session with its first refresh token, and an access token for it; undefined when the account has changed. */
async function openSession(options: LoginOptions, account: Account, client: Client) {
  const { database, accessTokens, refreshTokens, lifetime, now, randomUUID } = options;
  const { tenantId, userId } = account;
  const sessionId = randomUUID();
  const refreshToken = refreshTokens.issue({ tenantId, sessionId, generation: 1 });
  const createdAt = now();
  const end = daysAfter(createdAt, lifetime.maxDays);
  const idleEnd = daysAfter(createdAt, Math.min(lifetime.idleDays, lifetime.maxDays));

  const accessEnd = new Date(createdAt.getTime() + accessTokens.lifetimeSeconds * 1000);

  // The hash took its time. Who was disabled or got a new password meanwhile must not be left with a session that came
  // after the others were revoked, so the rows are held as they are until this one is in. All in one statement, because
  // at a login more goes into each way to the database than into what is done there.
  const user = { kind: 'user', id: userId } as const;
  const entry: AuditEntry = {
    at: createdAt,
    event: 'login',
    outcome: 'success',
    tenantId,
    actor: user,
    subject: user,
    origin: client,
    details: { session_id: sessionId },
  };
  const opened = await database.single.inTenant(
    tenantId,
    Prisma.sql`
      WITH unchanged AS (
        SELECT users.tenant_id, users.id
        FROM users JOIN tenants ON tenants.id = users.tenant_id
        WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
          AND users.password_hash = ${account.passwordHash}
          AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
        FOR SHARE
      ), opened AS (
        INSERT INTO sessions (tenant_id, id, user_id, created_at, last_used_at, expires_at, access_ends_at,
          client_address, user_agent, refresh_generation)
        SELECT tenant_id, ${sessionId}::uuid, id, ${createdAt}::timestamptz, ${createdAt}::timestamptz,
          ${end}::timestamptz, ${accessEnd}::timestamptz, ${client.address}, ${client.userAgent}, 1
        FROM unchanged
        RETURNING tenant_id, id
      ), audited AS (${auditStatement(entry, Prisma.sql`FROM opened`)})
      INSERT INTO refresh_tokens (tenant_id, hash, session_id, created_at, expires_at, generation)
      SELECT tenant_id, ${refreshTokenHash(refreshToken)}, id, ${createdAt}::timestamptz, ${idleEnd}::timestamptz, 1
      FROM opened
      RETURNING session_id`,
  );
  if (opened.length === 0) return undefined;

  const accessToken = accessTokens.issue({ ...account, sessionId }, createdAt);
  return { sessionId, tokens: { accessToken, expiresIn: accessTokens.lifetimeSeconds, refreshToken } };
}

function daysAfter(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
