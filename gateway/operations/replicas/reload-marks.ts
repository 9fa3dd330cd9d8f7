import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors, type Logger } from '../../../platform/index.ts';

const POLL_MARKS_MS = 1_000;

/** Times are in microseconds on the server's clock, as text: a script would cut numbers off. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] .. string.format('%06d', time[2])
`;

/** @returns now, the time of the last reload, and that of the last one that fetches schemas again; '0' for none. */
const LOOK = `${NOW}
local marks = redis.call('HMGET', KEYS[1], 'any', 'ask')
return { now, marks[1] or '0', marks[2] or '0' }
`;

/** Leaves a mark that is later than any before, also when the clock has been set back. @returns what LOOK did before, and the mark. */
const LEAVE = `${NOW}
local marks = redis.call('HMGET', KEYS[1], 'any', 'ask')
local mark, last = now, marks[1] or '0'
if #last > #mark or (#last == #mark and last >= mark) then mark = string.format('%.0f', tonumber(last) + 1) end
redis.call('HSET', KEYS[1], 'any', mark)
if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'ask', mark) end
return { now, marks[1] or '0', marks[2] or '0', mark }
`;

type Looked = [now: string, any: string, ask: string];

interface MarkCommands {
  look(key: string): Promise<Looked>;
  leave(key: string, ask: '0' | '1'): Promise<[...Looked, mark: string]>;
}

export interface ReloadMarksOptions {
  readonly redisUrl: string;
  readonly log: Logger;
  /** A reading of `performance.now()` from before this gateway began to read its metadata. */
  readonly startedAt: number;
  /** Called when another gateway has been asked to reload; `ask` as in `MetadataReloader.reload`. */
  readonly onReload: (ask: boolean) => void;
}

/** Lets the gateways that share a Redis know of each other's reloads. */
export interface ReloadMarks {
  /**
   * Makes all other gateways reload, within a second or as soon as they reach Redis again.
   *
   * @throws Error when Redis does not answer: the others are not notified.
   */
  leave(ask: boolean): Promise<void>;
  close(): void;
}

/**
 * A mark in Redis says when a gateway was last asked to reload; every gateway looks at it once a second. Nothing is lost
 * while one cannot reach Redis: it sees the mark later. One that starts reloads once more when there was a reload since.
 */
export function openReloadMarks({ redisUrl, log, startedAt, onReload }: ReloadMarksOptions): ReloadMarks {
  const redis = new Redis(redisUrl, {
    scripts: { look: { lua: LOOK, numberOfKeys: 1 }, leave: { lua: LEAVE, numberOfKeys: 1 } },
    keyPrefix: 'portico:',
    connectionName: 'portico',
    ...COUNTING_REDIS,
  }) as Redis & MarkCommands;
  const run = connectionErrors(redis);
  let seen: { any: bigint; ask: bigint } | undefined;
  let isLost = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Answers come in the order in which they were asked for, so that a mark of our own is never taken for another's. */
  function compare([now, ...marks]: Looked): void {
    const [any, ask] = marks.map(BigInt) as [bigint, bigint];
    const since = seen ?? startOf(now);
    if (any > since.any || ask > since.ask) onReload(ask > since.ask);
    seen = { any, ask };
  }

  /** What has been marked after this gateway began to start may have been too late for what it has read. */
  function startOf(now: string): { any: bigint; ask: bigint } {
    const start = BigInt(now) - BigInt(Math.ceil((performance.now() - startedAt) * 1000));
    return { any: start, ask: start };
  }

  async function look(): Promise<void> {
    try {
      compare(await run(redis.look('reloads')));
      if (isLost)
        log.info(
          { event: 'replicas.store_recovered' },
          'shared store is available again, following reloads of other gateways',
        );
      isLost = false;
    } catch (error) {
      if (!isLost && !isClosed)
        log.warn(
          { event: 'replicas.store_unavailable', reason: (error as Error).message },
          'shared store unavailable, not following reloads of other gateways',
        );
      isLost = true;
    }
    if (!isClosed) timer = setTimeout(() => void look(), POLL_MARKS_MS).unref();
  }
  void look();

  return {
    leave: async (ask) => {
      const [now, any, asked, mark] = await run(redis.leave('reloads', ask ? '1' : '0'));
      compare([now, any, asked]);
      const own = BigInt(mark);
      seen = { any: own, ask: ask ? own : (seen?.ask ?? own) };
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      redis.disconnect();
    },
  };
}
