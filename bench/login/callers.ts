import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** The rate, latency and failures of repeated work. */
export interface Tally {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
}

/** Repeats `work` for `seconds` with `callers` at a time and an optional delay. `work` returns whether it succeeded. */
export async function repeatFor(
  callers: number,
  seconds: number,
  work: (caller: number) => Promise<boolean>,
  pauseMs = 0,
): Promise<Tally> {
  const began = performance.now();
  const deadline = began + seconds * 1000;
  const latencies: number[] = [];
  let failures = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < deadline) {
        const sentAt = performance.now();
        if (await work(caller)) latencies.push(performance.now() - sentAt);
        else failures++;
        if (pauseMs > 0) await sleep(pauseMs);
      }
    }),
  );
  latencies.sort((left, right) => left - right);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: latencies.length / ((performance.now() - began) / 1000),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    failures,
  };
}

/** Sends JSON to one origin over persistent connections. */
export interface JsonClient {
  post(path: string, body: unknown, token?: string): Promise<unknown>;
  close(): Promise<void>;
}

export function jsonClient(origin: string): JsonClient {
  const pool = new Pool(origin, { connections: 64 });
  return {
    post: async (path, body, token) => {
      const { body: answer } = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(body),
      });
      return answer.json();
    },
    close: () => pool.destroy(),
  };
}
