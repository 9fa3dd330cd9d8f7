// Filters of jest, `--filter`: `npm test` runs the suites that start no process, `npm run test:system` the others (`system.cjs`).
// A suite belongs to a tier by what it imports, so that no list has to be kept.
const { relative } = require('node:path');

/** @param processes whether the suites that start processes are wanted, or those that start none */
function suitesOf(processes) {
  return async (paths) => {
    const { startsProcesses } = await import('../../dist/build/suites.js');
    const packageDir = `${__dirname}/../..`;
    return { filtered: paths.filter((path) => startsProcesses(packageDir, relative(packageDir, path)) === processes) };
  };
}

module.exports = suitesOf(false);
module.exports.suitesOf = suitesOf;
