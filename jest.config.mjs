import { availableParallelism, totalmem } from 'node:os';

/** Suites wait for processes, databases and deadlines for more than half of their time, so three more than there are cores run at once. */
const WAITING = 3;
/** What a worker and the processes of its suite take at most. */
const WORKER_BYTES = 2.5 * 2 ** 30;

export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Suites, sources and packages are loaded by Node itself, once in a worker: see docs/development.md.
  runtime: '<rootDir>/test/native-modules/runtime.cjs',
  testEnvironment: '<rootDir>/test/native-modules/environment.cjs',
  transform: {},
  injectGlobals: false,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/second-try.ts', '<rootDir>/test/fixed-seed.ts'],
  testSequencer: '<rootDir>/test/longest-first.cjs',
  maxWorkers: Math.max(1, Math.min(availableParallelism() + WAITING, Math.floor(totalmem() / WORKER_BYTES))),
  // Suites leave memory behind (PGlite's, above all), and collecting it again and again costs more than a new worker.
  workerIdleMemoryLimit: '1GB',
  // It decides when a test that hangs gives up, and is no measure: a busy machine may be slow.
  testTimeout: 120_000,
};
