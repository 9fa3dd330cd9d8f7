import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import type { Span } from '../../../../platform/index.ts';
import type { GatewayError } from '../../../errors.ts';
import { MAX_INFORMATIONAL_RESPONSES } from '../../../upstream/index.ts';
import { refuseUpgrade, type UpgradeRequest } from '../../http/index.ts';
import { serviceTimeout, serviceUnreachable } from '../errors.ts';
import { headersOfAnswer, headProblem } from './answer-headers.ts';
import { headersWithContext, startCall } from './call-span.ts';
import { CONNECT_TIMEOUT_MS } from './connections.ts';
import type { PendingClient } from './pending-client.ts';
import type { RelayTarget } from './relay.ts';

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface WebSocketTarget extends Omit<RelayTarget, 'dispatcher'> {
  readonly origin: string;
}

/**
 * Relays a WebSocket to a service. The handshake has its own connection, which is never reused: whatever the service responds,
 * no other request follows on it.
 *
 * @param client its bytes after the handshake are for the service, once the service has switched protocols.
 */
export function relayWebSocket(
  incoming: UpgradeRequest,
  socket: Socket,
  client: PendingClient,
  target: WebSocketTarget,
): void {
  new Handshake(incoming, socket, client, target).start();
}

class Handshake implements Dispatcher.DispatchHandler {
  readonly #incoming: UpgradeRequest;
  readonly #socket: Socket;
  readonly #pending: PendingClient;
  readonly #target: WebSocketTarget;
  readonly #client: Client;
  readonly #idle: NodeJS.Timeout;
  /** The service's refusal, as far as it has arrived. */
  #refusal: ServerResponse | undefined;
  #informational = 0;
  #isOver = false;
  #span: Span | undefined;

  constructor(incoming: UpgradeRequest, socket: Socket, pending: PendingClient, target: WebSocketTarget) {
    this.#incoming = incoming;
    this.#socket = socket;
    this.#pending = pending;
    this.#target = target;
    this.#client = new Client(target.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
    this.#idle = setTimeout(() => this.#fail('timeout', serviceTimeout(target.name)), target.idleTimeoutMs);
  }

  start(): void {
    const { path, name, tracing } = this.#target;
    this.#span = startCall(this.#incoming.span, 'GET', name, tracing);
    const headers = headersWithContext(this.#target.headers, this.#span, tracing);
    this.#socket.once('close', this.#clientGone);
    this.#client.dispatch({ method: 'GET', path, headers, upgrade: 'websocket' }, this);
  }

  // undici recognizes this kind of handler by this method.
  onRequestStart(): void {}

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    _: number,
    answer: IncomingHttpHeaders,
    upstream: Duplex,
  ): void {
    // From here on nothing else listens for the connection's errors.
    upstream.on('error', () => {});
    const problem = switchProblem(answer, this.#incoming.request.headers);
    if (this.#isOver || problem !== undefined) {
      upstream.destroy();
      this.#fail(problem ?? '', serviceUnreachable(this.#target.name));
      return;
    }
    this.#span?.setAttribute('http.response.status_code', 101);
    this.#end();
    const socket = this.#socket;
    socket.off('close', this.#clientGone);
    this.#incoming.answered(101);
    socket.write(this.#switchingProtocols(controller, answer), 'latin1');
    relayBetween(socket, upstream as Socket, this.#pending.answered());
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#isOver) return;
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL_RESPONSES)
        this.#fail('too many informational responses', serviceUnreachable(this.#target.name));
      return;
    }
    this.#idle.refresh();
    const raw = (controller.rawHeaders ?? []) as Buffer[];
    const problem = headProblem(status, raw);
    if (problem) {
      this.#fail(problem, serviceUnreachable(this.#target.name));
      return;
    }
    const { request, requestId } = this.#incoming;
    const { policy, cookies } = this.#target;
    const headers = headersOfAnswer(status, raw, policy, request.headers.host);
    if (cookies.length > 0) headers['set-cookie'] = [...cookies, ...[headers['set-cookie'] ?? []].flat()];
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once('finish', () => this.#socket.destroySoon());
    // `writeHead` throws for an invalid header, so only a valid head is used.
    response.writeHead(status, { ...headers, 'x-request-id': requestId });
    this.#pending.answered();
    response.assignSocket(this.#socket);
    this.#incoming.answered(status);
    this.#refusal = response;
    this.#span?.setAttribute('http.response.status_code', status);
    // The response is complete (RFC 9112 section 6.3), but undici waits for a body if a 304 states its length.
    if (status === 204 || status === 304) this.onResponseEnd();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#idle.refresh();
    if (this.#refusal?.write(chunk)) return;
    controller.pause();
    this.#refusal?.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    this.#refusal?.end();
    void this.#client.destroy();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error.message, serviceUnreachable(this.#target.name));
  }

  readonly #clientGone = (): void => {
    if (this.#end()) void this.#client.destroy();
  };

  #fail(reason: string, error: GatewayError): void {
    if (!this.#isOver) this.#span?.fail(error.status === 504 ? 'timeout' : 'connection');
    if (!this.#end()) return;
    void this.#client.destroy();
    this.#incoming.log.warn(
      { event: 'upstream.call_failed', source: this.#target.name, reason },
      'call to a service failed',
    );
    if (this.#refusal) {
      this.#socket.destroy();
      return;
    }
    this.#pending.answered();
    refuseUpgrade(this.#incoming, this.#socket, error);
  }

  #switchingProtocols(controller: Dispatcher.DispatchController, answer: IncomingHttpHeaders): string {
    const { request, requestId } = this.#incoming;
    const { policy, cookies } = this.#target;
    const relayed = headersOfAnswer(101, (controller.rawHeaders ?? []) as Buffer[], policy, request.headers.host);
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'connection: Upgrade',
      'upgrade: websocket',
      `sec-websocket-accept: ${answer['sec-websocket-accept']}`,
      `x-request-id: ${requestId}`,
    ];
    for (const name of ['sec-websocket-protocol', 'sec-websocket-extensions'])
      if (answer[name] !== undefined) lines.push(`${name}: ${answer[name]}`);
    for (const cookie of [...cookies, ...[relayed['set-cookie'] ?? []].flat()]) lines.push(`set-cookie: ${cookie}`);
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  /** @returns false if the relay had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#span?.end();
    return true;
  }
}

/** Returns why a service's 101 response is not a valid WebSocket handshake (RFC 6455 section 4.1), or undefined if it is. */
function switchProblem(answer: IncomingHttpHeaders, asked: IncomingHttpHeaders): string | undefined {
  if (answer.upgrade?.toLowerCase() !== 'websocket') return 'it switched to something else than a WebSocket';
  const expected = createHash('sha1').update(`${asked['sec-websocket-key']}${GUID}`).digest('base64');
  if (answer['sec-websocket-accept'] !== expected) return 'its Sec-WebSocket-Accept is not the right one';
  const protocol = answer['sec-websocket-protocol'];
  if (protocol !== undefined && !items(asked['sec-websocket-protocol']).includes(protocol))
    return 'it chose a protocol that was not offered';
  const offered = items(asked['sec-websocket-extensions']).map(extensionName);
  if (!items(answer['sec-websocket-extensions']).every((extension) => offered.includes(extensionName(extension))))
    return 'it chose an extension that was not offered';
  return undefined;
}

function items(list: string | undefined): readonly string[] {
  return list?.split(',').map((item) => item.trim()) ?? [];
}

function extensionName(extension: string): string {
  return (extension.split(';')[0] ?? '').trim().toLowerCase();
}

/** Relays the bytes of both sides until one of them ends or breaks. */
function relayBetween(client: Socket, service: Socket, head: Buffer): void {
  for (const socket of [client, service]) {
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
  }
  if (head.length > 0) service.write(head);
  client.pipe(service).pipe(client);
  client.once('close', () => service.destroy());
  service.once('error', () => client.destroy());
  service.once('close', () => client.destroySoon());
}
