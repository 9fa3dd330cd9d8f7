import { describe, expect, test } from '@jest/globals';
import { describeProblem } from '../../../gateway/metadata/index.ts';
import { load, loadExport, problemsIn } from './load.ts';

const withJobs = { hasJobsDatabase: true };
const TRIGGER = { name: 'nightly', webhook: '{{HOOK_URL}}', schedule: '0 0 * * *', include_in_metadata: true };
const OWNER = { name: 'orders', secret_from_env: 'A', sources: ['/a'], types: ['*'], tenants: ['1'] };
const SUBSCRIPTION = { name: 'one', types: ['a.*'], tenants: [1], webhook: 'http://a', secret_from_env: 'B' };

describe('cron_triggers.yaml', () => {
  test('is read as Hasura writes it, with its defaults', () => {
    const { cronTriggers, ignored } = load(
      {
        'cron_triggers.yaml': `- name: eod_reports
  webhook: https://mywebhook.com/eod
  schedule: 0 22 * * 1-5
  include_in_metadata: true
  payload: {}
  retry_conf:
    num_retries: 3
    timeout_seconds: 120
    tolerance_seconds: 21675
    retry_interval_seconds: 12
  comment: This is a comment
- name: short
  webhook: { from_env: SHORT_URL }
  schedule: '*/5 * * * *'
  include_in_metadata: false
  time_zone: Europe/Berlin
  response_transform: { version: 2, template_engine: Kriti }
`,
      },
      withJobs,
    );
    expect(cronTriggers).toMatchObject([
      {
        name: 'eod_reports',
        webhook: { url: 'https://mywebhook.com/eod' },
        schedule: { expression: '0 22 * * 1-5', timeZone: 'UTC' },
        payload: {},
        headers: [],
        retry_conf: { num_retries: 3, timeout_seconds: 120, tolerance_seconds: 21_675, retry_interval_seconds: 12 },
      },
      {
        webhook: { url_from_env: 'SHORT_URL' },
        schedule: { timeZone: 'Europe/Berlin' },
        retry_conf: { num_retries: 0, timeout_seconds: 60, tolerance_seconds: 21_600, retry_interval_seconds: 10 },
      },
    ]);
    expect(ignored).toEqual([
      expect.objectContaining({ line: 17, what: expect.stringContaining('a response transform of a cron trigger') }),
    ]);
  });

  test('is read from an export', () => {
    const content = { metadata: { version: 3, cron_triggers: [TRIGGER] } };
    expect(loadExport(content).ignored).toEqual([
      expect.objectContaining({ what: expect.stringContaining('HASURA_GRAPHQL_METADATA_DATABASE_URL') }),
    ]);
  });

  test('is listed as ignored where there is no database for jobs, and nothing is where it is empty', () => {
    const without = load({ 'cron_triggers.yaml': [TRIGGER] });
    expect(without.cronTriggers).toEqual([]);
    expect(without.ignored).toMatchObject([
      { file: 'cron_triggers.yaml', what: expect.stringContaining('HASURA_GRAPHQL_METADATA_DATABASE_URL') },
    ]);
    expect(load({ 'cron_triggers.yaml': '[]' }).ignored).toEqual([]);
  });

  test.each<[what: string, yaml: string, problem: string]>([
    [
      'an expression that is none',
      '- name: a\n  webhook: http://a\n  schedule: 60 * * * *\n',
      'cron_triggers.yaml:3 [0].schedule: expected 0 to 59 in the field minute',
    ],
    [
      'an expression that never comes',
      '- name: a\n  webhook: http://a\n  schedule: 0 0 30 2 *\n',
      'cron_triggers.yaml:3 [0].schedule: there is no such day, so it would never run',
    ],
    [
      'a time zone that is none',
      '- name: a\n  webhook: http://a\n  schedule: 0 0 * * *\n  time_zone: Berlin\n',
      'cron_triggers.yaml:4 [0].time_zone: expected a name of the IANA time zone database, such as Europe/Berlin',
    ],
    [
      'no schedule',
      '- name: a\n  webhook: http://a\n',
      'cron_triggers.yaml:1 [0].schedule: is missing: expected string',
    ],
    [
      'a misspelt key',
      '- name: a\n  webhook: http://a\n  shedule: 0 0 * * *\n  schedule: 0 0 * * *\n',
      'cron_triggers.yaml:3 [0].shedule: unknown key "shedule": did you mean "schedule"?',
    ],
    [
      'a negative number of retries',
      '- name: a\n  webhook: http://a\n  schedule: 0 0 * * *\n  retry_conf: { num_retries: -1 }\n',
      'cron_triggers.yaml:4 [0].retry_conf.num_retries: Too small: expected number to be >=0',
    ],
    [
      'a template that is none',
      '- name: a\n  webhook: http://a\n  schedule: 0 0 * * *\n  request_transform:\n    version: 2\n    url: "{{$nope}}"\n',
      'cron_triggers.yaml:6 [0].request_transform.url: ',
    ],
    [
      'a name twice',
      '- { name: a, webhook: http://a, schedule: 0 0 * * * }\n- { name: a, webhook: http://a, schedule: 0 0 * * * }\n',
      'cron_triggers.yaml:2 [1].name: "a" already exists: names are unique',
    ],
    [
      'a name with a NUL',
      '- { name: "a\\0", webhook: http://a, schedule: 0 0 * * * }\n',
      'cron_triggers.yaml:1 [0].name: expected a name without control characters',
    ],
  ])('is refused with its line: %s', (_, yaml, problem) => {
    const [found, ...others] = problemsIn({ 'cron_triggers.yaml': yaml }, withJobs).map(describeProblem);
    expect(found?.slice(0, problem.length)).toBe(problem);
    expect(others).toEqual([]);
  });
});

describe('deliveries.yaml', () => {
  test('is read, with its defaults', () => {
    const { deliveries } = load(
      { 'deliveries.yaml': { producers: [OWNER], subscriptions: [{ ...SUBSCRIPTION, order_key: 'none' }] } },
      withJobs,
    );
    expect(deliveries).toMatchObject({
      producers: [{ name: 'orders', tenants: ['1'] }],
      subscriptions: [
        {
          tenants: ['1'],
          order_key: undefined,
          retry_conf: { num_retries: 10, retry_interval_seconds: 5, timeout_seconds: 30, tolerance_seconds: 259_200 },
        },
      ],
    });
  });

  test('is refused where there is no database for jobs', () => {
    expect(problemsIn({ 'deliveries.yaml': { producers: [OWNER] } })).toMatchObject([
      { file: 'deliveries.yaml', message: expect.stringContaining('HASURA_GRAPHQL_METADATA_DATABASE_URL') },
    ]);
    expect(load({ 'deliveries.yaml': '{}' }).deliveries).toEqual({ producers: [], subscriptions: [] });
  });

  test.each<[what: string, content: object, path: string, message: string]>([
    [
      'no tenants',
      { producers: [{ ...OWNER, tenants: undefined }] },
      'producers[0]',
      'exactly one of tenants and all_tenants',
    ],
    [
      'both',
      { producers: [{ ...OWNER, all_tenants: true }] },
      'producers[0]',
      'exactly one of tenants and all_tenants',
    ],
    ['an empty list', { producers: [{ ...OWNER, tenants: [] }] }, 'producers[0].tenants', 'Too small'],
    [
      'all tenants denied',
      { subscriptions: [{ ...SUBSCRIPTION, tenants: undefined, all_tenants: false }] },
      'subscriptions[0].all_tenants',
      'expected true',
    ],
    [
      'a wildcard in the middle',
      { subscriptions: [{ ...SUBSCRIPTION, types: ['a.*.b'] }] },
      'subscriptions[0].types[0]',
      'a single "*" at its end',
    ],
    [
      'no secret',
      { subscriptions: [{ ...SUBSCRIPTION, secret_from_env: undefined }] },
      'subscriptions[0].secret_from_env',
      'is missing',
    ],
    [
      'an order by what is no attribute',
      { subscriptions: [{ ...SUBSCRIPTION, order_key: 'Order-Id' }] },
      'subscriptions[0].order_key',
      'attribute of CloudEvents',
    ],
    ['a name twice', { subscriptions: [SUBSCRIPTION, SUBSCRIPTION] }, 'subscriptions[1].name', 'already exists'],
  ])('is refused: %s', (_, content, path, message) => {
    expect(problemsIn({ 'deliveries.yaml': content }, withJobs)).toEqual([
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    ]);
  });
});
