export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  setupFilesAfterEnv: ['<rootDir>/test/second-try.ts'],
  // Suites mostly wait for processes and databases, so every core gets one.
  maxWorkers: '100%',
  // Suites in native modules leave memory behind, and collecting it again and again costs more than a new worker.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 60_000,
};
