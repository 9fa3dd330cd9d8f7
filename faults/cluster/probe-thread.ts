import { parentPort } from 'node:worker_threads';
import { type Misbehaviour, openProbeService } from './probe-service.ts';

// The probe service in a thread of its own: it answers in time however busy the thread is that makes the load.
const service = await openProbeService();
parentPort?.on('message', (way: Misbehaviour | undefined) => service.misbehave(way));
parentPort?.postMessage(service.url);
