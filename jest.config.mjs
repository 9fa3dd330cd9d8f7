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
  // Suites mostly wait for processes and databases, so every core gets one.
  maxWorkers: '100%',
  testTimeout: 60_000,
};
