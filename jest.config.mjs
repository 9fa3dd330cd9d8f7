export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Suites, sources and packages are loaded by Node itself, once in a worker: see docs/development.md.
  runtime: '<rootDir>/test/native-modules/runtime.cjs',
  testEnvironment: '<rootDir>/test/native-modules/environment.cjs',
  transform: {},
  injectGlobals: false,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/services.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/second-try.ts', '<rootDir>/test/fixed-seed.ts'],
  // Suites mostly wait for processes and databases, so every core gets one.
  maxWorkers: '100%',
  // Suites leave memory behind (PGlite's, above all), and collecting it again and again costs more than a new worker.
  workerIdleMemoryLimit: '1GB',
  // It decides when a test that hangs gives up, and is no measure: a busy machine may be slow.
  testTimeout: 120_000,
};
