import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CloseCode } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import { explained, GatewayError } from '../errors.ts';
import { type Arrival, isNestedTooDeep, type OperationEvent, type OperationLog, RequestRecord } from '../http/index.ts';
import { type Client, type Operations, readOperation, refusedRequest } from '../operation/index.ts';
import type { Authenticator, Session } from '../session/index.ts';
import { Cancellation } from '../sources/index.ts';
import { closeReason } from './close-reason.ts';
import { connectionHeaders } from './connection-headers.ts';
import { type Delivery, deliver, type Receiver } from './delivery.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { ConnectionLimits } from './limits.ts';
import { Outbox } from './outbox.ts';
import type { ClientMessage, Ending, Protocol } from './protocol.ts';
import { watchSession } from './session-watch.ts';

export interface ConnectionParts {
  readonly socket: WebSocket;
  readonly arrival: Arrival;
  readonly protocol: Protocol;
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly limits: ConnectionLimits;
  readonly logOperation: OperationLog;
}

const TOO_MANY_INITS: Ending = {
  code: CloseCode.TooManyInitialisationRequests,
  reason: 'Too many initialisation requests',
};
const NOT_INITIALISED: Ending = { code: CloseCode.Unauthorized, reason: 'Unauthorized' };
const FAILED: Ending = { code: CloseCode.InternalServerError, reason: 'Internal server error' };

function tooManyOperations({ maxOperations }: ConnectionLimits): GatewayError {
  const message = `no more than ${maxOperations} operations run at a time over one connection`;
  return new GatewayError('operation-limit-exceeded', message);
}

/** An operation of the client: being prepared, then delivered. */
interface Running {
  readonly cancellation: Cancellation;
  delivery: Delivery | undefined;
}

/** A connection that ends when its queries and mutations have finished. */
interface Departure {
  readonly ending: Ending;
  /** Why its subscriptions end, where they are told. */
  readonly reason?: GatewayError;
}

/** One WebSocket, from the handshake to its end. */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #outbox: Outbox;
  readonly #running = new Map<string, Running>();
  /** Operations that came before the connection was acknowledged. */
  readonly #early: (ClientMessage & { type: 'subscribe' })[] = [];
  #headers: IncomingHttpHeaders = {};
  #state: 'new' | 'initialising' | 'open' = 'new';
  #departure: Departure | undefined;
  #initTimer: NodeJS.Timeout;
  readonly #heartbeat: Heartbeat;
  #count = 0;
  #session: Session | undefined;
  #stopWatching = () => {};

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, limits, protocol } = parts;
    this.#outbox = new Outbox(socket, limits, () => this.#giveUp('the client does not read what it is sent'));
    this.#initTimer = setTimeout(() => this.#end(protocol.initTimeout()), limits.initTimeoutMs);
    this.#heartbeat = startHeartbeat(socket, {
      everyMs: limits.keepAliveMs,
      // Who has to make room first is watched by the outbox, and not read from.
      isExcused: () => this.#outbox.isFull,
      onPing: () => {
        if (this.#state === 'open') this.#say(protocol.keepAlive);
      },
      onSilence: () => this.#giveUp('the client does not answer'),
    });
    socket.on('message', (data, isBinary) => this.#receive(isBinary || isDeep(data) ? '' : String(data)));
    // What went wrong is told by the close code.
    socket.on('error', () => {});
    socket.once('close', () => this.#closed());
  }

  /** Operations so far. */
  get count(): number {
    return this.#count;
  }

  /** Takes nothing more on, lets queries and mutations finish, and ends with the code that makes clients come back. */
  leave(): void {
    this.#depart({ ending: { code: 1001, reason: 'Going away' } });
  }

  #receive(text: string): void {
    this.#heartbeat.heard();
    const { protocol } = this.#parts;
    if (this.#isOver) return;
    try {
      const message = protocol.read(text);
      if (message) this.#follow(message);
      else this.#object(protocol.badMessage());
    } catch (thrown) {
      // Nobody above would catch it, and it would end the process.
      this.#foreseen(thrown);
      this.#end(FAILED);
    }
  }

  #follow(message: ClientMessage): void {
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
        if (this.#state === 'open') this.#start(message.id, message.payload);
        else if (this.#mayWait()) this.#early.push(message);
        else this.#end(NOT_INITIALISED);
    }
  }

  #mayWait(): boolean {
    const { protocol, limits } = this.#parts;
    return this.#state === 'initialising' && protocol.takesEarlyOperations && this.#early.length < limits.maxOperations;
  }

  #initialise(payload: unknown): void {
    clearTimeout(this.#initTimer);
    this.#state = 'initialising';
    const { arrival, protocol } = this.#parts;
    const refuse = (error: GatewayError) => this.#end(protocol.initRefused(refusedRequest(error)));
    const read = connectionHeaders(arrival.request.headers, payload);
    if ('problem' in read) {
      refuse(new GatewayError('bad-request', read.problem));
      return;
    }
    this.#headers = read.headers;
    this.#admit().then(
      () => this.#open(),
      (thrown) => refuse(this.#foreseen(thrown)),
    );
  }

  /** Whoever shows credentials is judged by them; whoever shows none may still send what needs none. */
  async #admit(): Promise<void> {
    const { authenticator } = this.#parts;
    const session = await authenticator.authenticateIfShown(this.#headers);
    if (!session || this.#isOver) return;
    this.#session = session;
    this.#stopWatching = watchSession(session, authenticator, (reason) => this.#expel(reason));
  }

  #open(): void {
    if (this.#isOver || this.#state !== 'initialising') return;
    this.#state = 'open';
    for (const message of this.#parts.protocol.acknowledge()) this.#say(message);
    for (const { id, payload } of this.#early.splice(0)) this.#start(id, payload);
  }

  #start(id: string, payload: unknown): void {
    const { protocol, limits } = this.#parts;
    if (this.#departure) return;
    if (this.#running.has(id)) this.#object(protocol.duplicate(id));
    else if (this.#running.size >= limits.maxOperations)
      this.#say(protocol.error(id, [refusedRequest(tooManyOperations(limits))]));
    else {
      this.#count++;
      const running: Running = { cancellation: new Cancellation(), delivery: undefined };
      this.#running.set(id, running);
      void this.#run(id, running, payload);
    }
  }

  async #run(id: string, running: Running, payload: unknown): Promise<void> {
    const { operations, protocol } = this.#parts;
    const isWanted = () => this.#running.get(id) === running;
    const client = this.#client(running.cancellation);
    const startedAt = performance.now();
    let stopWatching = () => {};
    const receiver: Receiver = {
      next: (body) => (isWanted() ? this.#outbox.send(protocol.next(id, body)) : undefined),
      error: (errors) => (isWanted() ? this.#last(id, protocol.error(id, errors)) : undefined),
      complete: () => (isWanted() ? this.#last(id, protocol.complete(id)) : undefined),
    };
    try {
      const request = readOperation(payload);
      const prepared = await operations.prepare(request, client, { mayStream: true });
      if ('errors' in prepared) client.record?.addErrors(prepared.errors);
      if (!isWanted()) return;
      const delivery = deliver(prepared, operations, receiver);
      running.delivery = delivery;
      if (delivery.isSubscription) this.#logOperation('subscription.started', client);
      if ('session' in prepared && delivery.isSubscription)
        stopWatching = this.#watchOwn(prepared.session, (reason) => delivery.stop(reason));
      if (this.#departure) this.#depart(this.#departure);
      await delivery.over;
    } catch (thrown) {
      const error = this.#foreseen(thrown);
      client.record?.addError(error.code);
      receiver.error([refusedRequest(error)]);
    } finally {
      stopWatching();
      this.#logOperation('operation.ended', client, performance.now() - startedAt);
      if (isWanted()) this.#running.delete(id);
      if (this.#departure) this.#depart(this.#departure);
    }
  }

  /** A hook that is asked about each operation may give each its own end. */
  #watchOwn(session: Session, ended: (reason: GatewayError) => void): () => void {
    if (session.standing === this.#session?.standing) return () => {};
    return watchSession(session, this.#parts.authenticator, ended);
  }

  /** Says the last thing about an operation; its id can be used again then. */
  #last(id: string, message: string): void {
    this.#running.delete(id);
    this.#say(message);
  }

  #client(cancellation: Cancellation): Client {
    const { arrival, logOperation } = this.#parts;
    const requestId = randomUUID();
    const log = arrival.log.child({ operation_id: requestId });
    const record = logOperation && new RequestRecord();
    return { headers: this.#headers, requestId, address: arrival.clientAddress, cancellation, log, record };
  }

  #logOperation(event: OperationEvent['event'], { requestId, headers, record }: Client, durationMs?: number): void {
    const { arrival, logOperation } = this.#parts;
    if (!record || !logOperation) return;
    const { requestId: ofHandshake, clientAddress } = arrival;
    logOperation({ event, requestId: ofHandshake, operationId: requestId, clientAddress, headers, record, durationMs });
  }

  #stop(id: string): void {
    const early = this.#early.findIndex((message) => message.id === id);
    if (early >= 0) this.#early.splice(early, 1);
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.cancellation.cancel();
    running?.delivery?.stop();
  }

  /** The credentials no longer hold: every subscription is told so, and the connection ends. */
  #expel(reason: GatewayError): void {
    this.#depart({ ending: { code: CloseCode.Forbidden, reason: closeReason('Forbidden', reason.message) }, reason });
  }

  #depart(departure: Departure): void {
    this.#departure ??= departure;
    const { ending, reason } = this.#departure;
    for (const { delivery } of [...this.#running.values()]) if (delivery?.isSubscription) delivery.stop(reason);
    for (const [id, { delivery }] of this.#running) if (delivery?.isSubscription) this.#running.delete(id);
    if (this.#running.size === 0) this.#end(ending);
  }

  #say(message: string | undefined): void {
    if (message !== undefined) void this.#outbox.send(message);
  }

  #object(objection: Ending | { readonly complaint: string }): void {
    if ('complaint' in objection) this.#say(objection.complaint);
    else this.#end(objection);
  }

  #giveUp(reason: string): void {
    this.#parts.arrival.log.warn({ reason }, 'a WebSocket was given up');
    this.#parts.socket.terminate();
  }

  get #isOver(): boolean {
    const { socket } = this.#parts;
    return socket.readyState !== socket.OPEN;
  }

  #end({ message, code, reason }: Ending): void {
    if (this.#isOver) return;
    this.#say(message);
    this.#parts.socket.close(code, reason);
  }

  #closed(): void {
    clearTimeout(this.#initTimer);
    this.#heartbeat.stop();
    this.#stopWatching();
    for (const id of [...this.#running.keys()]) this.#stop(id);
  }

  #foreseen(thrown: unknown): GatewayError {
    return explained(thrown, this.#parts.arrival, 'an operation');
  }
}

/** Messages come in one buffer each. */
function isDeep(data: RawData): boolean {
  return Buffer.isBuffer(data) && isNestedTooDeep(data);
}
