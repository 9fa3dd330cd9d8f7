import { jest } from '@jest/globals';

/**
 * Most suites drive real processes, sockets and databases, and now and then a busy machine is too slow for one of them.
 * A test that fails is therefore tried once more, with its first failure printed; `.ci/run` lists those that needed it.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
