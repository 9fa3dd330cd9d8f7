// The order of suites: those that take longest begin first, so that no worker is left with one of them at the end while the
// others have nothing to do. Jest knows how long a suite took the last time on this machine; for the others, and in a clean
// clone for all, it goes by the size of their files, which is no measure: what a suite imports tells more.
const { createRequire } = require('node:module');
const { relative } = require('node:path');

// Jest's own, in the version that it uses.
const requireOf = (name, from) => createRequire(from.resolve(name));
const requireOfConfig = requireOf('jest-config', requireOf('@jest/core', requireOf('jest', require)));
const { default: Sequencer } = requireOfConfig('@jest/test-sequencer');

module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = super.sort([...tests]);
    const packageDir = tests[0]?.context.config.rootDir;
    const { expectedSeconds, importsOf } = await import('../dist/build/suites.js').catch(() => ({}));
    // It is compiled by `npm run build`.
    if (tests.length < 2 || importsOf === undefined) return sorted;
    const imports = importsOf(packageDir);
    const seconds = new Map(
      tests.map((test) => [
        test,
        test.duration === undefined ? expectedSeconds(imports, relative(packageDir, test.path)) : test.duration / 1_000,
      ]),
    );
    // Those that failed the last time stay in front.
    const rank = (test) => (this.hasFailed(test) ? Number.POSITIVE_INFINITY : seconds.get(test));
    return sorted.sort((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)));
  }
};
