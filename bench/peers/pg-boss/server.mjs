import { createServer } from 'node:http';
import PgBoss from 'pg-boss';

// Accepts jobs over HTTP (ROLE=accept), or runs them by calling a webhook (ROLE=run), with the library's own means for both.
const { DATABASE_URL, PORT, ROLE, WEBHOOK_URL } = process.env;
/** How many jobs run at a time. */
const CONCURRENCY = 20;
/**
 * A batch that takes half a second is immediately followed by the next one, so that the poll interval limits only the latency.
 */
const BATCH = 500;
/** The minimum that the library allows. */
const POLL_SECONDS = 0.5;

const boss = new PgBoss({ connectionString: DATABASE_URL, max: 10 });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
await boss.createQueue('work');

if (ROLE === 'accept') {
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const id = await boss.send('work', JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id }));
  }).listen(Number(PORT), '127.0.0.1');
} else {
  await boss.work('work', { batchSize: BATCH, pollingIntervalSeconds: POLL_SECONDS }, async (jobs) => {
    const left = jobs.values();
    const runs = Array.from({ length: CONCURRENCY }, async () => {
      for (const { data } of left) await callWebhook(data);
    });
    await Promise.all(runs);
  });
}

async function callWebhook(data) {
  const response = await fetch(WEBHOOK_URL, { method: 'POST', body: JSON.stringify(data) });
  await response.text();
}
