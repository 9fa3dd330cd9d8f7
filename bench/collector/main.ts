import { createServer } from 'node:http';

// A collector that accepts everything and stores nothing. GET /count returns the numbers of received requests and bytes.
let requests = 0;
let bytes = 0;

createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    if (request.method === 'POST') requests++;
    response.end(request.method === 'GET' ? JSON.stringify({ requests, bytes }) : '');
  });
}).listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 60_000;
