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
  /** Resolves when no event is under way any more, once `stop` was called. */
  readonly done: Promise<void>;
  stop(): void;
}

const PRODUCERS = 10;
const POST_TIMEOUT_MS = 5_000;
const RETRY_MS = 300;

/** Posts events at a steady rate. Each producer posts one until it is accepted, with the same id, and then the next. */
export function startEventProducers({ url, rate }: { readonly url: string; readonly rate: number }): EventProducers {
  const accepted: AcceptedEvent[] = [];
  const repeated = { count: 0 };
  let isStopped = false;

  async function produce(producer: string): Promise<void> {
    for (let number = 1; !isStopped; number++) {
      const event = { id: `${producer} ${number}`, producer, number };
      // What was posted once is posted until it is known to be accepted.
      while (!(await post(url, event))) {
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
    done: Promise.all(all).then(() => {}),
    stop: () => {
      isStopped = true;
    },
  };
}

/** @returns whether it was accepted. */
async function post(url: string, { id, producer, number }: AcceptedEvent): Promise<boolean> {
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
    return statusCode === 202;
  } catch {
    return false;
  }
}
