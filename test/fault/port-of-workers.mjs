import { execFileSync } from 'node:child_process';
import cluster from 'node:cluster';
import { listen } from '../../dist/platform/index.js';

// Two processes that share a port, as the gateway's workers do, and may open few files, unlike the main process. Prints a
// line with the port when both listen.
const WORKERS = 2;

if (cluster.isPrimary) {
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  for (const worker of workers) worker.once('exit', () => process.exit(1));
  const listening = workers.map((worker) => new Promise((resolve) => worker.once('listening', resolve)));
  // Port 0 is the same one for all of them.
  const [{ port }] = await Promise.all(listening);
  process.stdout.write(`listening on ${port}\n`);
} else {
  execFileSync('prlimit', [`--nofile=${process.env.OPEN_FILES}`, `--pid=${process.pid}`]);
  const answer = (_, response) => response.end('"answered"');
  await listen(answer, { host: '127.0.0.1', port: 0, portVariable: 'PORT' });
}
