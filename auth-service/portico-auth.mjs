#!/usr/bin/env node
// The command `portico-auth`. In a fresh checkout nothing is compiled yet, so that is done first.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiled = new URL('../dist/auth-service/cli/portico-auth.js', import.meta.url);
if (!existsSync(compiled))
  execFileSync('npm', ['run', '-s', 'build'], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' });
await import(compiled);
