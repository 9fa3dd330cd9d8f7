import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, createTestDatabase } from '../../database/index.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, openIssuer, reply, webhook } from '../harness/index.ts';
import { eventually } from '../jobs/jobs-harness.ts';

const TRIGGER = { name: 'nightly', webhook: '{{HOOK_URL}}/nightly', schedule: '0 0 * * *', include_in_metadata: true };

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

interface Listed {
  readonly events: readonly { readonly id: string; readonly status: string }[];
}

describe.each(await availableEngines())('a gateway with a database for jobs on %s', (engine) => {
  test('plans its cron triggers, and runs the events that an administrator creates', async () => {
    const database = await createTestDatabase({ engine, migrated: false });
    const hook = await keep(webhook((_, response) => reply(response, 204, undefined)));
    const gateway: EditedGateway = await openEditedGateway(
      { 'cron_triggers.yaml': [TRIGGER] },
      { issuer, environment: { HOOK_URL: hook.url, HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url } },
    );
    try {
      const planned = async () => {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        try {
          return (await client.query("SELECT to_regclass('portico_jobs.cron_plan') IS NOT NULL AS there")).rows[0].there
            ? (await client.query('SELECT name FROM portico_jobs.cron_plan ORDER BY name')).rows.map(({ name }) => name)
            : [];
        } finally {
          await client.end();
        }
      };
      await eventually(async () => (await planned()).length === 1);

      const args = { webhook: '{{HOOK_URL}}/once', schedule_at: new Date(Date.now() - 1_000).toISOString() };
      const created = await gateway.command<{ event_id: string }>('create_scheduled_event', args);
      expect(created).toMatchObject({ status: 200, body: { message: 'success' } });
      const list = async () => (await gateway.command<Listed>('get_scheduled_events', { type: 'one_off' })).body.events;
      await eventually(async () => (await list())[0]?.status === 'delivered');
      expect(hook.requests.map(({ url }) => url)).toEqual(['/once']);

      const command = { type: 'create_scheduled_event', args };
      const refused = await gateway.post('/v1/metadata', command, bearer(issuer.token()));
      expect(refused).toMatchObject({ status: 403, body: { code: 'access-denied' } });
      const far = await gateway.command('create_scheduled_event', { ...args, webhook: 'https://example.com/' });
      expect(far).toMatchObject({ status: 400, body: { code: 'access-denied', path: '$.args.webhook' } });

      // Another trigger is planned at once; one that is wrong changes nothing.
      const weekly = { ...TRIGGER, name: 'weekly', schedule: '0 0 * * 0' };
      expect((await gateway.edit({ 'cron_triggers.yaml': [TRIGGER, weekly] })).status).toBe(200);
      await eventually(async () => (await planned()).length === 2);
      expect((await gateway.edit({ 'cron_triggers.yaml': [{ ...weekly, schedule: '61 0 * * 0' }] })).status).toBe(400);
      expect((await gateway.edit({ 'cron_triggers.yaml': [{ ...weekly, webhook: '{{NOT_SET}}' }] })).status).toBe(400);
      const { body } = await gateway.command<{ cron_triggers: { name: string }[] }>('get_cron_triggers');
      expect(body.cron_triggers.map(({ name }) => name)).toEqual(['nightly', 'weekly']);
      expect((await gateway.edit({ 'cron_triggers.yaml': [weekly] })).status).toBe(200);
      await eventually(async () => (await planned()).join() === 'weekly');
    } finally {
      await gateway.close();
      await database.drop();
    }
  });
});

test('a gateway without a database for jobs says what its commands and /v1/events need', async () => {
  const gateway = await keep(openEditedGateway({ 'cron_triggers.yaml': [TRIGGER] }, { issuer, environment: {} }));
  for (const type of ['get_cron_triggers', 'create_scheduled_event', 'get_scheduled_events'])
    expect(await gateway.command(type)).toMatchObject({
      status: 400,
      body: { code: 'not-supported', error: expect.stringContaining('HASURA_GRAPHQL_METADATA_DATABASE_URL') },
    });
  expect((await gateway.post('/v1/events', {})).status).toBe(404);
  expect(gateway.logged('metadata.ignored')).toHaveLength(1);
});
