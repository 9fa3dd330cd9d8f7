import type { GatewayError } from '../errors.ts';
import {
  type InvalidOperation,
  type Operations,
  type PublicError,
  type ReadyOperation,
  refusedRequest,
  runInParts,
  SubscriptionEnded,
} from '../operation/index.ts';
import type { PartsFlow, PreparedParts } from '../sources/index.ts';
import type { ResponseBody } from './protocol.ts';

/** Where the results of one operation go. */
export interface Receiver {
  /** @returns a promise where there is no room for more yet. */
  next(body: ResponseBody): Promise<void> | undefined;
  /** The operation was refused, or is over before its time. Nothing comes after it. */
  error(errors: readonly PublicError[]): void;
  complete(): void;
}

/** An operation whose results are being delivered. */
export interface Delivery {
  readonly isSubscription: boolean;
  /** Resolves when it is over, whatever came of it. */
  readonly over: Promise<void>;
  /** Ends it. Nothing more is received, but for the reason where there is one. */
  stop(reason?: GatewayError): void;
}

/**
 * Runs an operation of any kind and delivers its results, a subscription's as fast as they are taken.
 *
 * @param parts how a service is asked for an answer in parts, as in `Accept`; without it, an answer comes in one piece.
 */
export function deliver(
  prepared: ReadyOperation | InvalidOperation,
  operations: Operations,
  receiver: Receiver,
  parts?: string,
): Delivery {
  if ('errors' in prepared) {
    receiver.error(prepared.errors);
    return { isSubscription: false, over: Promise.resolve(), stop: () => {} };
  }
  let isStopped = false;
  const isSubscription = prepared.operation.operation === 'subscription';
  const whileWanted: Receiver = {
    next: (body) => (isStopped ? undefined : receiver.next(body)),
    error: (errors) => (isStopped ? undefined : receiver.error(errors)),
    complete: () => (isStopped ? undefined : receiver.complete()),
  };
  const { inParts } = prepared.plans;
  const run = isSubscription ? deliverEvents : deliverAnswer;
  const { started, over } =
    inParts && parts !== undefined
      ? deliverParts(prepared, inParts, parts, whileWanted)
      : run(prepared, operations, whileWanted);
  return {
    isSubscription,
    over,
    stop: (reason) => {
      if (isStopped) return;
      isStopped = true;
      started.close();
      if (!reason) return;
      prepared.client.record?.addError(reason.code);
      receiver.error([refusedRequest(reason)]);
    },
  };
}

interface Run {
  readonly started: { close(): void };
  readonly over: Promise<void>;
}

function deliverAnswer(ready: ReadyOperation, operations: Operations, receiver: Receiver): Run {
  const answer = async () => {
    const { data, errors } = await operations.run(ready, { withEnvelope: false, asBytes: false });
    await receiver.next({ ...(errors && { errors }), data });
    receiver.complete();
  };
  return { started: { close: () => ready.client.cancellation.cancel() }, over: answer() };
}

function deliverParts(ready: ReadyOperation, inParts: PreparedParts, accept: string, receiver: Receiver): Run {
  const over = new Promise<void>((resolve) => {
    let flow: PartsFlow | undefined;
    const complete = () => {
      receiver.complete();
      resolve();
    };
    runInParts(ready, inParts, accept, {
      answered: ({ data, errors }) => {
        void receiver.next({ ...(errors && { errors }), data });
        complete();
      },
      begun: (_http, _parameters, ofParts) => {
        flow = ofParts;
      },
      part: (json) => {
        const room = receiver.next(JSON.parse(json.toString('utf8')));
        if (!room) return;
        flow?.pause();
        void room.then(() => flow?.resume());
      },
      ended: complete,
    });
  });
  return { started: { close: () => ready.client.cancellation.cancel() }, over };
}

function deliverEvents(ready: ReadyOperation, operations: Operations, receiver: Receiver): Run {
  const subscription = operations.subscribe(ready);
  const { record } = ready.client;
  if (record) record.events = 0;
  const relay = async () => {
    try {
      for (;;) {
        const { done, value } = await subscription.next();
        if (done) return receiver.complete();
        const { data, errors } = value;
        if (record) record.events = (record.events ?? 0) + 1;
        record?.addErrors(errors);
        await receiver.next({ ...(errors && { errors }), data });
      }
    } catch (error) {
      subscription.close();
      if (!(error instanceof SubscriptionEnded)) throw error;
      record?.addErrors(error.errors);
      receiver.error(error.errors);
    }
  };
  const close = () => {
    ready.client.cancellation.cancel();
    subscription.close();
  };
  return { started: { close }, over: relay() };
}
