// Prints the slowest suites, the tests that needed a second try, and the totals of jest as the last line. Exits with 1 when a
// test failed or none was run.
//
// totals.mjs <results of the run of all suites as JSON> [<results of suites that were run again>]
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 10;

const print = (line) => process.stdout.write(`${line}\n`);

const runs = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
if (runs.length === 0 || runs.includes('')) {
  print('0 passed, 1 failed');
  process.exit(1);
}
// A suite that was run again counts as it ended then.
const suites = new Map(runs.flatMap((text) => JSON.parse(text).testResults).map((suite) => [suite.name, suite]));

const tests = [...suites.values()].flatMap(({ assertionResults }) => assertionResults);
for (const { invocations, status, fullName } of tests) if (invocations > 1) print(`second try, ${status}: ${fullName}`);

print('The slowest suites, in seconds:');
const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000;
const slowest = [...suites.values()].sort((one, other) => seconds(other) - seconds(one)).slice(0, SLOWEST);
for (const suite of slowest) print(`${seconds(suite).toFixed(1).padStart(7)}  ${relative('.', suite.name)}`);

const count = (wanted) => tests.filter(({ status }) => status === wanted).length;
// A suite that could not be run at all has no tests.
const broken = [...suites.values()].filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
);
const failed = count('failed') + broken.length;
const passed = count('passed');
print(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
