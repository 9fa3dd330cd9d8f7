import { Redis as Client } from 'ioredis';
import { freePort, type GroupProcess, type ProcessGroup, until } from '../../bench/machine/index.ts';
import { findProgram } from './programs.ts';
import { signalOne } from './signals.ts';

/** A Redis of the suite's own, without a file. */
export interface Redis {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Sends a command. */
  run(command: string, ...words: string[]): Promise<unknown>;
}

/** @throws when Redis is not installed or does not start. */
export async function openRedis(group: ProcessGroup): Promise<Redis> {
  const program = findProgram('redis-server') ?? findProgram('valkey-server');
  if (program === undefined) throw new Error('Redis is not installed: the suite needs redis-server or valkey-server');
  const port = await freePort();
  const directory = group.directory('redis');
  let member: GroupProcess | undefined;
  const redis: Redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const words = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
      const started = group.start({ name: 'redis', command: [program, ...words], directory });
      member = started;
      await until('Redis to answer', started, () => redis.run('PING').then(() => true));
    },
    async stop() {
      if (!member) return;
      signalOne(member.pid, 'SIGKILL');
      await member.completed().catch(() => {});
    },
    freeze: () => member && signalOne(member.pid, 'SIGSTOP'),
    thaw: () => member && signalOne(member.pid, 'SIGCONT'),
    async run(command, ...words) {
      const client = new Client(redis.url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
      client.on('error', () => {});
      try {
        await client.connect();
        return await client.call(command, ...words);
      } finally {
        client.disconnect();
      }
    },
  };
  await redis.start();
  return redis;
}
