// Takes the place of jest's module system: suites, sources and packages are loaded by Node's own loader, once in a worker,
// in place of once for each suite in a sandbox of `node:vm`. There are no mocks of modules, snapshots or coverage.
const asyncHooks = require('node:async_hooks');
const nodeModule = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { sourceMapOf } = require('./compiled.cjs');
const { SequentialStorage } = require('./sequential-storage.cjs');

const HANDLERS = Symbol.for('EVENT_HANDLERS');
const OPTIONS_OF_RETRIES = ['RETRY_TIMES', 'LOG_ERRORS_BEFORE_RETRY', 'WAIT_BEFORE_RETRY', 'RETRY_IMMEDIATELY'].map(
  Symbol.for,
);

// Node 20 has only `register`, which newer ones warn of.
const hooks = join(__dirname, 'hooks.cjs');
if (nodeModule.registerHooks) nodeModule.registerHooks(require(hooks));
else nodeModule.register(pathToFileURL(hooks));

/** What `globals.mjs` gives to suites in place of `@jest/globals`. */
const current = { globals: undefined, environment: undefined };
globalThis[Symbol.for('portico.jest')] = current;

/** Tells one run of a file in this worker from the next: a watcher runs files again. */
let loaded = 0;

module.exports = class NativeRuntime {
  constructor(_config, environment) {
    current.environment = environment;
    for (const option of OPTIONS_OF_RETRIES) delete globalThis[option];
  }

  /** jest-circus keeps the state of one suite in module variables, so each suite gets it anew. */
  requireInternalModule(path) {
    delete globalThis[HANDLERS];
    delete require.cache[path];
    module.children = module.children.filter(({ filename }) => filename !== path);
    // From Node 22 on it is an accessor without a setter.
    const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value: SequentialStorage });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
    }
  }

  setGlobalsForRuntime(globals) {
    current.globals = globals;
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    loaded += 1;
    return import(`${pathToFileURL(path)}?suite=${loaded}`);
  }

  getSourceMaps() {
    return { get: sourceMapOf, [Symbol.iterator]: () => [][Symbol.iterator]() };
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}
  leaveTestCode() {}
  resetModules() {}
  clearAllMocks() {}
  resetAllMocks() {}
  restoreAllMocks() {}
  teardown() {}
};
