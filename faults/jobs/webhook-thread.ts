import { parentPort } from 'node:worker_threads';
import { openChaosWebhook } from './webhook.ts';

// The webhook in a thread of its own: it sees the ends of connections in time however busy the thread is that makes the load.
const webhook = await openChaosWebhook();
parentPort?.on('message', async () => parentPort?.postMessage(await webhook.calls()));
parentPort?.postMessage(webhook.url);
