import { createServer, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

// A service whose subscription `tick` returns the time, over graphql-transport-ws. POST /notes is a subgraph that adds a note
// to each tick. GET /start?perSecond=1&count=10 sends ticks, and GET /stats returns the number of requests. `node
// ticker-main.js <port>`.

interface Stats {
  /** The number of open subscriptions. */
  open: number;
  /** The number of requests for notes. */
  notes: number;
  sent: number;
}

const stats: Stats = { open: 0, notes: 0, sent: 0 };
const subscribers = new Map<WebSocket, string>();
const text = 'x'.repeat(100);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ticker');
  if (pathname === '/start') {
    startTicks(Number(searchParams.get('perSecond')), Number(searchParams.get('count')));
    sendJson(response, {});
  } else if (pathname === '/stats') sendJson(response, stats);
  else if (pathname === '/notes') {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      stats.notes++;
      const { representations = [] } = JSON.parse(body).variables ?? {};
      sendJson(response, { data: { _entities: (representations as object[]).map(() => ({ note: text })) } });
    });
  } else sendJson(response, { errors: [{ message: 'this service has subscriptions only' }] });
});
const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' });
sockets.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'connection_init') socket.send('{"type":"connection_ack"}');
    else if (message.type === 'subscribe') {
      subscribers.set(socket, message.id);
      stats.open++;
    } else if (message.type === 'complete') forget(socket);
  });
  socket.on('close', () => forget(socket));
});
server.listen(Number(process.argv[2]), '127.0.0.1');

function forget(socket: WebSocket): void {
  if (subscribers.delete(socket)) stats.open--;
}

function startTicks(perSecond: number, count: number): void {
  const began = performance.now();
  const from = stats.sent;
  const tick = () => {
    while (stats.sent - from < count && performance.now() >= began + ((stats.sent - from) * 1_000) / perSecond) send();
    if (stats.sent - from < count) setTimeout(tick, 1);
  };
  tick();
}

function send(): void {
  stats.sent++;
  const at = performance.timeOrigin + performance.now();
  const payload = JSON.stringify({ data: { tick: { __typename: 'Tick', id: String(stats.sent), at, text } } });
  for (const [socket, id] of subscribers)
    socket.send(`{"id":${JSON.stringify(id)},"type":"next","payload":${payload}}`);
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
