import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DATABASE_OPERATIONS } from '../../auth-service/database/index.ts';
import { freePort } from '../../bench/machine/free-port.ts';
import { availableEngines } from '../database/index.ts';
import { type OtlpReceiver, openOtlpReceiver } from '../otlp/index.ts';
import { type Exposed, readExposition } from '../prometheus.ts';
import { addClientTo } from './operator.ts';
import { THROTTLED } from './service.ts';
import { type SessionClient, sessionClient } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of alice that is long';
const DAY_MS = 86_400_000;
const START = Date.now();

describe.each(await availableEngines())('an operator, with %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let url: string;
  let collector: OtlpReceiver;
  let clock = START;
  const repeated: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    collector = await openOtlpReceiver();
    const port = await freePort();
    url = `http://127.0.0.1:${port}/metrics`;
    world = await createWorld(
      engine,
      {
        ...THROTTLED,
        AUTH_METRICS_PORT: String(port),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_BSP_SCHEDULE_DELAY: '500',
        AUTH_THROTTLE_ACCOUNT: 'free=3',
        AUTH_DATABASE_POOL_SIZE: '1',
        AUTH_HASH_THREADS: '1',
        AUTH_HASH_QUEUE_LIMIT: '2',
      },
      {
        now: () => new Date(clock),
        every: (_milliseconds, action) => {
          repeated.push(action);
          return () => {};
        },
      },
    );
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    for (const name of ['alice', 'bob', 'carol']) await world.addUser(1, name, PASSWORD);
  });
  afterAll(async () => {
    await world.close();
    await collector.close();
  });

  async function metrics(): Promise<Exposed> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return readExposition(await response.text());
  }

  /** What `action` adds to each sample; samples that stay are left out. */
  async function changes(action: () => Promise<unknown>): Promise<Exposed> {
    const before = await metrics();
    await action();
    const after = await metrics();
    return new Map(
      [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const).filter(([, by]) => by !== 0),
    );
  }

  /** What the service does again and again, now. */
  async function tick(): Promise<void> {
    for (const action of repeated) await action();
  }

  test('sees how logins end, and what they cost', async () => {
    const added = await changes(async () => {
      await client.login('alice', PASSWORD, 1);
      await world.service.login({ username: 'alice', password: 'wrong', tenant_id: 1 });
      await world.service.login({ username: 'alice', tenant_id: 1 });
    });
    expect(added.get('portico_auth_logins_total{outcome="success"}')).toBe(1);
    expect(added.get('portico_auth_logins_total{outcome="refused"}')).toBe(1);
    expect(added.get('portico_auth_logins_total{outcome="incomplete"}')).toBe(1);
    expect(added.get('portico_auth_logins_total{outcome="throttled"}')).toBeUndefined();
    expect(added.get('portico_auth_password_hash_duration_seconds_count')).toBe(2);
    expect(added.get('portico_auth_password_hash_duration_seconds_sum')).toBeGreaterThan(0);
    expect(added.get('portico_auth_password_hash_wait_seconds_count')).toBe(2);
    const now = await metrics();
    expect(now.get('portico_auth_password_hash_threads')).toBe(1);
    expect(now.get('portico_auth_password_hash_queued')).toBe(0);
    expect(now.get('portico_auth_password_hash_queue_limit')).toBe(2);
    expect(added.get('db_client_operation_duration_seconds_count{db_operation_name="find-account"}')).toBe(2);
    expect(added.get('db_client_operation_duration_seconds_count{db_operation_name="open-session"}')).toBe(1);
    expect(added.get('db_client_operation_duration_seconds_count{db_operation_name="count-attempt"}')).toBeGreaterThan(
      1,
    );
    expect(added.get('db_client_connection_wait_time_seconds_count')).toBeGreaterThanOrEqual(4);
    const route = 'http_request_method="POST",http_route="/graphql",http_response_status_code="200"';
    expect(added.get(`http_server_request_duration_seconds_count{${route}}`)).toBe(3);
  });

  test('sees attempts that are throttled, and by which counter', async () => {
    const added = await changes(async () => {
      for (let i = 0; i < 6; i++) await world.service.login({ username: 'bob', password: 'wrong', tenant_id: 1 });
    });
    const throttled = added.get('portico_auth_logins_total{outcome="throttled"}') ?? 0;
    expect(throttled).toBeGreaterThan(0);
    expect(added.get('portico_auth_logins_total{outcome="refused"}')).toBe(6 - throttled);
    expect(added.get('portico_auth_throttled_total{reason="account"}')).toBe(throttled);
    expect(added.get('portico_auth_password_hash_duration_seconds_count')).toBe(6 - throttled);
    // The first one is written at once; the others wait for the end of their minute.
    expect(added.get('portico_auth_audit_backlog')).toBe(throttled - 1);
  });

  test('sees refreshes, a copied refresh token and what it ended', async () => {
    const added = await changes(async () => {
      const { refresh_token: first } = await client.login('alice', PASSWORD, 1);
      const { result } = await client.refresh(first);
      await client.refresh(result.data?.refresh_token);
      await client.refresh(first);
      await client.refresh('no token of ours');
    });
    expect(added.get('portico_auth_refreshes_total{outcome="success"}')).toBe(2);
    expect(added.get('portico_auth_refreshes_total{outcome="reused"}')).toBe(1);
    expect(added.get('portico_auth_refreshes_total{outcome="refused"}')).toBe(1);
    expect(added.get('portico_auth_refresh_token_reuse_total')).toBe(1);
    expect(added.get('portico_auth_revocations_total{reason="reuse"}')).toBe(1);
    expect(added.get('db_client_operation_duration_seconds_count{db_operation_name="rotate-refresh-token"}')).toBe(2);
    expect(added.get('db_client_operation_duration_seconds_count{db_operation_name="resolve-reuse"}')).toBe(1);
  });

  test('sees what ended sessions', async () => {
    const added = await changes(async () => {
      const sessions = await Promise.all(Array.from({ length: 2 }, () => client.login('alice', PASSWORD, 1)));
      const [one, other] = sessions.map(({ access_token: token }) => token);
      const listed = await client.sessions(one);
      const foreign = listed.result?.find(({ current }) => !current);
      await client.revoke(foreign?.session_id, one);
      await client.login('alice', PASSWORD, 1);
      await client.logout({ all: true }, one);
      await client.logout(undefined, other);
    });
    expect(added.get('portico_auth_revocations_total{reason="session-revoke"}')).toBe(1);
    expect(added.get('portico_auth_revocations_total{reason="logout"}')).toBeGreaterThanOrEqual(2);
    expect(added.get('portico_auth_logouts_total{outcome="success"}')).toBe(1);
    expect(added.get('portico_auth_logouts_total{outcome="refused"}')).toBe(1);
  });

  test('sees a change of a password, and the sessions that it ended', async () => {
    const added = await changes(async () => {
      await client.login('alice', PASSWORD, 1);
      const { access_token: token } = await client.login('alice', PASSWORD, 1);
      await client.changePassword(PASSWORD, 'short', token);
      await client.changePassword(PASSWORD, `${PASSWORD} and new`, token);
    });
    expect(added.get('portico_auth_password_changes_total{outcome="refused"}')).toBe(1);
    expect(added.get('portico_auth_password_changes_total{outcome="success"}')).toBe(1);
    expect(added.get('portico_auth_revocations_total{reason="password-change"}')).toBeGreaterThanOrEqual(1);
  });

  test('sees service accounts', async () => {
    const account = { tenantId: 1, name: 'reports', allowedRoles: ['service'], defaultRole: 'service', scopes: [] };
    const { clientId, clientSecret } = await addClientTo(world.doors, account);
    const post = async (path: string, form: Record<string, string>) => {
      const response = await fetch(world.service.url + path, { method: 'POST', body: new URLSearchParams(form) });
      return JSON.parse((await response.text()) || '{}');
    };
    const own = { client_id: clientId, client_secret: clientSecret };
    const added = await changes(async () => {
      const { access_token: token } = await post('/oauth/token', { ...own, grant_type: 'client_credentials' });
      await post('/oauth/revoke', { ...own, token });
      await post('/oauth/token', { client_id: clientId, client_secret: 'wrong', grant_type: 'client_credentials' });
    });
    expect(added.get('portico_auth_client_authentications_total{outcome="success"}')).toBe(2);
    expect(added.get('portico_auth_client_authentications_total{outcome="refused"}')).toBe(1);
    expect(added.get('portico_auth_client_tokens_total{outcome="success"}')).toBe(1);
    expect(added.get('portico_auth_revocations_total{reason="client-token"}')).toBe(1);
    const route = 'http_request_method="POST",http_route="/oauth/token",http_response_status_code="401"';
    expect(added.get(`http_server_request_duration_seconds_count{${route}}`)).toBe(1);
  });

  test('sees logins that wait for a connection to the database', async () => {
    let logins: Promise<unknown>[] = [];
    await world.database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE users IN ACCESS EXCLUSIVE MODE`;
        logins = Array.from({ length: 3 }, () => client.login('carol', PASSWORD, 1).catch(() => 'refused'));
        await until('they wait', async () => ((await metrics()).get('db_client_connection_pending_requests') ?? 0) > 0);
        const now = await metrics();
        expect(now.get('db_client_connection_count{state="used"}')).toBe(1);
        expect(now.get('db_client_connection_count{state="idle"}')).toBe(0);
        expect(now.get('db_client_connection_max')).toBe(1);
        expect(now.get('http_server_active_requests')).toBe(3);
      },
      { timeout: 30_000 },
    );
    await Promise.all(logins);
    await until('none waits', async () => (await metrics()).get('db_client_connection_pending_requests') === 0);
  });

  test('sees the age of the keys, and the housekeeping', async () => {
    const signing = 'portico_auth_signing_key_age_seconds';
    const before = await metrics();
    clock += 3_600_000;
    const later = await metrics();
    expect(later.get(signing)).toBeCloseTo((before.get(signing) ?? 0) + 3_600, 3);
    const tokens = 'portico_auth_refresh_token_key_age_seconds';
    expect(later.get(tokens)).toBeCloseTo((before.get(tokens) ?? 0) + 3_600, 3);

    const removed = await changes(async () => {
      clock += 200 * DAY_MS;
      await tick();
      clock += 600_000;
      await tick();
    });
    const now = await metrics();
    expect(now.get(signing)).toBeLessThan(600);
    expect(now.get('portico_auth_audit_backlog')).toBe(0);
    expect(removed.get('portico_auth_housekeeping_rounds_total')).toBe(2);
    expect(removed.get('portico_auth_housekeeping_removed_rows_total{sweep="refresh_tokens"}')).toBeGreaterThan(0);
    expect(now.get('portico_auth_housekeeping_failures_total{sweep="sessions"}')).toBe(0);
  });

  test('has a collector pushed the same, and finds the trace of a slow request', async () => {
    await client.login('carol', PASSWORD, 1);
    const successes = (await metrics()).get('portico_auth_logins_total{outcome="success"}');
    const pushed = (name: string) => collector.metrics.findLast((metric) => metric.name === name);
    await until('the logins are pushed', () =>
      (pushed('portico_auth_logins')?.points ?? []).some(
        ({ attributes, value }) => attributes.outcome === 'success' && value === successes,
      ),
    );
    expect(collector.problems).toEqual([]);
    expect(pushed('portico_auth_logins')?.resource['service.name']).toBe('portico-auth-service');
    expect(pushed('db.client.operation.duration')?.unit).toBe('s');
    const response = await fetch(url, { headers: { accept: 'application/openmetrics-text; version=1.0.0' } });
    const exemplar = /http_route="\/graphql".*# \{.*trace_id="([0-9a-f]{32})"/.exec(await response.text());
    await until('its trace is exported', () => collector.spans.some(({ traceId }) => traceId === exemplar?.[1]));
    const exported = 'portico_telemetry_spans_total{outcome="exported"}';
    await until(
      'each span that arrived is counted',
      async () => (await metrics()).get(exported) === collector.spans.length,
    );
    const counted = await metrics();
    for (const outcome of ['dropped', 'failed'])
      expect(counted.get(`portico_telemetry_spans_total{outcome="${outcome}"}`)).toBe(0);
  });

  test('sees the process', async () => {
    const now = await metrics();
    expect(now.get('process_uptime_seconds')).toBeGreaterThan(0);
    expect(now.get('nodejs_eventloop_time_seconds_total{nodejs_eventloop_state="active"}')).toBeGreaterThan(0);
  });

  test('finds nothing of callers in them: no name, no tenant, no address', async () => {
    const text = await (await fetch(url)).text();
    expect(text).not.toMatch(/alice|acme|carol|127\.0\.0\.1|tenant_id/);
    const operations = [...text.matchAll(/db_operation_name="([^"]*)"/g)].map(([, name]) => name);
    expect(operations.length).toBeGreaterThan(0);
    for (const name of operations) expect(Object.keys(DATABASE_OPERATIONS)).toContain(name);
  });

  test('finds each metric described, and each operation of the database', async () => {
    const text = await (await fetch(url)).text();
    const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const [, table = ''] = page.split('The operations of the database:');
    const operations = [...table.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|$/gm)].map(([, name, meaning]) => [
      name,
      meaning,
    ]);
    expect(operations).toEqual(Object.entries(DATABASE_OPERATIONS));
  });
});
