/** PostgreSQL's codes for a server that goes, comes or has no connection left (manual, appendix A), and node's. */
const AWAY = /^(08\w{3}|57P0\w|53300|55000|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH))$/;

/** Prisma's own codes: it cannot connect, it was cut off, or no connection became free. */
const AWAY_IN_PRISMA = /^P(1001|1002|1008|1011|1017|2024|2037)$/;

/** What Prisma's adapter calls the same things. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** The driver gives no code for some of them. */
const MESSAGES = /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection/;

/** How many causes are looked into. */
const DEPTH = 5;

/** Whether something failed for want of the database, rather than for what was asked of it. */
export function isDatabaseAway(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < DEPTH && typeof cause === 'object' && cause !== null; depth += 1) {
    const { code, originalCode, kind, message, cause: next } = cause as Record<string, unknown>;
    if ([code, originalCode].some((one) => typeof one === 'string' && (AWAY.test(one) || AWAY_IN_PRISMA.test(one))))
      return true;
    if (typeof kind === 'string' && KINDS.has(kind)) return true;
    if (typeof message === 'string' && MESSAGES.test(message)) return true;
    cause = next;
  }
  return false;
}
