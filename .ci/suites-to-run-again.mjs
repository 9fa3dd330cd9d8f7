// Prints the suites to run again after a run of all, a line each: those that failed, where all of them start processes and
// they are few. A suite that starts none fails for a reason of its own, and many failures are no accident.
//
// suites-to-run-again.mjs <results of jest as JSON>
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const MOST = 3;
const PACKAGE_DIR = resolve(import.meta.dirname, '..');

const text = readFileSync(process.argv[2], { encoding: 'utf8', flag: 'a+' });
if (text !== '') {
  const { startsProcesses } = await import('../dist/build/suites.js');
  const failed = JSON.parse(text)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(PACKAGE_DIR, name));
  if (failed.length <= MOST && failed.every((suite) => startsProcesses(PACKAGE_DIR, suite)))
    for (const suite of failed) process.stdout.write(`${suite}\n`);
}
