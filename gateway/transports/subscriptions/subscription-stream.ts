import { parseServiceJson } from '../../../platform/index.ts';
import type { GatewayError } from '../../errors.ts';
import {
  type ExecutableRequest,
  type OperationPipeline,
  type OperationResult,
  type PartsReceiver,
  type PreparedRequest,
  type PublicError,
  type ResultTaker,
  refusedRequest,
  type SubscriptionEnd,
  SubscriptionEnded,
} from '../../pipeline/index.ts';
import type { IncrementalFlow, IncrementalFormats } from '../../sources/index.ts';
import type { ResponseBody } from './protocol.ts';

/** Receives the results of one operation. */
export interface Receiver {
  /** @returns a promise if the receiver has no room for more yet. */
  next(body: ResponseBody): Promise<void> | undefined;
  /** Receives the error that rejected or ended the operation. Nothing follows it. */
  error(errors: readonly PublicError[]): void;
  complete(): void;
}

/** An operation whose results are being delivered. */
export interface SubscriptionStream {
  readonly isSubscription: boolean;
  /** Resolves at the end, whether the operation completed or failed. */
  readonly over: Promise<void>;
  /** Ends the operation. Nothing more is received except the error, if there is one. */
  stop(end: SubscriptionEnd, error?: GatewayError): void;
}

/**
 * Runs an operation of any kind and delivers its results. Results of a subscription are delivered as fast as the receiver
 * accepts them.
 *
 * @param parts the formats for incremental delivery. Without them, responses are complete.
 */
export function streamResults(
  prepared: PreparedRequest,
  operations: OperationPipeline,
  receiver: Receiver,
  parts?: IncrementalFormats,
): SubscriptionStream {
  if (prepared.kind === 'rejected') {
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
  const { started, over } = isSubscription
    ? deliverEvents(prepared, operations, whileWanted)
    : deliverAnswer(prepared, operations, whileWanted, parts);
  return {
    isSubscription,
    over,
    stop: (end, error) => {
      if (isStopped) return;
      isStopped = true;
      started.close(end);
      if (!error) return;
      prepared.context.record?.addError(error.code);
      receiver.error([refusedRequest(error)]);
    },
  };
}

function bodyOf({ data, errors, text, beside: { extensions } }: OperationResult): ResponseBody {
  return text !== undefined
    ? { text }
    : { ...(errors && { errors }), data, ...(extensions !== undefined && { extensions }) };
}

interface StartedOperation {
  readonly started: { close(end: SubscriptionEnd): void };
  readonly over: Promise<void>;
}

function deliverAnswer(
  executable: ExecutableRequest,
  operations: OperationPipeline,
  receiver: Receiver,
  formats: IncrementalFormats | undefined,
): StartedOperation {
  const over = new Promise<void>((resolve, reject) => {
    const complete = () => {
      receiver.complete();
      resolve();
    };
    const answered = async (result: OperationResult) => {
      await receiver.next(bodyOf(result));
      complete();
    };
    operations.execute(
      executable,
      { withEnvelope: false, asBytes: false },
      // A result may be nested too deeply to be serialized. If this error were thrown here, it would look like a failure of the
      // call, which has ended.
      (result) => void answered(result).catch(reject),
      formats && executable.plans.incremental && partsReceiver(formats, receiver, complete),
    );
  });
  return { started: { close: () => executable.context.cancellation.cancel() }, over };
}

/** Delivers each part as a separate result. */
function partsReceiver(formats: IncrementalFormats, receiver: Receiver, ended: () => void): PartsReceiver {
  let flow: IncrementalFlow | undefined;
  return {
    formats,
    begun: (_http, _parameters, ofParts) => {
      flow = ofParts;
    },
    part: (json) => {
      const room = receiver.next(parseServiceJson(json.toString('utf8')) as ResponseBody);
      if (!room) return;
      flow?.pause();
      void room.then(() => flow?.resume());
    },
    ended,
  };
}

function deliverEvents(
  executable: ExecutableRequest,
  operations: OperationPipeline,
  receiver: Receiver,
): StartedOperation {
  const subscription = operations.subscribe(executable);
  const { record } = executable.context;
  if (record) record.events = 0;
  const over = new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => {
      subscription.close('failed');
      if (!(error instanceof SubscriptionEnded)) return reject(error);
      record?.addErrors(error.errors);
      receiver.error(error.errors);
      resolve();
    };
    const taker: ResultTaker = {
      result: (result) => {
        if (record) record.events = (record.events ?? 0) + 1;
        record?.addErrors(result.errors);
        try {
          const room = receiver.next(bodyOf(result));
          if (room) void room.then(takeNext);
          else takeNext();
        } catch (error) {
          // A result may be nested too deeply to be serialized.
          failed(error as Error);
        }
      },
      ended: (error) => {
        if (error) return failed(error);
        receiver.complete();
        resolve();
      },
    };
    let isTaking = false;
    let hasTaken = false;
    /** Results that are available immediately are taken in a loop, since thousands of pending events would exceed the stack. */
    const takeNext = () => {
      hasTaken = true;
      if (isTaking) return;
      isTaking = true;
      while (hasTaken) {
        hasTaken = false;
        subscription.next(taker);
      }
      isTaking = false;
    };
    // The caller must have the stream before results arrive.
    queueMicrotask(takeNext);
  });
  const close = (end: SubscriptionEnd) => {
    executable.context.cancellation.cancel();
    subscription.close(end);
  };
  return { started: { close }, over };
}
