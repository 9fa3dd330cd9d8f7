// TypeScript as JavaScript, kept on disk beside its source map until the source or the compiler changes.
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join, relative, resolve, sep } = require('node:path');
const { fileURLToPath } = require('node:url');

const ROOT = resolve(__dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/suites');

const OPTIONS = {
  configFile: false,
  swcrc: false,
  sourceMaps: true,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { verbatimModuleSyntax: true } },
  module: { type: 'es6' },
};

/** What the output depends on beside the source. */
const COMPILER = JSON.stringify([require('@swc/core/package.json').version, OPTIONS]);

/** @param {string} file an absolute path */
function compiled(file) {
  const source = readFileSync(file);
  const mark = `//# source ${createHash('sha1').update(COMPILER).update(source).digest('base64url')}\n`;
  const output = outputOf(file);
  try {
    const kept = readFileSync(output, 'utf8');
    if (kept.endsWith(mark)) return kept;
  } catch {
    // It has not been compiled yet.
  }
  const { transformSync } = require('@swc/core');
  const { code, map } = transformSync(source.toString(), { ...OPTIONS, filename: file, sourceFileName: file });
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  replace(output, code + mark);
  return code;
}

/** @param {string} place a path or `file:` address, as frames of stacks have them */
function sourceMapOf(place) {
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return file.endsWith('.ts') && file.startsWith(ROOT + sep) ? `${outputOf(file)}.map` : undefined;
}

function outputOf(file) {
  return join(CACHE, `${relative(ROOT, file)}.js`);
}

/** Two workers may compile the same file at once. */
function replace(file, content) {
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, content);
  renameSync(aside, file);
}

module.exports = { compiled, sourceMapOf };
