import { createServer } from 'node:http';
import { makeWorkerUtils, run } from 'graphile-worker';

// Accepts jobs over HTTP (ROLE=accept), or runs them by calling a webhook (ROLE=run), with the library's own means for both.
const { DATABASE_URL, PORT, ROLE, WEBHOOK_URL } = process.env;
/** How many jobs run at a time. */
const CONCURRENCY = 20;

if (ROLE === 'accept') {
  const utils = await makeWorkerUtils({ connectionString: DATABASE_URL, maxPoolSize: 10 });
  await utils.migrate();
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id } = await utils.addJob('work', JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id }));
  }).listen(Number(PORT), '127.0.0.1');
} else {
  await run({
    connectionString: DATABASE_URL,
    concurrency: CONCURRENCY,
    maxPoolSize: 10,
    noHandleSignals: true,
    taskList: {
      async work(data) {
        const response = await fetch(WEBHOOK_URL, { method: 'POST', body: JSON.stringify(data) });
        await response.text();
      },
    },
  });
}
