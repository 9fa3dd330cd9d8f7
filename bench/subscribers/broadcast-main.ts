import { createServer, type ServerResponse } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';

// The minimum work by hand: one subscription at the ticker, whose events are sent to every client. There are no sessions,
// limits or slow clients. `node broadcast-main.js <port> <address of the ticker>`.

const [port, ticker = ''] = process.argv.slice(2);
const sockets = new Map<WebSocket, string>();
const streams = new Set<ServerResponse>();

const server = createServer((request, response) => {
  if (request.headers.accept !== 'text/event-stream') return response.end('ok');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(':\n\n');
  streams.add(response);
  return response.once('close', () => streams.delete(response));
});
const clients = new WebSocketServer({
  server,
  perMessageDeflate: false,
  handleProtocols: () => 'graphql-transport-ws',
});
clients.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'connection_init') socket.send('{"type":"connection_ack"}');
    else if (message.type === 'subscribe') sockets.set(socket, message.id);
  });
  socket.on('close', () => sockets.delete(socket));
});

const upstream = new WebSocket(ticker, 'graphql-transport-ws');
upstream.on('open', () => upstream.send('{"type":"connection_init"}'));
upstream.on('message', (data) => {
  const message = JSON.parse(String(data));
  if (message.type === 'connection_ack')
    upstream.send(
      JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 'subscription { tick { id at text } }' } }),
    );
  else if (message.type === 'next') broadcast(JSON.stringify(message.payload));
});
server.listen(Number(port), '127.0.0.1');

function broadcast(payload: string): void {
  for (const [socket, id] of sockets) socket.send(`{"id":${JSON.stringify(id)},"type":"next","payload":${payload}}`);
  const event = `event: next\ndata: ${payload}\n\n`;
  for (const stream of streams) stream.write(event);
}
