// How Node loads what suites import: TypeScript is compiled, and `@jest/globals` are those of the running suite. They keep
// the package's address, so that jest leaves their frames out of stacks.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { compiled } = require('./compiled.cjs');

const GLOBALS = readFileSync(join(__dirname, 'globals.mjs'));

function load(url, context, next) {
  if (url.endsWith('/node_modules/@jest/globals/build/index.js'))
    return { format: 'module', source: GLOBALS, shortCircuit: true };
  if (!/\.ts(\?|$)/.test(url) || !url.startsWith('file:')) return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
}

module.exports = { load };
