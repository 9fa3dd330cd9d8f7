import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import { describeProblem } from '../../../gateway/metadata/index.ts';
import { DEFAULT_RESILIENCE } from '../../../gateway/upstream/resilience/index.ts';
import { load, problemsIn } from './load.ts';

const remote = (resilience: string) =>
  problemsIn({
    'remote_schemas.yaml': `- name: shop\n  definition:\n    url: http://shop\n    resilience: ${resilience}\n`,
  }).map(describeProblem);

describe('how a source is called', () => {
  test('may be said in part', () => {
    const resilience = { retries: { limit: 0 }, circuit_breaker: { enabled: false }, deduplicate: 'in-flight' };
    const shop = { name: 'shop', definition: { url: 'http://shop', resilience } };
    expect(load({ 'remote_schemas.yaml': [shop] }).remoteSchemas[0]?.definition.resilience).toEqual(resilience);
  });

  test.each([
    ['{ retrys: {} }', 'unknown key "retrys": did you mean "retries"?'],
    ['{ retries: { limit: 11 } }', 'Too big: expected number to be <=10'],
    ['{ circuit_breaker: { failure_percent: 0 } }', 'Too small: expected number to be >=1'],
    ['{ concurrency: { max_in_flight: 0 } }', 'Too small: expected number to be >=1'],
    ['{ connect_timeout_seconds: -1 }', 'Too small: expected number to be >0'],
    ['{ deduplicate: true }', 'expected one of "never"|"unsent"|"in-flight"'],
  ])('is reported with file and line where it is invalid: %s', (resilience, message) => {
    const [problem, ...others] = remote(resilience);
    expect(others).toEqual([]);
    expect(problem).toContain('remote_schemas.yaml:4 [0].definition.resilience');
    expect(problem).toContain(message);
  });

  test('is reported with its place for actions, too', () => {
    const actions = [{ name: 'pay', definition: { handler: 'http://a', resilience: { retries: { limit: -1 } } } }];
    const problems = problemsIn({ 'actions.yaml': { actions }, 'actions.graphql': 'type Query { pay: Int }' });
    expect(problems.map(({ path }) => path)).toEqual(['actions[0].definition.resilience.retries.limit']);
  });
});

test('the settings for all sources say by default what the documentation says, and can be changed', () => {
  const settings = (more: NodeJS.ProcessEnv = {}) =>
    readConfig({ HASURA_GRAPHQL_ADMIN_SECRET: 'secret', ...more }).resilience;
  expect(settings()).toEqual(DEFAULT_RESILIENCE);
  expect(
    settings({
      PORTICO_UPSTREAM_CONNECT_TIMEOUT_SECONDS: '1',
      PORTICO_UPSTREAM_HEADERS_TIMEOUT_SECONDS: '2',
      PORTICO_UPSTREAM_RETRIES: '3',
      PORTICO_UPSTREAM_RETRY_BUDGET_PERCENT: '4',
      PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT: '5',
      PORTICO_UPSTREAM_BREAKER_MINIMUM_REQUESTS: '6',
      PORTICO_UPSTREAM_BREAKER_WINDOW_SECONDS: '7',
      PORTICO_UPSTREAM_BREAKER_OPEN_SECONDS: '8',
      PORTICO_UPSTREAM_MAX_IN_FLIGHT: '9',
      PORTICO_UPSTREAM_MAX_QUEUE: '10',
      PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS: '11',
      PORTICO_UPSTREAM_DEDUPLICATE: 'never',
    }),
  ).toEqual({
    connectTimeoutMs: 1_000,
    headersTimeoutMs: 2_000,
    retries: { limit: 3, budgetPercent: 4, backoffMs: 50 },
    circuitBreaker: { failurePercent: 5, minimumRequests: 6, windowMs: 7_000, openMs: 8_000, halfOpenProbes: 3 },
    concurrency: { maxInFlight: 9, maxQueue: 10, queueTimeoutMs: 11_000 },
    deduplicate: 'never',
  });
  expect(settings({ PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT: '0' }).circuitBreaker).toBeUndefined();
});
