import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { COMPILED_DIR } from '../../bench/package-dir.ts';
import type { ChaosWebhook, WebhookCall } from './webhook.ts';

/** Starts the webhook in a thread of its own. */
export async function startChaosWebhook(): Promise<ChaosWebhook> {
  const thread = new Worker(join(COMPILED_DIR, 'faults/jobs/webhook-thread.js'));
  const [url] = (await once(thread, 'message')) as [string];
  return {
    url,
    calls: async () => {
      thread.postMessage('calls');
      const [calls] = (await once(thread, 'message')) as [readonly WebhookCall[]];
      return calls;
    },
    close: async () => {
      await thread.terminate();
    },
  };
}
