// Imported first by the programs of a checkout: an older Node would fail somewhere in a library, with an error that does not
// name the cause.
import { readFileSync } from 'node:fs';

/**
 * @param {string} version such as `20.19.0`
 * @param {string} range `engines.node` of package.json, such as `>=20.19`
 * @returns {string | undefined} why this version cannot be used
 */
export function nodeVersionProblem(version, range) {
  const oldest = range.replace(/^>=/, '');
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor = 0] = oldest.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node ${oldest} or newer is needed, this is ${version}: install a newer one, or select it, such as by "nvm use 22"`;
}

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const problem = nodeVersionProblem(process.versions.node, engines.node);
if (problem) {
  process.stderr.write(`portico: ${problem}\n`);
  process.exit(1);
}
