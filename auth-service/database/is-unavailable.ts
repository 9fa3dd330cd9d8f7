/**
 * PostgreSQL's codes (manual, appendix A) for a server that rejects the user, as while its password is changed; shuts down or
 * starts up; is out of connections, memory or disk space; is a read-only standby; cancels a statement after a timeout or a
 * transaction in a deadlock or conflict (40001, 40P01: rolled back); or cannot read its files; and node's codes for a lost
 * connection, for a host name that cannot be looked up, for a network that is away, or without a descriptor or port for another
 * connection, and for a Unix socket, or the file of a certificate, that is not there at the moment or may not be opened; EPROTO is
 * a failed handshake.
 */
const AWAY =
  /^(08\w{3}|28000|28P01|40001|40P01|57P0\w|57014|53\w{3}|55000|55P03|25006|58\w{3}|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_\w+|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|ADDRNOTAVAIL|MFILE|NFILE|NOENT|ACCES|PROTO))$/;

/** OpenSSL's codes, as node has them, for a certificate of the server that has expired or is not trusted, and a failed handshake. */
const UNTRUSTED =
  /^(CERT_\w+|CRL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERROR_IN_(CERT|CRL)_\w+|ERR_(TLS|SSL)_\w+|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/;

/** Prisma's own codes: refused, cannot connect, cut off, no connection became free, a transaction took too long, deadlock. */
const AWAY_IN_PRISMA = /^P(1000|1001|1002|1008|1011|1017|2024|2028|2034|2037)$/;

/** The errors of an unavailable database, by the names of Prisma's adapter. */
const UNAVAILABLE_KINDS = new Set([
  'AuthenticationFailed',
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);

/** The driver gives no code for some of them; the last two are of a server that has TLS switched off or cannot begin it. */
const UNAVAILABLE_MESSAGES =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection|^There was an error establishing an SSL connection|^The server does not support SSL connections/;

/** How many causes are looked into. */
const DEPTH = 8;

/** Whether something failed because the database is unavailable, rather than because of the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some(
    ({ codes, kind, message }) =>
      codes.some((code) => [AWAY, UNTRUSTED, AWAY_IN_PRISMA].some((away) => away.test(code))) ||
      UNAVAILABLE_KINDS.has(kind) ||
      UNAVAILABLE_MESSAGES.test(message),
  );
}

/** An error, or what caused it; what it does not say is an empty text. */
interface Cause {
  /** The driver's, node's or PostgreSQL's code; Prisma's adapter gives PostgreSQL's beside its own. */
  readonly codes: readonly string[];
  /** The name that Prisma's adapter gives an error. */
  readonly kind: string;
  readonly message: string;
}

/** An error, its cause, the cause of that, and so on. */
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
