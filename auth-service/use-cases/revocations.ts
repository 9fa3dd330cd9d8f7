import { addDays } from '../../platform/index.ts';
import { type Database, Prisma, type Transaction } from '../database/index.ts';

/** How far a verifier's clock may be behind this one, including its tolerance for expired tokens, in milliseconds. */
const CLOCK_MARGIN_MS = 300_000;

/** How far the clocks of replicas may differ, in milliseconds (docs/sessions.md). */
const REPLICA_SKEW_MS = 1_000;

/**
 * How far `tokensValidFrom` may be in the future, in milliseconds, well below what verifiers tolerate for the `iat` of new
 * tokens. Operators, who remove claims of a tenant or a role, have a larger limit, so that a tenant's administrators cannot
 * block them by using up theirs.
 */
const MAX_LEAD_MS = { user: 10_000, tenant: 30_000 } as const;

/** The most revocations of one response. */
const REVOCATIONS_PER_PAGE = 5_000;

/** Revoked access tokens: those of one session, or those of a user or a tenant that were issued `before`. */
export type NewRevocation = { tenantId: number; until: Date } & (
  | { sessionId: string }
  | { userId: string; before: Date }
  | { before: Date }
);

/**
 * Returns `before` of a revocation: later than every token that has been issued, even by a replica whose clock is ahead, or
 * right after an earlier revocation. If tokens can be issued again, it becomes their owner's `tokensValidFrom`, so that no new
 * token counts as an earlier one.
 *
 * @param earlier the owner's current `tokensValidFrom`.
 */
export function revokedBefore(at: Date, earlier: Date | null): Date {
  // Tokens are issued in whole seconds, see `issueTime` of access tokens.
  const afterEarlier = earlier ? Math.ceil(earlier.getTime() / 1000) * 1000 : 0;
  return new Date(Math.max(at.getTime() + REPLICA_SKEW_MS, afterEarlier) + 1);
}

/**
 * Returns whether revocations follow each other too fast. Each one that comes within a second of the previous one is another
 * second in the future, and so are new tokens, which verifiers would finally refuse.
 */
export function isTooFarAhead(before: Date, at: Date, whose: keyof typeof MAX_LEAD_MS): boolean {
  return before.getTime() > at.getTime() + MAX_LEAD_MS[whose];
}

/**
 * Returns the latest `tokensValidFrom` of a user or service account, or of all users of a tenant. The rows have to be locked.
 */
export async function readTokensValidFrom(
  transaction: Transaction,
  tenantId: number,
  userId?: string,
): Promise<Date | null> {
  const [row] = await transaction.$queryRaw<{ validFrom: Date | null }[]>`
    SELECT GREATEST(
      (SELECT tokens_valid_from FROM tenants WHERE id = ${tenantId}),
      (SELECT max(tokens_valid_from) FROM users WHERE tenant_id = ${tenantId}
        ${userId === undefined ? Prisma.empty : Prisma.sql`AND id = ${userId}::uuid`})
    ) AS "validFrom"`;
  return row?.validFrom ?? null;
}

/** Records revocations for verifiers, in the transaction that revokes the tokens. */
export async function recordRevocations(
  transaction: Transaction,
  revocations: readonly NewRevocation[],
  at: Date,
): Promise<void> {
  const data = revocations
    .map((revocation) => ({ ...revocation, until: new Date(revocation.until.getTime() + CLOCK_MARGIN_MS) }))
    .filter(({ until }) => until > at);
  if (data.length > 0) await transaction.revocation.createMany({ data });
}

/**
 * Revokes all access tokens of a tenant that were issued before now. Later ones are valid. The tenant's row is locked first, so
 * that concurrent logins and refreshes have issued their tokens.
 */
export async function revokeTokensOfTenant(
  transaction: Transaction,
  tenantId: number,
  now: () => Date,
): Promise<{ at: Date; before: Date }> {
  await transaction.$queryRaw`SELECT 1 FROM tenants WHERE id = ${tenantId} FOR NO KEY UPDATE`;
  const at = now();
  const before = revokedBefore(at, await readTokensValidFrom(transaction, tenantId));
  await transaction.tenant.update({ where: { id: tenantId }, data: { tokensValidFrom: before } });
  // Access tokens live for a day at most, whatever the settings were when they were issued.
  await recordRevocations(transaction, [{ tenantId, before, until: addDays(at, 1) }], at);
  return { at, before };
}

/** One entry of the feed. Times are in seconds since the epoch. */
export interface PublishedRevocation {
  sid?: string;
  user_id?: string;
  tenant_id: number;
  before?: number;
  until: number;
}

export interface RevocationPage {
  /** Opaque. It is sent with the next request. */
  cursor: string;
  /** Whether a further page can be fetched now. */
  more: boolean;
  revocations: PublishedRevocation[];
}

export type ListRevocations = (after: string | undefined) => Promise<RevocationPage>;

/**
 * The position of a reader: `<server>:<horizon>` if it has everything, `<server>:<horizon>.<writtenBy>.<id>` in the middle of
 * the list. `server` is the start time of the PostgreSQL server that numbered the transactions.
 */
const CURSOR = /^(?<server>\d{1,18}):(?<horizon>\d{1,18})(?:\.(?<writtenBy>\d{1,18})\.(?<id>\d{1,18}))?$/;

interface RevocationRow {
  id: bigint;
  writtenBy: bigint;
  tenantId: number;
  sessionId: string | null;
  userId: string | null;
  before: Date | null;
  until: Date;
}

/**
 * Lists the revocations page by page. Without a valid cursor, it lists all current ones.
 *
 * Rows become visible when their transaction commits, which is not the order in which they were written. A reader that
 * continued after the last row it has seen would thus miss some. PostgreSQL returns the transaction below which all others have
 * ended (its horizon), so a reader that has everything continues from the horizon of that moment. It receives some rows twice
 * and misses none. (PostgreSQL manual, 9.28.8, pg_snapshot_xmin)
 *
 * A standby that is promoted may lack the last transactions, and assigns their numbers to others. A cursor is therefore valid
 * only for the server that created it, until that server restarts.
 */
export function createListRevocations(database: Database, now: () => Date): ListRevocations {
  return async (after) => {
    const at = now();
    const { from, rows } = await database.acrossTenants(
      'revocation-feed',
      async (transaction) => {
        // Read before the rows, so that transactions that commit in between are returned twice and not missed.
        const place = pageStart(after, await currentPlace(transaction));
        return { from: place, rows: await readFrom(transaction, place, at) };
      },
      { operation: 'list-revocations' },
    );
    const last = rows.length === REVOCATIONS_PER_PAGE ? rows.at(-1) : undefined;
    return {
      cursor: `${from.server}:${from.horizon}${last ? `.${last.writtenBy}.${last.id}` : ''}`,
      more: last !== undefined,
      revocations: rows.map(published),
    };
  };
}

function readFrom(
  transaction: Transaction,
  from: { writtenBy: bigint; id: bigint },
  at: Date,
): Promise<RevocationRow[]> {
  return transaction.revocation.findMany({
    where: {
      until: { gt: at },
      // The next line implies this condition, which is in the form that uses the index.
      writtenBy: { gte: from.writtenBy },
      OR: [{ writtenBy: from.writtenBy, id: { gt: from.id } }, { writtenBy: { gt: from.writtenBy } }],
    },
    orderBy: [{ writtenBy: 'asc' }, { id: 'asc' }],
    take: REVOCATIONS_PER_PAGE,
  });
}

/** A server and its horizon. */
interface ServerPlace {
  readonly server: bigint;
  readonly horizon: bigint;
}

async function currentPlace(transaction: Transaction): Promise<ServerPlace> {
  const [row] = await transaction.$queryRaw<{ server: bigint; horizon: bigint }[]>`
    SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS server,
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon`;
  return row ?? { server: 0n, horizon: 0n };
}

/** Returns the last row of the previous page, and the horizon from which the next list continues after its last page. */
function pageStart(after: string | undefined, { server, horizon }: ServerPlace) {
  const everything = { writtenBy: -1n, id: -1n, server, horizon };
  const parts = CURSOR.exec(after ?? '')?.groups;
  if (!parts || BigInt(parts.server ?? 0) !== server) return everything;
  const reached = BigInt(parts.horizon ?? 0);
  // The cursor was not created by this server.
  if (reached > horizon) return everything;
  if (parts.writtenBy === undefined) return { writtenBy: reached, id: -1n, server, horizon };
  return { writtenBy: BigInt(parts.writtenBy), id: BigInt(parts.id ?? 0), server, horizon: reached };
}

function published({ tenantId, sessionId, userId, before, until }: RevocationRow): PublishedRevocation {
  return {
    ...(sessionId === null ? {} : { sid: sessionId }),
    ...(userId === null ? {} : { user_id: userId }),
    tenant_id: tenantId,
    ...(before === null ? {} : { before: before.getTime() / 1000 }),
    until: Math.ceil(until.getTime() / 1000),
  };
}
