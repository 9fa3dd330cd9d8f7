import { createServer } from 'node:http';
import { dispatcherTo, sendResponse } from './dispatch.ts';

// A proxy with undici as its client. Bodies are read completely and passed on unparsed.
const dispatch = dispatcherTo(process.env.UPSTREAM ?? '');

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    dispatch('/a', chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), (answer) =>
      sendResponse(response, answer),
    );
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
