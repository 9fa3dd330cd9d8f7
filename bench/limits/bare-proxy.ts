import { Agent, createServer, request } from 'node:http';

// A reverse proxy with only node:http. It parses nothing and pipes everything.
const upstream = new URL(process.env.UPSTREAM ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

createServer((incoming, response) => {
  const { method, headers } = incoming;
  const forwarded = request(
    { host: upstream.hostname, port: upstream.port, path: '/a', method, headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  forwarded.on('error', () => response.writeHead(502).end());
  incoming.pipe(forwarded);
}).listen(Number(process.env.PORT), '127.0.0.1');
