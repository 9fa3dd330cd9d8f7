import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors, Failover, type Logger } from '../../../platform/index.ts';

/** Documents by the hexadecimal SHA-256 of their text, shared by several gateways. */
export interface DocumentStore {
  /** @returns undefined if the document does not exist or the store does not respond. Never rejects. */
  find(sha256Hash: string): Promise<string | undefined>;
  /** Stores a document, which may be evicted for others. A failure is not reported. */
  keep(sha256Hash: string, text: string): void;
  /** Whether the last call to Redis succeeded. */
  readonly isAvailable?: boolean;
  close(): void;
}

export interface DocumentStoreOptions {
  readonly redisUrl: string;
  readonly log: Logger;
  /** The most documents and the most bytes of all documents. The defaults are 10,000 and 16 MiB. */
  readonly bounds?: { readonly documents: number; readonly bytes: number };
}

const STORE_BOUNDS = { documents: 10_000, bytes: 16_777_216 };
const STORE_TIMEOUT_MS = 250;
/** How long documents are kept while no gateway adds any. */
const KEEP_SECONDS = 7 * 86_400;
const PROBE_SECONDS = 60;

/*
 * A hash contains the texts, a sorted set when each was last stored, and a number the size in bytes. The oldest are evicted. If
 * Redis has evicted one of the keys, all three start anew.
 */
const KEEP = `
local texts, kept, size = KEYS[1], KEYS[2], KEYS[3]
local count = redis.call('HLEN', texts)
if count ~= redis.call('ZCARD', kept) or (count > 0) ~= (redis.call('EXISTS', size) == 1) then
  redis.call('DEL', texts, kept, size)
end
local time = redis.call('TIME')
redis.call('ZADD', kept, time[1] .. '.' .. string.format('%06d', time[2]), ARGV[1])
if redis.call('HSETNX', texts, ARGV[1], ARGV[2]) == 1 then redis.call('INCRBY', size, #ARGV[2]) end
while tonumber(redis.call('GET', size) or 0) > tonumber(ARGV[4]) or redis.call('HLEN', texts) > tonumber(ARGV[3]) do
  local oldest = redis.call('ZPOPMIN', kept)[1]
  redis.call('DECRBY', size, redis.call('HSTRLEN', texts, oldest))
  redis.call('HDEL', texts, oldest)
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, tonumber(ARGV[5])) end
return 0
`;

interface DocumentCommands {
  /** The three keys, then the hash, the text, the limits of documents and bytes, and the seconds to keep them. */
  keepDocument(...keysAndArguments: (string | number)[]): Promise<number>;
}

interface Store {
  find(sha256Hash: string): Promise<string | undefined>;
  keep(sha256Hash: string, text: string): Promise<unknown>;
  /** Checks whether Redis accepts writes. A replica, or a user without the right to write, only allows reads. */
  probe(): Promise<unknown>;
  close(): void;
}

/** Opens the documents that the gateways of one Redis share. */
export function openDocumentStore({ redisUrl, log, bounds = STORE_BOUNDS }: DocumentStoreOptions): DocumentStore {
  const store = new Failover<Store>({
    primary: redisDocumentStore(redisUrl, bounds),
    fallback: { find: async () => undefined, keep: async () => {}, probe: async () => {}, close: () => {} },
    timeoutMs: STORE_TIMEOUT_MS,
    probe: (primary) => primary.probe(),
    onFailure: (reason) =>
      log.warn(
        { event: 'persisted_queries.store_unavailable', reason },
        'the store of persisted queries is unavailable, each process uses only its own',
      ),
    onRecovery: () =>
      log.info({ event: 'persisted_queries.store_recovered' }, 'store of persisted queries is available again'),
  });
  return {
    get isAvailable() {
      return store.isOnPrimary;
    },
    find: async (sha256Hash) => {
      const text = await store.call((one) => one.find(sha256Hash)).catch(() => undefined);
      // A process with write access to Redis must not be able to choose the document of a hash.
      return text !== undefined && storedHash(text) === sha256Hash ? text : undefined;
    },
    keep: (sha256Hash, text) => void store.call((one) => one.keep(sha256Hash, text)).catch(() => {}),
    close: () => store.close(),
  };
}

function redisDocumentStore(url: string, { documents, bytes }: { documents: number; bytes: number }): Store {
  const redis = new Redis(url, {
    scripts: { keepDocument: { lua: KEEP, numberOfKeys: 3 } },
    connectionName: 'portico',
    ...COUNTING_REDIS,
  }) as Redis & DocumentCommands;
  const run = connectionErrors(redis);
  // The braces put all three keys into one slot of a cluster.
  const keys = ['texts', 'kept', 'size'].map((name) => `portico:{documents}:${name}`);
  const [texts = ''] = keys;
  return {
    find: async (hash) => (await run(redis.hget(texts, hash))) ?? undefined,
    keep: (hash, text) => run(redis.keepDocument(...keys, hash, text, documents, bytes, KEEP_SECONDS)),
    probe: () => run(redis.set('portico:{documents}:probe', '', 'EX', PROBE_SECONDS)),
    close: () => redis.disconnect(),
  };
}

function storedHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
