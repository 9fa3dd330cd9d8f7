import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../loads/index.ts';

const PING_EVERY_MS = 10;

/** The latency and failures of requests that are sent one after another. */
export interface Pings {
  readonly count: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The number of wrong or missing responses. */
  readonly failures: number;
}

/** Sends a request every 10 ms, or when the previous one has been answered, until stopped. */
export function startPings(request: LoadRequest, isRight: (text: string) => boolean): { stop(): Promise<Pings> } {
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  const pinging = (async () => {
    while (!isOver) {
      const began = performance.now();
      try {
        const { url, method, headers, body } = request;
        const answer = await fetch(url, { method, headers, ...(method === 'GET' ? {} : { body }) });
        if (!isRight(await answer.text())) failures++;
      } catch {
        failures++;
      }
      const took = performance.now() - began;
      times.push(took);
      if (took < PING_EVERY_MS) await sleep(PING_EVERY_MS - took);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await pinging;
      times.sort((one, two) => one - two);
      return {
        count: times.length,
        p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
        maxMs: times.at(-1) ?? 0,
        failures,
      };
    },
  };
}
