import { addDays } from '../../platform/index.ts';
import { type Audit, type AuditEntry, auditStatement, type EventOrigin } from '../audit/index.ts';
import { type Database, Prisma } from '../database/index.ts';
import { HashQueueFullError, type Passwords } from '../passwords/index.ts';
import type { Throttle, Throttled } from '../throttle/index.ts';
import { type AccessTokens, type RefreshTokens, refreshTokenHash } from '../tokens/index.ts';
import {
  ACCOUNT_COLUMNS,
  type Account,
  type AccountRow,
  accountFromRow,
  findAccountById,
  findAccountByName,
  normalizeUsername,
} from './account.ts';
import type { SessionLifetime, Tokens } from './session-terms.ts';

/** In the order in which missing ones are reported. */
const LOGIN_FIELDS = ['username', 'password', 'tenant_id'] as const;

export type LoginField = (typeof LOGIN_FIELDS)[number];

/** The arguments of a login. Null and undefined mean that an argument was not sent. An empty text is a value, and invalid. */
export interface LoginInput {
  username?: string | null;
  password?: string | null;
  tenant_id?: number | null;
}

/** The origin of a request, as stored with its session and in the audit log. `address` is an IP address. */
export type RequestOrigin = EventOrigin & { readonly address: string };

export type LoginResult =
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: LoginField } | WrongCredentials }
  | { outcome: 'busy'; retryAfterSeconds: number }
  | Throttled;

/** The cause of the refusal, only for the audit log. The response does not contain it. */
interface WrongCredentials {
  kind: 'credentials';
  why: 'unknown-user' | 'wrong-password' | 'disabled' | 'overtaken';
  /** Undefined if the account does not exist. */
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

export type Login = (input: LoginInput, client: RequestOrigin) => Promise<LoginResult>;

/**
 * Issues an access token and a refresh token for a username, a password and a tenant id.
 *
 * A wrong password, an unknown user, an unknown tenant, a disabled user and a disabled tenant lead to the same refusal after
 * the same work: one lookup of an account and one hash, before the result of either is examined. After too many refusals, no
 * account is looked up, whether or not it exists.
 */
export function createLogin(options: LoginOptions): Login {
  return async (input, client) => {
    const { username, password, tenant_id: tenantId } = input;
    if (username == null || password == null || tenantId == null)
      return { outcome: 'refused', reason: { kind: 'missing-field', field: firstMissing(input) } };

    // The name in the form that is looked up, so that another spelling does not count as another account.
    const subject = { kind: 'account', tenantId, username: normalizeUsername(username) ?? username } as const;
    const result = await options.throttle.guard(
      { subject, address: client.address },
      () => loginWith(options, { username, password, tenantId }, client),
      ({ outcome }) => VERDICTS[outcome],
    );
    await recordRefusal(options, result, subject, client);
    return result;
  };
}

/** Recorded after the throttle with the same work for every account, so that the response time reveals nothing. */
async function recordRefusal(
  { audit, now }: LoginOptions,
  result: LoginResult,
  { tenantId, username }: { tenantId: number; username: string },
  origin: RequestOrigin,
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
    await audit.recordDeduplicated({ ...attempt, outcome: 'throttled', subject: name, details: counterOf(result) });
  else if (result.outcome === 'busy') await audit.recordDeduplicated({ ...attempt, outcome: 'busy', subject: name });
  else if (result.reason.kind === 'credentials') {
    const { why: reason, userId } = result.reason;
    const subject = userId === undefined ? name : ({ kind: 'user', id: userId } as const);
    await audit.record({ ...attempt, outcome: 'refused', subject, details: { reason } });
  }
}

function counterOf({ counter }: Throttled) {
  return counter === undefined ? {} : { counter };
}

const VERDICTS = { success: 'right', refused: 'wrong', busy: 'unread' } as const;

type UnthrottledLoginResult = Exclude<LoginResult, Throttled>;

async function loginWith(
  options: LoginOptions,
  { username, password, tenantId }: { username: string; password: string; tenantId: number },
  client: RequestOrigin,
): Promise<UnthrottledLoginResult> {
  const { database, passwords } = options;
  const account = await findAccountByName(database, tenantId, username);
  const matches = await verifyPassword(passwords, password, account);
  if (matches instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: matches.retryAfterSeconds };
  if (!account || !matches || account.disabled) return wrongCredentials(account, matches);

  const current = await withCurrentHash(options, account, password);
  const opened = await openSession(options, current, client);
  if (opened) return { outcome: 'success', ...opened };
  return await loginAfterChange(options, current, password, client);
}

/**
 * Replaces a hash with another cost, pepper or scheme by a current one, since the password is available only at a login. Only
 * the verified hash is replaced, so a concurrent change of the password stays. If the hash queue is full, a later login
 * replaces it.
 *
 * @returns the account with its current hash, as far as it is known here.
 */
async function withCurrentHash({ database, passwords }: LoginOptions, account: Account, password: string) {
  const { tenantId, userId, passwordHash: checked } = account;
  if (passwords.isCurrent(checked)) return account;
  const passwordHash = await unlessQueueFull(passwords.hash(password));
  if (passwordHash instanceof HashQueueFullError) return account;
  const { count } = await database.inTenant(
    tenantId,
    ({ user }) => user.updateMany({ where: { tenantId, id: userId, passwordHash: checked }, data: { passwordHash } }),
    { operation: 'replace-password-hash' },
  );
  return count > 0 ? { ...account, passwordHash } : account;
}

/**
 * Handles an account that changed while its password was being checked. If another login has replaced the hash by a current one
 * of the same password, the password is still correct, so it is checked once more. The caller has sent the previous password,
 * so the second computation reveals nothing.
 */
async function loginAfterChange(
  options: LoginOptions,
  { tenantId, userId, passwordHash }: Account,
  password: string,
  client: RequestOrigin,
): Promise<UnthrottledLoginResult> {
  const account = await options.database.inTenant(
    tenantId,
    (transaction) => findAccountById(transaction, tenantId, userId),
    { operation: 'find-account' },
  );
  if (!account || account.disabled || account.passwordHash === passwordHash) return wrongCredentials(account, true);
  const matches = await verifyPassword(options.passwords, password, account);
  if (matches instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: matches.retryAfterSeconds };
  const opened = matches ? await openSession(options, account, client) : undefined;
  return opened ? { outcome: 'success', ...opened } : wrongCredentials(account, matches);
}

function firstMissing(input: LoginInput): LoginField {
  return LOGIN_FIELDS.find((field) => input[field] == null) ?? LOGIN_FIELDS[0];
}

function wrongCredentials(account: Account | undefined, matches: boolean): UnthrottledLoginResult {
  const why = !account ? 'unknown-user' : !matches ? 'wrong-password' : account.disabled ? 'disabled' : 'overtaken';
  return { outcome: 'refused', reason: { kind: 'credentials', why, userId: account?.userId } };
}

function verifyPassword(passwords: Passwords, password: string, account: Account | undefined) {
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

/**
 * Opens a session with its first refresh token and an access token with the account's current rights. Returns undefined if the
 * account has been disabled or has another password.
 */
async function openSession(options: LoginOptions, checked: Account, client: RequestOrigin) {
  const { database, accessTokens, refreshTokens, lifetime, now, randomUUID } = options;
  const { tenantId, userId } = checked;
  const sessionId = randomUUID();
  const refreshToken = refreshTokens.issue({ tenantId, sessionId, generation: 1 });
  const createdAt = now();
  // A whole second like the expiry of access tokens, so that the last one ends with the session.
  const end = new Date(Math.floor(addDays(createdAt, lifetime.maxDays).getTime() / 1000) * 1000);
  const idleEnd = new Date(Math.min(addDays(createdAt, lifetime.idleDays).getTime(), end.getTime()));
  const accessEnd = accessTokens.endOf(createdAt, end);

  // Hashing takes long. Meanwhile, the user may have been disabled, or have another password or fewer roles. Such a user must
  // not get a session after the others were revoked, or a token with a removed role. The rows are therefore read again and
  // locked until the session is stored. This is one statement, since round trips cost a login more than the work in the
  // database.
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
  const [row] = await database.single.inTenant<AccountRow>(
    tenantId,
    Prisma.sql`
      WITH unchanged AS (
        SELECT ${ACCOUNT_COLUMNS}
        FROM users JOIN tenants ON tenants.id = users.tenant_id
        WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
          AND users.password_hash = ${checked.passwordHash}
          AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
        FOR SHARE
      ), opened AS (
        INSERT INTO sessions (tenant_id, id, user_id, created_at, last_used_at, expires_at, access_ends_at,
          client_address, user_agent, refresh_generation)
        SELECT "tenantId", ${sessionId}::uuid, id, ${createdAt}::timestamptz, ${createdAt}::timestamptz,
          ${end}::timestamptz, ${accessEnd}::timestamptz, ${client.address}, ${client.userAgent}, 1
        FROM unchanged
        RETURNING tenant_id, id
      ), audited AS (${auditStatement(entry, Prisma.sql`FROM opened`)}), first_token AS (
        INSERT INTO refresh_tokens (tenant_id, hash, session_id, created_at, expires_at, generation)
        SELECT tenant_id, ${refreshTokenHash(refreshToken)}, id, ${createdAt}::timestamptz, ${idleEnd}::timestamptz, 1
        FROM opened
      )
      SELECT * FROM unchanged`,
    'open-session',
  );
  if (!row) return undefined;

  const account = accountFromRow(row);
  const issued = accessTokens.issue({ ...account, sessionId, sessionEndsAt: end }, createdAt);
  return { account, sessionId, tokens: { ...issued, refreshToken } };
}
