/**
 * Codes of an unavailable database.
 *
 * PostgreSQL's codes (appendix A of its manual) cover a server that
 * - rejects the user, such as while its password is changed, or is starting or shutting down;
 * - has no connections, memory or disk space left, or cannot read its files;
 * - is a read-only standby;
 * - cancels a statement after a timeout, or rolls back a transaction after a deadlock or conflict (40001, 40P01).
 *
 * Node.js's codes cover a lost connection, an unknown host name, an unavailable network, a lack of file descriptors or ports,
 * and a Unix socket or certificate file that is missing or not accessible. EPROTO is a failed handshake.
 */
const AWAY =
  /^(08\w{3}|28000|28P01|40001|40P01|57P0\w|57014|53\w{3}|55000|55P03|25006|58\w{3}|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_\w+|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|ADDRNOTAVAIL|MFILE|NFILE|NOENT|ACCES|PROTO))$/;

/** OpenSSL's codes in Node.js for an expired or untrusted certificate of the server, and for a failed handshake. */
const UNTRUSTED =
  /^(CERT_\w+|CRL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERROR_IN_(CERT|CRL)_\w+|ERR_(TLS|SSL)_\w+|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/;

/** Prisma's own codes: refused, cannot connect, connection lost, no free connection, transaction timeout, deadlock. */
const AWAY_IN_PRISMA = /^P(1000|1001|1002|1008|1011|1017|2024|2028|2034|2037)$/;

/** Errors of an unavailable database, by the names of Prisma's adapter. */
const UNAVAILABLE_KINDS = new Set([
  'AuthenticationFailed',
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);

/** Some of the driver's errors have no code. The last two come from a server that has TLS disabled or cannot start it. */
const UNAVAILABLE_MESSAGES =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection|^There was an error establishing an SSL connection|^The server does not support SSL connections/;

/** The most causes that are examined. */
const DEPTH = 8;

/** Returns whether an operation failed because the database is unavailable, and not because of the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some(
    ({ codes, kind, message }) =>
      codes.some((code) => [AWAY, UNTRUSTED, AWAY_IN_PRISMA].some((away) => away.test(code))) ||
      UNAVAILABLE_KINDS.has(kind) ||
      UNAVAILABLE_MESSAGES.test(message),
  );
}

/** An error or its cause. Missing properties are empty texts. */
interface Cause {
  /** The code of the driver, Node.js or PostgreSQL. Prisma's adapter has PostgreSQL's code in addition to its own. */
  readonly codes: readonly string[];
  /** The name that Prisma's adapter gives an error. */
  readonly kind: string;
  readonly message: string;
}

/** Returns an error, its cause, the cause of that cause, and so on. */
export function causesOf(error: unknown): readonly Cause[] {
  const causes: Cause[] = [];
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  let cause = error;
  while (causes.length < DEPTH && typeof cause === 'object' && cause !== null) {
    const { code, originalCode, kind, message } = cause as Record<string, unknown>;
    causes.push({ codes: [text(originalCode), text(code)], kind: text(kind), message: text(message) });
    cause = causeOf(cause);
  }
  return causes;
}

/** Prisma keeps the adapter's error of a query in `meta`, not in `cause`. */
function causeOf(error: object): unknown {
  const { cause, meta } = error as { cause?: unknown; meta?: { driverAdapterError?: unknown } };
  return cause ?? meta?.driverAdapterError;
}
