import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { DEMO_OPERATOR } from '../../auth-service/cli/demo-operator.ts';
import { reply, serve, type TestServer } from '../gateway/harness/index.ts';
import { type AdministeredConsole, focused, openAddress } from './administration-scenarios.ts';
import { accessibilityProblems, type WatchedPage } from './browser.ts';

/** A role that may look at jobs, of a demo account. */
export const LOOKING_ROLE = 'manager';
const ACTION = 'send_invoice';
const TRIGGER = 'leap-year-figures';
const SUBSCRIPTION = 'billing';
/** What the metadata's deliveries need of the environment. */
export const DELIVERY_SECRETS = {
  ORDERS_EVENTS_SECRET: 'of-a-person-the-service-of-orders-1',
  BILLING_WEBHOOK_SECRET: 'of-a-person-the-webhook-of-billing-1',
};
const CLOUD_EVENT = 'application/cloudevents+json';
const PHONE = { viewport: { width: 390, height: 844 } };

/** The webhook of the asynchronous action that has the jobs. */
export interface JobsWebhook extends TestServer {
  /** Whether it answers; otherwise it fails, and its jobs are dead. */
  isUp: boolean;
}

/** Adds an asynchronous action with a webhook of its own to the metadata, and a cron trigger. */
export async function addJobsTo(metadata: string): Promise<JobsWebhook> {
  const server = await serve((_, response) =>
    webhook.isUp ? reply(response, 200, { number: 'of-a-person' }) : reply(response, 500, { message: 'of-a-person' }),
  );
  const webhook: JobsWebhook = Object.assign(server, { isUp: true });
  const file = join(metadata, 'actions.yaml');
  const {
    actions,
    custom_types: types,
    ...others
  } = parse(readFileSync(file, 'utf8')) as {
    actions: object[];
    custom_types: { objects: object[] };
  };
  const definition = { kind: 'asynchronous', handler: server.url, job: { max_attempts: 1 } };
  const more = { name: ACTION, definition, permissions: [{ role: 'user' }] };
  const objects = [...types.objects, { name: 'Invoice' }];
  writeFileSync(file, stringify({ ...others, actions: [...actions, more], custom_types: { ...types, objects } }));
  appendFileSync(
    join(metadata, 'actions.graphql'),
    `\nextend type Mutation { ${ACTION}(order: ID!): Invoice }\ntype Invoice { number: String! }\n`,
  );
  const trigger = {
    name: TRIGGER,
    webhook: server.url,
    schedule: '0 7 29 2 *',
    time_zone: 'Europe/Berlin',
    payload: {},
  };
  const triggers = [{ ...trigger, comment: 'for the accountants', include_in_metadata: true }];
  writeFileSync(join(metadata, 'cron_triggers.yaml'), stringify(triggers));
  const event = { types: ['com.example.order.*'], all_tenants: true };
  const deliveries = {
    producers: [{ ...event, name: 'orders', secret_from_env: 'ORDERS_EVENTS_SECRET', sources: ['/orders/*'] }],
    subscriptions: [
      {
        ...event,
        name: SUBSCRIPTION,
        comment: '<img src=x onerror=alert(1)>',
        webhook: `${server.url}/?key=of-a-person`,
        secret_from_env: 'BILLING_WEBHOOK_SECRET',
        order_key: 'subject',
        retry_conf: { num_retries: 0 },
      },
    ],
  };
  writeFileSync(join(metadata, 'deliveries.yaml'), stringify(structuredClone(deliveries)));
  return webhook;
}

interface JobsConsole extends AdministeredConsole {
  readonly adminSecret: string;
  webhook(): JobsWebhook;
}

/** What operators do with jobs in the console. */
export function describeJobs(describeInBrowser: typeof describe.skip, console: JobsConsole): void {
  const { openConsole, logIn, adminSecret } = console;
  const headers = { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret };

  async function post<Body>(path: string, body: object, more: Record<string, string> = {}): Promise<Body> {
    const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) };
    return (await (await fetch(console.url() + path, init)).json()) as Body;
  }

  /** Calls the action for a tenant. @returns the id of its job, once that has ended. */
  async function call(tenant: string, isUp: boolean): Promise<string> {
    console.webhook().isUp = isUp;
    const query = `mutation { ${ACTION}(order: "of-a-person") }`;
    const { data } = await post<{ data: Record<string, string> }>(
      '/v1/graphql',
      { query },
      { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-hasura-tenant-id': tenant },
    );
    const id = data[ACTION] ?? '';
    const states = ['done', 'dead'];
    for (;;) {
      const { items } = await post<{ items: { id: string }[] }>('/v1/metadata', {
        type: 'portico_get_jobs',
        args: { states, tenant },
      });
      if (items.some((job) => job.id === id)) return id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function openAsOperator(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const page = await openConsole(path, options);
    await page.getByRole('tab', { name: 'Service account' }).click();
    await page.getByLabel('Client ID').fill(DEMO_OPERATOR.clientId);
    await page.getByLabel('Client secret').fill(DEMO_OPERATOR.clientSecret);
    await page.getByRole('button', { name: 'Log in as service account' }).click();
    return page;
  }

  /** Has a page see these pauses of the first queue. */
  async function withPauses(page: WatchedPage, pauses: readonly object[]): Promise<void> {
    await page.route('**/v1/metadata', async (route) => {
      const { type } = route.request().postDataJSON() as { type: string };
      if (type !== 'portico_get_job_queues') return route.continue();
      const response = await route.fetch();
      const { items, ...others } = (await response.json()) as { items: { queue: string }[] };
      const times = { since: '2026-05-04T03:02:01.000Z', until: '2026-05-04T03:03:01.000Z' };
      const paused = pauses.map((pause) => ({ ...times, ...pause }));
      const json = {
        ...others,
        items: items.map((item) => (item.queue === ACTION ? { ...item, pauses: paused } : item)),
      };
      return route.fulfill({ response, json });
    });
  }

  describeInBrowser('an operator of jobs', () => {
    test('finds a dead job by its queue, state and tenant, and retries it without a mouse', async () => {
      const id = await call('71', false);
      await call('72', false);
      const page = await openAsOperator('keys');
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('region', { name: 'Queues' }).getByRole('link', { name: ACTION }).click();
      await page.getByRole('heading', { name: `Manage ${ACTION}` }).waitFor();
      await page.getByLabel('State').selectOption('dead');
      await page.getByRole('searchbox', { name: 'Tenant' }).fill('71');
      await page.keyboard.press('Enter');
      await page.getByText('1 job, newest first').waitFor();
      expect(new URL(page.url()).search).toBe(`?kind=action&queue=${ACTION}&state=dead&tenant=71`);
      await page.getByRole('link', { name: id }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('definition').filter({ hasText: 'http-5xx' }).waitFor();
      await focused(page.getByRole('heading', { level: 1 }));
      expect(await page.content()).not.toContain('of-a-person');
      console.webhook().isUp = true;
      await page.getByRole('button', { name: 'Retry' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Run this job again?' });
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Retry' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('1 job will run again.').waitFor();
      // It may still run.
      const done = page.getByRole('definition').filter({ hasText: /^done$/ });
      for (; (await done.count()) === 0; await new Promise((resolve) => setTimeout(resolve, 100)))
        await page.getByRole('button', { name: 'Refresh' }).click();
      expect(await page.getByRole('button', { name: 'Purge' }).count()).toBe(0);
      await page.goBack();
      await page.getByText('No matching jobs.').waitFor();
      expect(await page.getByRole('searchbox', { name: 'Tenant' }).inputValue()).toBe('71');
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('purges and cancels after typing the name of the queue', async () => {
      const [one] = [await call('73', false), await call('73', false), await call('74', false)];
      const page = await openAsOperator(`jobs/${one}`);
      await page.getByRole('button', { name: 'Purge' }).click();
      const dialog = page.getByRole('dialog');
      await page.keyboard.type('send');
      await page.keyboard.press('Enter');
      await dialog.getByText(`Does not match ${ACTION}.`).waitFor();
      await dialog.getByLabel(`Type ${ACTION} to confirm`).fill(ACTION);
      await page.keyboard.press('Enter');
      await page.getByText('1 job was purged.').waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/console\/jobs$/);
      // Of one tenant alone.
      await openAddress(page, `jobs?kind=action&queue=${ACTION}&tenant=73`);
      await page.getByText('1 job, newest first').waitFor();
      await page.getByRole('button', { name: 'Cancel unfinished jobs' }).click();
      await dialog.getByText('This cannot be undone').waitFor();
      await page.keyboard.type(ACTION);
      await page.keyboard.press('Enter');
      await page.getByText('0 jobs were cancelled.').waitFor();
      await page.getByRole('button', { name: 'Purge dead jobs' }).click();
      await dialog.getByText(`Purge all dead jobs of ${ACTION} of tenant 73?`).waitFor();
      await page.keyboard.type(ACTION);
      await page.keyboard.press('Enter');
      await page.getByText('No matching jobs.').waitFor();
      await openAddress(page, `jobs?tenant=74`);
      await page.getByText('1 job, newest first').waitFor();
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('sees cron triggers and one-off events that are to come, and cancels one', async () => {
      const page = await openAsOperator('jobs');
      await page.getByRole('link', { name: 'Schedules' }).click();
      await page.getByRole('heading', { name: 'Schedules' }).waitFor();
      await focused(page.getByRole('heading', { level: 1 }));
      const row = page.getByRole('region', { name: 'Cron triggers' }).getByRole('row').nth(1);
      await row.getByRole('link', { name: TRIGGER }).waitFor();
      expect(await row.textContent()).toMatch(/for the accountants.*0 7 29 2 \*.*Europe\/Berlin/);
      expect(await row.getByRole('time').first().getAttribute('datetime')).toMatch(/-02-29T06:00:00\.000Z$/);
      const events = page.getByRole('region', { name: 'Upcoming one-off events' });
      await events.getByText('There are no upcoming events.').waitFor();
      const { event_id: id } = await post<{ event_id: string }>('/v1/metadata', {
        type: 'create_scheduled_event',
        args: {
          webhook: `${console.webhook().url}/of-a-person`,
          schedule_at: new Date(Date.now() + 3_600_000).toISOString(),
          payload: 'of-a-person',
        },
      });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await events.getByText('1 event, soonest first').waitFor();
      expect(await page.content()).not.toContain('of-a-person');
      await events.getByRole('link', { name: id }).click();
      await page.getByRole('button', { name: 'Cancel job' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
      await page.getByText('1 job was cancelled.').waitFor();
      await page.goBack();
      await events.getByText('There are no upcoming events.').waitFor();
      await page.getByRole('link', { name: TRIGGER }).click();
      await page.getByText('No matching jobs.').waitFor();
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('sees who gets events, and those that could not be delivered', async () => {
      const page = await openAsOperator('jobs');
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await focused(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
      const row = page.getByRole('region', { name: 'Subscriptions' }).getByRole('row').nth(1);
      await row.getByText('<img src=x onerror=alert(1)>').waitFor();
      expect(await row.textContent()).toMatch(/^billing.*com\.example\.order\.\*allsubject00–$/);
      const producer = page.getByRole('region', { name: 'Producers' }).getByRole('row').nth(1);
      expect(await producer.textContent()).toBe('orders/orders/*com.example.order.*all');
      expect(await page.content()).not.toContain('of-a-person');
      console.webhook().isUp = false;
      const event = { specversion: '1.0', id: '1', source: '/orders/1', type: 'com.example.order.paid', tenantid: '1' };
      const init = { authorization: `Bearer ${DELIVERY_SECRETS.ORDERS_EVENTS_SECRET}`, 'content-type': CLOUD_EVENT };
      const posted = await fetch(`${console.url()}/v1/events`, {
        method: 'POST',
        headers: init,
        body: JSON.stringify(event),
      });
      expect(await posted.json()).toEqual({ deliveries: 1 });
      await page.goBack();
      const queue = page.getByRole('region', { name: 'Queues' }).getByRole('row').filter({ hasText: SUBSCRIPTION });
      while ((await queue.locator('.badge.bad').count()) === 0)
        await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await row.getByRole('link', { name: '1', exact: true }).click();
      await page.getByText('1 job, newest first').waitFor();
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('sees what is paused, why, since when and where', async () => {
      await call('78', false);
      const page = await openAsOperator('');
      await withPauses(page, [
        { tenant: null, reason: 'circuit-open', processes: 1, of_processes: 1 },
        ...['1', '2', '3'].map((tenant) => ({ tenant, reason: 'tenant-removed', processes: 1, of_processes: 3 })),
      ]);
      await openAddress(page, 'jobs');
      const row = page.getByRole('region', { name: 'Queues' }).getByRole('row').filter({ hasText: ACTION });
      await row.getByText('tenant 2 paused').waitFor();
      expect(await row.textContent()).toMatch(
        /paused since [^:]+:[^a-z]+(?:[AP]M)?: circuit-opentenant 1 paused since .*: tenant-removed, in 1 of 3 processestenant 2/,
      );
      expect(await row.textContent()).toContain('1 more tenant is paused');
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('pages by addresses, and sees why a page or a job cannot be shown', async () => {
      for (let calls = 0; calls < 3; calls++) await call('75', true);
      const page = await openAsOperator('jobs?tenant=75');
      await page.route('**/v1/metadata', (route) => {
        const { type, args } = route.request().postDataJSON() as { type: string; args: object };
        if (type !== 'portico_get_jobs') return route.continue();
        return route.continue({ postData: { type, args: { ...args, limit: 2 } } });
      });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('1 job, newest first').waitFor();
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByText('2 jobs, newest first').waitFor();
      await openAddress(page, 'jobs?state=lost&after=x');
      await page.getByRole('alert').filter({ hasText: 'parse-failed' }).waitFor();
      await openAddress(page, 'jobs/01a20547-cb68-7785-a3e7-888fbd921d2f');
      await page.getByRole('alert').filter({ hasText: 'not-found' }).waitFor();
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });
  });

  describeInBrowser('jobs', () => {
    test('are seen and not changed with a role that may look', async () => {
      const id = await call('76', false);
      const page = await openConsole('account');
      await logIn(page, 'alice');
      await page.getByLabel('Role').selectOption(LOOKING_ROLE);
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByText('You have read-only access to jobs.').waitFor();
      await openAddress(page, `jobs?kind=action&queue=${ACTION}`);
      await page.getByRole('link', { name: id }).click();
      await page.getByRole('heading', { name: `Job ${ACTION}` }).waitFor();
      for (const name of ['Retry', 'Purge', 'Cancel job'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('are not shown to an administrator of a tenant, nor is the way there', async () => {
      const id = await call('1', false);
      const page = await openConsole('jobs');
      await logIn(page, 'dora');
      await page.getByLabel('Role').selectOption('tenant_admin');
      for (const path of ['jobs', `jobs?tenant=1`, `jobs/${id}`, 'jobs/schedules', 'jobs/deliveries']) {
        await openAddress(page, path);
        await page.getByRole('alert').filter({ hasText: 'Only platform operators, the role admin' }).waitFor();
        expect([path, await page.getByText(ACTION).count()]).toEqual([path, 0]);
        expect([path, await page.getByText(TRIGGER).count()]).toEqual([path, 0]);
      }
      expect(await page.getByRole('link', { name: 'Jobs', exact: true }).count()).toBe(0);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('are left out of the navigation where the gateway has no database for them, and the page says so', async () => {
      const page = await openConsole('');
      await page.route('**/console/settings.json', async (route) => {
        const response = await route.fetch();
        return route.fulfill({ response, json: { ...(await response.json()), hasJobs: false } });
      });
      const error = 'jobs need HASURA_GRAPHQL_METADATA_DATABASE_URL';
      await page.route('**/v1/metadata', (route) =>
        route.fulfill({ status: 400, json: { path: '$.type', error, code: 'not-supported' } }),
      );
      await page.reload();
      await page.getByRole('tab', { name: 'Admin secret' }).click();
      await page.locator('input[name=secret]').fill(adminSecret);
      await page.getByRole('button', { name: 'Use this secret' }).click();
      await page.getByRole('link', { name: 'Sources' }).waitFor();
      expect(await page.getByRole('link', { name: 'Jobs', exact: true }).count()).toBe(0);
      await openAddress(page, 'jobs');
      await page.getByRole('alert').filter({ hasText: 'This gateway has no database for jobs.' }).waitFor();
      await page.context().close();
    });

    test.each(['light', 'dark'] as const)('are accessible and fit a phone in %s', async (colorScheme) => {
      const id = await call('77', false);
      const page = await openAsOperator('', { ...PHONE, colorScheme });
      await withPauses(page, [{ tenant: null, reason: 'circuit-open', processes: 1, of_processes: 2 }]);
      for (const path of [
        'jobs',
        `jobs?kind=action&queue=${ACTION}`,
        `jobs/${id}`,
        'jobs/schedules',
        'jobs/deliveries',
      ]) {
        await openAddress(page, path);
        await page.locator('.page[aria-busy=false] h1').waitFor();
        await page.locator('.paged[aria-busy=false] [role=status]').first().waitFor();
        await page.getByText('Loading…').first().waitFor({ state: 'detached' });
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 390]);
      }
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });
  });
}
