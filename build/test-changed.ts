// `npm run test:changed [-- <commit>]`: an answer in seconds about what differs from a commit, the last one by default. Runs
// the linter on the changed files, the type check, and a choice of suites.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseSuites, importsOf } from './suites.ts';

const packageDir = resolve(import.meta.dirname, '../..');
const [baseRevision = 'HEAD'] = process.argv.slice(2);

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: packageDir, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

const changed = [...git('diff', '--name-only', baseRevision), ...git('ls-files', '--others', '--exclude-standard')];
const { chosen, left, unimported } = chooseSuites(importsOf(packageDir), changed);
const existing = changed.filter((file) => existsSync(resolve(packageDir, file)));

const checks = await Promise.all([
  run(
    'biome',
    'check',
    '--error-on-warnings',
    '--no-errors-on-unmatched',
    ...(existing.length > 0 ? existing : ['package.json']),
  ),
  run('tsc', '-p', 'tsconfig.test.json'),
]);
const suites = await run('jest', '--runTestsByPath', ...chosen);
if (left.length > 0)
  process.stdout.write(
    `Not run, further suites that import what has changed: ${left.length}. npm test and npm run test:system run all.\n`,
  );
if (unimported.length > 0)
  process.stdout.write(
    `No suite imports: ${unimported.join(', ')}. npm test runs those that use them in other ways.\n`,
  );
process.exitCode = [...checks, suites].every((code) => code === 0) ? 0 : 1;

/** Runs a command of `node_modules/.bin` and resolves with its exit code. */
function run(command: string, ...args: string[]): Promise<number | null> {
  const child = spawn(resolve(packageDir, 'node_modules/.bin', command), args, { cwd: packageDir, stdio: 'inherit' });
  return new Promise((done, fail) => child.once('error', fail).once('close', done));
}
