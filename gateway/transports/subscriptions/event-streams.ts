import type { Authenticator } from '../../access/session/index.ts';
import { gatewayStopping, internalError } from '../../errors.ts';
import { type OperationPipeline, type PreparedRequest, refusedRequest } from '../../pipeline/index.ts';
import {
  acceptedPartsOfEvents,
  type EventStreamType,
  type HttpExchange,
  type LiveConnections,
  type OperationLog,
} from '../http/index.ts';
import type { SubscriptionLimits } from './limits.ts';
import type { ResponseBody } from './protocol.ts';
import { watchSessionExpiry } from './session-expiry.ts';
import { STREAM_FORMATS } from './stream-formats.ts';
import { StreamWriter } from './stream-writer.ts';
import { type Receiver, type SubscriptionStream, streamResults } from './subscription-stream.ts';

export interface EventStreamsOptions {
  readonly operations: OperationPipeline;
  readonly authenticator: Authenticator;
  readonly limits: SubscriptionLimits;
  readonly logOperation: OperationLog;
  readonly live: LiveConnections;
}

/** Responds with event streams: GraphQL over SSE in "distinct connections mode", and Apollo's multipart protocol. */
export interface EventStreams {
  /** @throws GatewayError before any part of the response is sent. */
  answer(exchange: HttpExchange, prepared: PreparedRequest, type: EventStreamType): Promise<void>;
  /** Ends the streams of subscriptions in a way that makes clients reconnect. All other streams finish. */
  leave(): void;
}

export function openEventStreams({
  operations,
  authenticator,
  limits,
  logOperation,
  live,
}: EventStreamsOptions): EventStreams {
  /** Functions that cancel the streams of subscriptions. */
  const streams = new Set<() => void>();
  let isLeaving = false;

  /** The end is logged with the request. */
  function logStart({ requestId, clientAddress, request, record }: HttpExchange): void {
    if (record)
      logOperation?.({ event: 'subscription.started', requestId, clientAddress, headers: request.headers, record });
  }

  async function answer(exchange: HttpExchange, prepared: PreparedRequest, type: EventStreamType): Promise<void> {
    const format = STREAM_FORMATS[type];
    const { response, log } = exchange;
    if (isLeaving) throw gatewayStopping();
    const slot = live.take();
    if (prepared.kind === 'executable' && prepared.session.cookies.length > 0)
      response.setHeader('set-cookie', prepared.session.cookies);
    response.writeHead(200, format.headers);
    // Some browsers report a response only once part of its body has arrived.
    response.write(format.opening);

    const writer = new StreamWriter(response, limits, log);
    const next = (body: ResponseBody) => writer.write(format.next(body));
    const complete = () => {
      void writer.write(format.complete);
      // The stream keeps its connection slot until the client has read it.
      exchange.watchReading();
      response.end();
    };
    const keepAlive = setInterval(() => {
      if (!writer.isWaiting) void writer.write(format.heartbeat);
    }, limits.keepAliveMs);
    const receiver: Receiver = {
      next,
      error: (errors) => {
        void (prepared.kind === 'rejected' ? next({ errors }) : writer.write(format.failure(errors)));
        complete();
      },
      complete,
    };
    const parts = acceptedPartsOfEvents(exchange.request.headers.accept);
    const delivery: SubscriptionStream = streamResults(
      prepared,
      operations,
      receiver,
      format.takesParts ? parts : undefined,
    );
    // The stream ends without `complete`, so that the client knows that the subscription continues. The connection is closed
    // too. Otherwise the client would use it to reconnect to the gateway that is stopping.
    const { socket } = response;
    const cut = () => response.end(() => socket?.destroySoon());
    if (delivery.isSubscription) {
      streams.add(cut);
      logStart(exchange);
    }
    const stopWatching =
      prepared.kind === 'executable' && delivery.isSubscription
        ? watchSessionExpiry(prepared.session, authenticator, (reason) => delivery.stop('credentials', reason))
        : () => {};
    response.once('close', () => {
      slot.release();
      clearInterval(keepAlive);
      writer.stop();
      stopWatching();
      streams.delete(cut);
      delivery.stop(isLeaving ? 'shutdown' : 'client');
    });
    await delivery.over.catch((error: unknown) => {
      log.error({ event: 'event_stream.failed', err: error }, 'event stream failed unexpectedly');
      // A client would reopen an incomplete stream, and it would fail again in the same way.
      if (response.destroyed || response.writableEnded) response.destroy();
      else receiver.error([refusedRequest(internalError())]);
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
