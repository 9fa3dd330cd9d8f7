#!/usr/bin/env node
// The command `portico`. What has changed since the last time is compiled first, but not by a worker: it runs the code that
// the process runs which has started it.
import '../build/node-version.mjs';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';
import { bundlePackages } from '../build/packages.mjs';

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
await import('../dist/gateway/operations/cli/main.js');
