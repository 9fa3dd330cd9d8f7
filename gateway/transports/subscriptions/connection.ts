import type { IncomingHttpHeaders } from 'node:http';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { Cancellation } from '../../../platform/index.ts';
import type { Authenticator } from '../../access/session/index.ts';
import { type GatewayError, toLoggedError, tooManyConcurrentOperations } from '../../errors.ts';
import { type OperationPipeline, refusedRequest } from '../../pipeline/index.ts';
import { readOperationRequest } from '../graphql-http/index.ts';
import { type IncomingRequest, isNestedTooDeep, type OperationLog, type OperationSpans } from '../http/index.ts';
import { closeReason } from './close-reason.ts';
import { connectionHeaders } from './connection-headers.ts';
import { invalidConnectionInit, operationsTooLong } from './errors.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { SubscriptionLimits } from './limits.ts';
import { OperationContexts } from './operation-contexts.ts';
import { hasRoomFor } from './operation-memory.ts';
import type { ClientMessage, CloseFrame, Protocol } from './protocol.ts';
import { SendQueue } from './send-queue.ts';
import { ConnectionExpiry } from './session-expiry.ts';
import { type Receiver, type SubscriptionStream, streamResults } from './subscription-stream.ts';

export interface ConnectionDependencies {
  readonly socket: WebSocket;
  readonly incoming: IncomingRequest;
  readonly protocol: Protocol;
  readonly operations: OperationPipeline;
  readonly authenticator: Authenticator;
  readonly limits: SubscriptionLimits;
  readonly logOperation: OperationLog;
  readonly operationSpans: OperationSpans;
}

const TOO_MANY_INITS: CloseFrame = {
  code: CloseCode.TooManyInitialisationRequests,
  reason: 'Too many initialisation requests',
};
const NOT_INITIALISED: CloseFrame = { code: CloseCode.Unauthorized, reason: 'Unauthorized' };
const INTERNAL_ERROR_CLOSE: CloseFrame = { code: CloseCode.InternalServerError, reason: 'Internal server error' };

/** A client's operation, from its preparation to the end of its results. */
interface Running {
  readonly cancellation: Cancellation;
  /** The length of the operation's message in characters. */
  readonly length: number;
  delivery: SubscriptionStream | undefined;
}

/** The graceful close of a connection, which waits for queries and mutations to finish. */
interface GracefulClose {
  readonly ending: CloseFrame;
  /** The error that is sent to subscriptions, if there is one. */
  readonly reason?: GatewayError;
}

/** A WebSocket, from the handshake to its end. */
export class Connection {
  readonly #parts: ConnectionDependencies;
  readonly #contexts: OperationContexts;
  readonly #sendQueue: SendQueue;
  readonly #running = new Map<string, Running>();
  /** Operations that arrived before the connection was acknowledged. */
  readonly #early: { readonly id: string; readonly payload: unknown; readonly length: number }[] = [];
  #headers: IncomingHttpHeaders = {};
  #state: 'new' | 'initialising' | 'open' = 'new';
  #departure: GracefulClose | undefined;
  #initTimer: NodeJS.Timeout;
  readonly #heartbeat: Heartbeat;
  #count = 0;
  readonly #expiry: ConnectionExpiry;

  constructor(parts: ConnectionDependencies) {
    this.#parts = parts;
    this.#contexts = new OperationContexts(parts);
    this.#expiry = new ConnectionExpiry(parts.authenticator);
    const { socket, limits, protocol } = parts;
    this.#sendQueue = new SendQueue(socket, limits, () => this.#giveUp('the client does not read its messages'));
    this.#initTimer = setTimeout(() => this.#end(protocol.initTimeout()), limits.initTimeoutMs);
    this.#heartbeat = startHeartbeat(socket, {
      everyMs: limits.keepAliveMs,
      // A full send queue has its own timeout, and meanwhile nothing is read from the client, not even pongs.
      isExcused: () => this.#sendQueue.isFull,
      onPing: () => {
        if (this.#state === 'open') this.#say(protocol.keepAlive);
      },
      onSilence: () => this.#giveUp('the client does not respond'),
    });
    // Each message comes in a single buffer.
    socket.on('message', (data, isBinary) => {
      const isText = !isBinary && Buffer.isBuffer(data) && !isNestedTooDeep(data);
      this.#receive(isText ? String(data) : '');
    });
    // The close code describes the error.
    socket.on('error', () => {});
    socket.once('close', () => this.#closed());
  }

  /** The number of operations so far. */
  get count(): number {
    return this.#count;
  }

  /** Accepts no new operations, lets queries and mutations finish, and closes with the code that makes clients reconnect. */
  leave(): void {
    this.#depart({ ending: { code: 1001, reason: 'Going away' } });
  }

  #receive(text: string): void {
    this.#heartbeat.heard();
    const { protocol } = this.#parts;
    if (this.#isOver) return;
    try {
      const message = protocol.read(text);
      if (message) this.#follow(message, text.length);
      else this.#object(protocol.badMessage());
    } catch (thrown) {
      // Nothing above would catch the error, and it would end the process.
      this.#foreseen(thrown);
      this.#end(INTERNAL_ERROR_CLOSE);
    }
  }

  #follow(message: ClientMessage, length: number): void {
    switch (message.type) {
      case 'init':
        if (this.#state === 'new') this.#initialise(message.payload);
        else this.#end(TOO_MANY_INITS);
        break;
      case 'ping':
        this.#say(message.answer);
        break;
      case 'terminate':
        this.#end({ code: 1000, reason: '' });
        break;
      case 'stop':
        this.#stop(message.id);
        break;
      case 'subscribe':
        if (this.#state === 'open') this.#start(message.id, message.payload, length);
        else if (this.#mayWait(length)) this.#early.push({ id: message.id, payload: message.payload, length });
        else this.#end(NOT_INITIALISED);
    }
  }

  #mayWait(length: number): boolean {
    const { protocol, limits } = this.#parts;
    if (this.#state !== 'initialising' || !protocol.takesEarlyOperations) return false;
    return this.#early.length < limits.maxOperations && hasRoomFor(length, this.#early, limits.maxMessageBytes);
  }

  #initialise(payload: unknown): void {
    clearTimeout(this.#initTimer);
    this.#state = 'initialising';
    const { incoming, protocol } = this.#parts;
    const refuse = (error: GatewayError) => this.#end(protocol.initRefused(refusedRequest(error)));
    const read = connectionHeaders(incoming.request.headers, payload);
    if ('problem' in read) {
      refuse(invalidConnectionInit(read.problem));
      return;
    }
    this.#headers = this.#contexts.takeTraceContext(read.headers);
    this.#admit().then(
      () => this.#open(),
      (thrown) => refuse(this.#foreseen(thrown)),
    );
  }

  /** Verifies the credentials. Without credentials, the client may still send operations that need none. */
  async #admit(): Promise<void> {
    const { authenticator, incoming } = this.#parts;
    const session = await authenticator.authenticateIfShown(this.#headers, incoming.clientAddress);
    if (session && !this.#isOver) this.#expiry.watch(session, (reason) => this.#expel(reason));
  }

  #open(): void {
    if (this.#isOver || this.#state !== 'initialising') return;
    this.#state = 'open';
    for (const message of this.#parts.protocol.acknowledge()) this.#say(message);
    for (const { id, payload, length } of this.#early.splice(0)) this.#start(id, payload, length);
  }

  #start(id: string, payload: unknown, length: number): void {
    const { protocol, limits } = this.#parts;
    if (this.#departure) return;
    if (this.#running.has(id)) this.#object(protocol.duplicate(id));
    else if (this.#running.size >= limits.maxOperations)
      this.#say(protocol.error(id, [refusedRequest(tooManyConcurrentOperations(limits.maxOperations))]));
    else if (!hasRoomFor(length, this.#running.values(), limits.maxMessageBytes))
      this.#say(protocol.error(id, [refusedRequest(operationsTooLong())]));
    else {
      this.#count++;
      const running: Running = { cancellation: new Cancellation(), length, delivery: undefined };
      this.#running.set(id, running);
      void this.#run(id, running, payload);
    }
  }

  async #run(id: string, running: Running, payload: unknown): Promise<void> {
    const { operations, protocol } = this.#parts;
    const isWanted = () => this.#running.get(id) === running;
    const operation = this.#contexts.open(this.#headers, payload, running.cancellation);
    const { context } = operation;
    const startedAt = performance.now();
    let stopWatching = () => {};
    const receiver: Receiver = {
      next: (body) => (isWanted() ? this.#sendQueue.send(protocol.next(id, body)) : undefined),
      error: (errors) => (isWanted() ? this.#last(id, protocol.error(id, errors)) : undefined),
      complete: () => (isWanted() ? this.#last(id, protocol.complete(id)) : undefined),
    };
    try {
      const request = readOperationRequest(payload);
      const prepared = await operations.prepare(request, context, { mayStream: true });
      if (prepared.kind === 'rejected') context.record?.addErrors(prepared.errors);
      if (!isWanted()) return;
      const delivery = streamResults(prepared, operations, receiver);
      running.delivery = delivery;
      if (delivery.isSubscription) operation.log('subscription.started');
      if (prepared.kind === 'executable' && delivery.isSubscription)
        stopWatching = this.#expiry.watchOperation(prepared.session, (reason) => delivery.stop('credentials', reason));
      if (this.#departure) this.#depart(this.#departure);
      await delivery.over;
    } catch (thrown) {
      const error = this.#foreseen(thrown);
      context.record?.addError(error.code);
      receiver.error([refusedRequest(error)]);
    } finally {
      stopWatching();
      operation.log('operation.ended', performance.now() - startedAt);
      operation.end();
      if (isWanted()) this.#running.delete(id);
      if (this.#departure) this.#depart(this.#departure);
    }
  }

  /** Sends the last message of an operation. Its id can then be used again. */
  #last(id: string, message: string): void {
    this.#running.delete(id);
    this.#say(message);
  }

  #stop(id: string): void {
    const early = this.#early.findIndex((message) => message.id === id);
    if (early >= 0) this.#early.splice(early, 1);
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.cancellation.cancel();
    running?.delivery?.stop('client');
  }

  /** Closes a connection whose credentials are no longer valid. Every subscription gets the reason. */
  #expel(reason: GatewayError): void {
    this.#depart({ ending: { code: CloseCode.Forbidden, reason: closeReason('Forbidden', reason.message) }, reason });
  }

  #depart(departure: GracefulClose): void {
    this.#departure ??= departure;
    const { ending, reason } = this.#departure;
    for (const { delivery } of [...this.#running.values()])
      if (delivery?.isSubscription) delivery.stop(reason ? 'credentials' : 'shutdown', reason);
    for (const [id, { delivery }] of this.#running) if (delivery?.isSubscription) this.#running.delete(id);
    if (this.#running.size === 0) this.#end(ending);
  }

  #say(message: string | undefined): void {
    if (message !== undefined) void this.#sendQueue.send(message);
  }

  #object(objection: CloseFrame | { readonly complaint: string }): void {
    if ('complaint' in objection) this.#say(objection.complaint);
    else this.#end(objection);
  }

  #giveUp(reason: string): void {
    this.#parts.incoming.log.warn({ event: 'websocket.aborted', reason }, 'WebSocket aborted');
    this.#parts.socket.terminate();
  }

  get #isOver(): boolean {
    const { socket } = this.#parts;
    return socket.readyState !== socket.OPEN;
  }

  #end({ message, code, reason }: CloseFrame): void {
    if (this.#isOver) return;
    this.#say(message);
    this.#parts.socket.close(code, reason);
  }

  #closed(): void {
    clearTimeout(this.#initTimer);
    this.#heartbeat.stop();
    this.#expiry.stop();
    for (const id of [...this.#running.keys()]) this.#stop(id);
  }

  #foreseen(thrown: unknown): GatewayError {
    return toLoggedError(thrown, this.#parts.incoming, 'an operation');
  }
}
