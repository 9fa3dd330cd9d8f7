#!/usr/bin/env node
// The command `portico`. What has changed since the last time is compiled first, but not by a worker: it runs the code that
// the process runs which has started it.
import '../build/node-version.mjs';
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';
import { bundlePackages } from '../build/packages.mjs';

const PROGRAM = '../dist/gateway/cli/main.js';
const say = (text) => process.stderr.write(`${text}\n`);
try {
  const packageDir = fileURLToPath(new URL('..', import.meta.url));
  if (cluster.isPrimary) {
    await bundlePackages(packageDir, () => say('bundling packages'));
    await compile(packageDir, (files) => say(`compiling ${files} files`));
  }
} catch (error) {
  say(`portico: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
const words = process.argv.slice(2);
const { withYoungGeneration } = await import('../dist/platform/young-generation.js');
const environment = withYoungGeneration(process.env);
if (words[0] === 'serve' && environment !== process.env) serveAsChild();
else await import(PROGRAM);

/**
 * Runs the gateway as a process of its own: V8 reads the size of the young generation when a process starts. The gateway gets the
 * signals that this process gets, and stops when this process is gone.
 */
function serveAsChild() {
  const gateway = fork(fileURLToPath(new URL(PROGRAM, import.meta.url)), words, { env: environment });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => gateway.kill(signal));
  process.on('disconnect', () => gateway.connected && gateway.disconnect());
  gateway.on('message', (message) => process.connected && process.send(message));
  gateway.once('exit', (code) => process.exit(code ?? 1));
}
