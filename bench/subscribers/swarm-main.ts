import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

// Many clients of a subscription over raw sockets, which cost less than real clients. GET /stats returns what they have
// received since the last call. `node swarm-main.js <own port> <file with the plan>`.

export interface SwarmPlan {
  readonly port: number;
  readonly transport: 'graphql-transport-ws' | 'server-sent events';
  readonly query: string;
  /** The token of each client. */
  readonly tokens: readonly string[];
}

/** What the clients have received since the last call. Times are in milliseconds. */
export interface SwarmStats {
  readonly subscribed: number;
  readonly closed: number;
  /** The time from the first connection to the last subscription. */
  readonly connectMs: number;
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const AT_ONCE = 50;
const AT = Buffer.from('"at":');
const ACKNOWLEDGED = Buffer.from('connection_ack');
const PING = 0x89;
/** A pong without a payload and with a zero mask. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const HEAD_END = Buffer.from('\r\n\r\n');
const [ownPort, planFile = ''] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, 'utf8')) as SwarmPlan;
const began = performance.now();
let opened = 0;
let subscribed = 0;
let closed = 0;
let connectMs = 0;
let delays: number[] = [];

createServer((_, response) => {
  const sorted = Float64Array.from(delays).sort();
  delays = [];
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const stats: SwarmStats = { subscribed, closed, connectMs, events: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
  response.end(JSON.stringify(stats));
}).listen(Number(ownPort), '127.0.0.1');
for (let first = 0; first < AT_ONCE; first++) openNext();

function openNext(): void {
  const token = plan.tokens[opened];
  if (token === undefined) return;
  opened++;
  const socket = connect(plan.port, '127.0.0.1');
  socket.setNoDelay(true);
  let isSubscribed = false;
  const finish = () => {
    isSubscribed = true;
    subscribed++;
    connectMs = performance.now() - began;
    openNext();
  };
  const open = plan.transport === 'server-sent events' ? overEvents : overWebSocket;
  const isReady = open(socket, token);
  socket.on('data', (chunk) => {
    // Events are ASCII, so such a byte begins a ping (RFC 6455 section 5.5.2) or belongs to a length, for which a pong is
    // harmless.
    if (isSubscribed && chunk.includes(PING) && plan.transport === 'graphql-transport-ws') socket.write(PONG);
    if (isSubscribed) readTimes(chunk);
    else if (isReady(chunk)) finish();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed++;
    if (!isSubscribed) openNext();
  });
}

function readTimes(chunk: Buffer): void {
  const now = performance.timeOrigin + performance.now();
  for (let at = chunk.indexOf(AT); at >= 0; at = chunk.indexOf(AT, at + 1))
    delays.push(now - Number.parseFloat(chunk.toString('latin1', at + AT.length, at + AT.length + 20)));
}

/** @returns whether the client has subscribed, after a further chunk. */
function overEvents(socket: Socket, token: string): (chunk: Buffer) => boolean {
  const body = JSON.stringify({ query: plan.query });
  socket.write(
    `POST /v1/graphql HTTP/1.1\r\nhost: swarm\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return (chunk) => chunk.includes(HEAD_END);
}

function overWebSocket(socket: Socket, token: string): (chunk: Buffer) => boolean {
  socket.write(
    'GET /v1/graphql HTTP/1.1\r\nhost: swarm\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      'sec-websocket-protocol: graphql-transport-ws\r\n\r\n',
  );
  let isUpgraded = false;
  return (chunk) => {
    if (!isUpgraded && chunk.includes(HEAD_END)) {
      isUpgraded = true;
      socket.write(
        maskedFrame({ type: 'connection_init', payload: { headers: { authorization: `Bearer ${token}` } } }),
      );
    }
    if (!chunk.includes(ACKNOWLEDGED)) return false;
    socket.write(maskedFrame({ id: '1', type: 'subscribe', payload: { query: plan.query } }));
    return true;
  };
}

/** Returns a client's text frame (RFC 6455 section 5.2) with a zero mask, which changes nothing. */
function maskedFrame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const { length } = payload;
  const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}
