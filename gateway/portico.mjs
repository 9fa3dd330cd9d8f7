#!/usr/bin/env node
// The command `portico`. What has changed since the last time is compiled first.
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
try {
  await compile(fileURLToPath(new URL('..', import.meta.url)), (files) => say(`compiling ${files} files`));
} catch (error) {
  say(`portico: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
await import('../dist/gateway/cli/main.js');
