import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors, type Logger } from '../../../platform/index.ts';

const POLL_MARKS_MS = 1_000;

/** Times are in microseconds by the server's clock. They are text, since numbers would lose digits in a script. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] .. string.format('%06d', time[2])
`;

/**
 * @returns the current time, the time of the last reload, and the time of the last reload with introspection. '0' if there was
 * none.
 */
const LOOK = `${NOW}
local marks = redis.call('HMGET', KEYS[1], 'any', 'ask')
return { now, marks[1] or '0', marks[2] or '0' }
`;

/**
 * Sets a mark that is later than any before, even if the clock was set back. @returns the previous result of LOOK, and the
 * mark.
 */
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
  /** A value of `performance.now()` from before this gateway began to read its metadata. */
  readonly startedAt: number;
  /** Called when another gateway was asked to reload. `ask` as in `MetadataReloader.reload`. */
  readonly onReload: (ask: boolean) => void;
}

/** Notifies the gateways that share a Redis of each other's reloads. */
export interface ReloadMarks {
  /**
   * Makes all other gateways reload, within a second or as soon as they reach Redis again.
   *
   * @throws Error if Redis does not respond. The others are not notified then.
   */
  leave(ask: boolean): Promise<void>;
  close(): void;
}

/**
 * Opens the marks. A mark in Redis stores when a gateway was last asked to reload, and every gateway checks it once a second. A
 * gateway that cannot reach Redis sees the mark later, so no reload is lost. A gateway that starts reloads once more if there
 * was a reload meanwhile.
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

  /** Responses arrive in the order of the requests, so the gateway's own mark is never taken for another's. */
  function compare([now, ...marks]: Looked): void {
    const [any, ask] = marks.map(BigInt) as [bigint, bigint];
    const since = seen ?? startOf(now);
    if (any > since.any || ask > since.ask) onReload(ask > since.ask);
    seen = { any, ask };
  }

  /** A mark that was set after this gateway began to start may be newer than the metadata that it has read. */
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
