// In place of the package `@jest/globals`, which only jest's own module system can load.
const current = globalThis[Symbol.for('portico.jest')];

/** Modules are shared by suites, so what they import leads to the suite that runs. */
const ofTheSuite = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _this, args) => current.globals[name](...args),
    get: (_target, property) => current.globals[name][property],
  });

export const afterAll = ofTheSuite('afterAll');
export const afterEach = ofTheSuite('afterEach');
export const beforeAll = ofTheSuite('beforeAll');
export const beforeEach = ofTheSuite('beforeEach');
export const describe = ofTheSuite('describe');
export const expect = ofTheSuite('expect');
export const it = ofTheSuite('it');
export const test = ofTheSuite('test');

export const jest = {
  advanceTimersByTimeAsync: (ms) => current.environment.fakeTimersModern.advanceTimersByTimeAsync(ms),
  retryTimes(times, { logErrorsBeforeRetry } = {}) {
    globalThis[Symbol.for('RETRY_TIMES')] = times;
    globalThis[Symbol.for('LOG_ERRORS_BEFORE_RETRY')] = logErrorsBeforeRetry;
  },
  useFakeTimers: () => current.environment.fakeTimersModern.useFakeTimers(),
  useRealTimers: () => current.environment.fakeTimersModern.useRealTimers(),
};
