// Prints the suites to run again after a run of all, a line each: those that failed, where they are few. Next to suites of
// processes, any suite can miss a deadline on a busy machine; a suite that is broken fails again by itself, and many
// failures are no accident.
//
// suites-to-run-again.mjs <results of jest as JSON>...
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST = 4;

const texts = process.argv.slice(2).map((path) => readFileSync(path, { encoding: 'utf8', flag: 'a+' }));
const failed = texts
  .filter((text) => text !== '')
  .flatMap((text) => JSON.parse(text).testResults)
  .filter(({ status }) => status === 'failed');
if (failed.length <= MOST) for (const { name } of failed) process.stdout.write(`${relative('.', name)}\n`);
