#!/usr/bin/env node
// The command `portico-auth`. Changed sources are compiled first.
import '../build/node-version.mjs';
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';
import { bundlePackages } from '../build/packages.mjs';
import { generateClient } from '../prisma/generate.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
try {
  const packageDir = fileURLToPath(new URL('..', import.meta.url));
  await generateClient(() => say('generating the database client'));
  await bundlePackages(packageDir, () => say('bundling packages'));
  await compile(packageDir, (files) => say(`compiling ${files} files`));
} catch (error) {
  say(`portico-auth: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
await import('../dist/auth-service/cli/portico-auth.js');
