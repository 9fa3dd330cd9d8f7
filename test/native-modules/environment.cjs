// The environment of every suite: Node itself, without a sandbox. Suites of one worker share globals and modules, which
// is what makes the suites cheap: nothing is evaluated a second time.
const { createRequire } = require('node:module');
const { setFlagsFromString } = require('node:v8');

// Jest's own packages, in the versions that the test runner uses.
const requireOfJest = createRequire(require.resolve('jest-circus'));
const { ModernFakeTimers } = createRequire(requireOfJest.resolve('jest-runtime'))('@jest/fake-timers');

// A worker's databases (PGlite) and planners end before optimized WebAssembly would win back what optimizing it costs.
// As `keepWasmUnoptimized` of platform/, which a CommonJS module cannot load.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

// What a suite opens listens for the end of the process, and the suites of a worker share it.
process.setMaxListeners(0);

module.exports = class NativeEnvironment {
  global = globalThis;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
  }
};
