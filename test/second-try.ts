import { relative, resolve } from 'node:path';
import { expect, jest } from '@jest/globals';
import { startsProcesses } from '../build/suites.ts';

const PACKAGE_DIR = resolve(import.meta.dirname, '..');

/**
 * A suite that starts processes waits for the machine, and now and then a busy one is too slow for it. A test of such a
 * suite that fails is tried once more, with its first failure printed; `.ci/run` lists those that needed it. A test of any
 * other suite that fails has failed.
 */
const { testPath } = expect.getState();
if (testPath !== undefined && startsProcesses(PACKAGE_DIR, relative(PACKAGE_DIR, testPath)))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
