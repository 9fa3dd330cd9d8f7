import { GatewayError } from '../errors.ts';
import { acceptedParts, type EventStreamType, type Exchange, type OperationLog } from '../http/index.ts';
import type { InvalidOperation, Operations, ReadyOperation } from '../operation/index.ts';
import type { Authenticator } from '../session/index.ts';
import { type Delivery, deliver, type Receiver } from './delivery.ts';
import type { ConnectionLimits } from './limits.ts';
import type { Places } from './places.ts';
import type { ResponseBody } from './protocol.ts';
import { watchSession } from './session-watch.ts';
import { STREAM_FORMATS } from './stream-formats.ts';

export interface EventStreamsOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly limits: ConnectionLimits;
  readonly logOperation: OperationLog;
  readonly places: Places;
}

/** Answers with event streams: GraphQL over SSE in its "distinct connections mode", and Apollo's multipart protocol. */
export interface EventStreams {
  /** @throws GatewayError before anything of the answer is sent. */
  answer(exchange: Exchange, prepared: ReadyOperation | InvalidOperation, type: EventStreamType): Promise<void>;
  /** Ends the streams of subscriptions, in a way that makes clients come back; all others finish. */
  leave(): void;
}

/** What a service is asked for whose parts become events: the form that the most services and clients know. */
const ANY_PARTS = 'multipart/mixed; deferSpec=20220824';

export function openEventStreams({
  operations,
  authenticator,
  limits,
  logOperation,
  places,
}: EventStreamsOptions): EventStreams {
  /** What cuts each stream of a subscription. */
  const streams = new Set<() => void>();
  let isLeaving = false;

  /** The end is logged with its request. */
  function logStart({ requestId, clientAddress, request, record }: Exchange): void {
    if (record)
      logOperation?.({ event: 'subscription.started', requestId, clientAddress, headers: request.headers, record });
  }

  async function answer(
    exchange: Exchange,
    prepared: ReadyOperation | InvalidOperation,
    type: EventStreamType,
  ): Promise<void> {
    const format = STREAM_FORMATS[type];
    const { response, log } = exchange;
    if (isLeaving) throw new GatewayError('service-unavailable', 'the gateway is stopping');
    const giveBack = places.take();
    if ('session' in prepared && prepared.session.cookies.length > 0)
      response.setHeader('set-cookie', prepared.session.cookies);
    response.writeHead(200, format.headers);
    // Some browsers take an answer for begun only when there is something of its body.
    response.write(format.opening);

    let patience: NodeJS.Timeout | undefined;
    const write = (text: string): Promise<void> | undefined => {
      if (response.writableEnded || response.destroyed) return undefined;
      response.write(text);
      if (response.writableLength <= limits.maxUnsentBytes) return undefined;
      return new Promise((resolve) => {
        patience ??= setTimeout(() => {
          log.warn({ reason: 'the client does not read what it is sent' }, 'an event stream was given up');
          response.destroy();
        }, limits.slowClientMs);
        const goOn = () => {
          clearTimeout(patience);
          patience = undefined;
          response.off('drain', goOn);
          response.off('close', goOn);
          resolve();
        };
        response.on('drain', goOn);
        response.on('close', goOn);
      });
    };
    const next = (body: ResponseBody) => write(format.next(body));
    const complete = () => {
      void write(format.complete);
      // It keeps its place until it has been read.
      exchange.watchReading();
      response.end();
    };
    const keepAlive = setInterval(() => {
      if (!patience) void write(format.heartbeat);
    }, limits.keepAliveMs);
    const receiver: Receiver = {
      next,
      error: (errors) => {
        void ('errors' in prepared ? next({ errors }) : write(format.failure(errors)));
        complete();
      },
      complete,
    };
    const parts = acceptedParts(exchange.request.headers.accept) ?? ANY_PARTS;
    const delivery: Delivery = deliver(prepared, operations, receiver, format.takesParts ? parts : undefined);
    // Without `complete`, so that the client knows that there is more to be had. The connection ends with the stream: over
    // one that is kept open, its client would come back to the gateway that is about to stop.
    const { socket } = response;
    const cut = () => response.end(() => socket?.destroySoon());
    if (delivery.isSubscription) {
      streams.add(cut);
      logStart(exchange);
    }
    const stopWatching =
      'session' in prepared && delivery.isSubscription
        ? watchSession(prepared.session, authenticator, (reason) => delivery.stop(reason))
        : () => {};
    response.once('close', () => {
      giveBack();
      clearInterval(keepAlive);
      clearTimeout(patience);
      stopWatching();
      streams.delete(cut);
      delivery.stop();
    });
    await delivery.over.catch((error: unknown) => {
      log.error({ err: error }, 'an event stream failed in an unforeseen way');
      response.destroy();
    });
  }

  return {
    answer,
    leave: () => {
      isLeaving = true;
      for (const cut of streams) cut();
    },
  };
}
