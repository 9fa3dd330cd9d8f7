import type { PGlite } from '@electric-sql/pglite';

/** The types of messages of an extended query: Parse, Bind, Describe, Execute, Close, Flush. */
const EXTENDED_QUERY = new Set([...'PBDECH'].map((letter) => letter.charCodeAt(0)));

/**
 * Returns a proxy of `db` for a PGLiteSocketServer with more than one client.
 *
 * All clients of that server share one PostgreSQL session. The server may switch clients after every message. The messages of
 * two clients' queries (Parse to Sync) may then interleave, and a client may get another one's rows. The server does not switch
 * during a transaction, so this proxy reports a running query as a transaction.
 * (https://github.com/electric-sql/pglite/issues/1046)
 */
export function withWholeBatches(db: PGlite): PGlite {
  let underWay = false;
  const replaced: Pick<PGlite, 'isInTransaction' | 'execProtocolRawStream'> = {
    isInTransaction: () => underWay || db.isInTransaction(),
    execProtocolRawStream(message, options) {
      underWay = EXTENDED_QUERY.has(message[0] ?? 0);
      return db.execProtocolRawStream(message, options);
    },
  };
  return new Proxy(db, {
    get(target, name) {
      if (name in replaced) return replaced[name as keyof typeof replaced];
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
