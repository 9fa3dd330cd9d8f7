import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

/** The secret of the producer of events in the metadata of the cluster. */
export const PRODUCER_SECRET = 'the-secret-of-the-producer-of-the-fault-suite';
export const EVENT_SOURCE = '/fault-suite';
export const EVENT_TYPE = 'suite.fault.happened';

/** An event that was answered with 202. */
export interface AcceptedEvent {
  readonly id: string;
  /** Its subject: events of one are delivered in order where a subscription asks for it. */
  readonly producer: string;
  /** Counts up for each producer, without gaps. */
  readonly number: number;
}

export interface EventProducers {
  readonly accepted: readonly AcceptedEvent[];
  /** Posts of an event that had been posted before, with the same id. */
  readonly repeated: { readonly count: number };
  /** How many events were given up, by why: a status that no repetition changes, or that none was accepted in time after `stop`. */
  readonly givenUp: ReadonlyMap<string, number>;
  /** Resolves when no event is under way any more, once `stop` was called, some seconds after `settleMs` at most. */
  readonly done: Promise<void>;
  stop(): void;
}

const PRODUCERS = 10;
const POST_TIMEOUT_MS = 5_000;
const RETRY_MS = 300;
const SETTLE_MS = 60_000;

export interface EventProducersOptions {
  readonly url: string;
  /** Events a second. */
  readonly rate: number;
  /** How long events that are under way at the stop are still posted. */
  readonly settleMs?: number;
}

/**
 * Posts events at a steady rate. Each producer posts one until it is accepted, with the same id, and then the next; one whose event
 * is refused for good ends.
 */
export function startEventProducers({ url, rate, settleMs = SETTLE_MS }: EventProducersOptions): EventProducers {
  const accepted: AcceptedEvent[] = [];
  const repeated = { count: 0 };
  const givenUp = new Map<string, number>();
  const giveUp = (why: string) => void givenUp.set(why, (givenUp.get(why) ?? 0) + 1);
  let isStopped = false;
  let endsAt = Number.POSITIVE_INFINITY;

  async function produce(producer: string): Promise<void> {
    for (let number = 1; !isStopped; number++) {
      const event = { id: `${producer} ${number}`, producer, number };
      // What was posted once is posted until it is known to be accepted.
      for (;;) {
        const status = await post(url, event);
        if (status === 202) break;
        if (isRefusal(status)) return giveUp(`refused with ${status}`);
        if (performance.now() >= endsAt) return giveUp(`not accepted within ${settleMs / 1000} s after the stop`);
        repeated.count++;
        await sleep(RETRY_MS * (1 + Math.random()));
      }
      accepted.push(event);
      await sleep((PRODUCERS * 1000 * 2 * Math.random()) / rate);
    }
  }
  const all = Array.from({ length: PRODUCERS }, (_, index) => produce(`producer ${index}`));
  return {
    accepted,
    repeated,
    givenUp,
    done: Promise.all(all).then(() => {}),
    stop: () => {
      isStopped = true;
      endsAt = performance.now() + settleMs;
    },
  };
}

/** Whether the same event would be refused again. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** @returns the status of the answer; undefined: there was none. */
async function post(url: string, { id, producer, number }: AcceptedEvent): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(`${url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PRODUCER_SECRET}`, 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify({
        specversion: '1.0',
        id,
        source: EVENT_SOURCE,
        type: EVENT_TYPE,
        tenantid: producer.slice(-1),
        subject: producer,
        data: { number },
      }),
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
    });
    await body.dump();
    return statusCode;
  } catch {
    return undefined;
  }
}
