import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { isServiceThere } from '../found-services.ts';
import { ADMIN_SECRET, type EditedGateway, openEditedGateway } from '../gateway/harness/edited-gateway.ts';
import { type GraphqlUpstream, graphqlUpstream, type Issuer, keeper, openIssuer } from '../gateway/harness/index.ts';
import { accessibilityProblems, openBrowser, openPage, type WatchedPage } from './browser.ts';

const PHONE = { viewport: { width: 375, height: 720 } };
const WHOLE = 'type Item { id: ID! price: Int } type Query { item: Item secret_item: Item }';
const PART = 'type Item { id: ID! } type Query { item: Item }';

const hasBrowser = isServiceThere('chromium');
const describeInBrowser = hasBrowser ? describe : describe.skip;
const { keep, close } = keeper();

let issuer: Issuer;
let shop: GraphqlUpstream;
let gateway: EditedGateway;
let browser: Browser;

const remotes = (seenByUsers: string) => [
  {
    name: 'shop',
    definition: {
      url: '{{SHOP_URL}}',
      headers: [{ name: 'x-key', value: 'key-of-the-shop' }],
      resilience: { circuit_breaker: { minimum_requests: 2, open_seconds: 600 }, retries: { limit: 0 } },
    },
    permissions: [{ role: 'user', definition: { schema: seenByUsers } }],
  },
];

beforeAll(async () => {
  if (!hasBrowser) return;
  issuer = await keep(openIssuer());
  shop = await keep(
    graphqlUpstream(`"""<img src=x onerror=alert(1)>"""${WHOLE}`, { Query: { item: () => ({ id: '1' }) } }),
  );
  const environment = {
    SHOP_URL: shop.graphqlUrl,
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    PORTICO_INSIGHT_ROLES: 'observer',
  };
  gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': remotes(PART) }, { issuer, environment }));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await close();
});

async function openAsAdmin(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const page = await openPage(browser, options);
  await page.goto(`${gateway.url}/console/${path}`);
  await page.getByRole('tab', { name: 'Admin secret' }).click();
  await page.locator('input[name=secret]').fill(ADMIN_SECRET);
  await page.getByRole('button', { name: 'Use this secret' }).click();
  return page;
}

describeInBrowser('an operator', () => {
  test('breaks a source and sees it', async () => {
    const page = await openAsAdmin('sources');
    const row = page.getByRole('row', { name: /^shop/ });
    await row.getByText('loaded').waitFor();
    shop.instead = (_, response) => response.writeHead(503).end();
    for (let asked = 0; asked < 3; asked++) await gateway.graphql('{ item { id } }', { token: issuer.token() });
    shop.instead = undefined;
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row.locator('.badge.bad', { hasText: 'open' }).waitFor();
    expect(await row.textContent()).toContain('100.0 %');
    await page.getByText('Details of shop').click();
    await page.getByText(/server-error: 2/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('changes the permissions of a role on disk and sees the difference before it is taken', async () => {
    const page = await openAsAdmin('metadata');
    await page.getByText('The files on disk are active.').waitFor();
    gateway.metadata.write({
      'remote_schemas.yaml': remotes('type Item { id: ID! } type Query { secret_item: Item }'),
    });
    await page.getByRole('button', { name: 'Check again' }).click();
    const lost = page.getByRole('row', { name: /item.*was removed/ });
    await lost.getByText('breaking').waitFor();
    expect(await lost.getByRole('cell').nth(1).textContent()).toBe('user');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(
      (await gateway.graphql('{ __typename secret_item { id } }', { token: issuer.token() })).body.errors,
    ).toHaveLength(1);
    await page.getByRole('button', { name: 'Reload metadata' }).click();
    await page.getByText('The metadata was reloaded.').waitFor();
    await page.getByText('The files on disk are active.').waitFor();
    expect((await gateway.graphql('{ __typename }', { token: issuer.token() })).body.errors).toBeUndefined();
    gateway.metadata.write({ 'remote_schemas.yaml': remotes(PART) });
    await page.getByRole('button', { name: 'Reload metadata' }).click();
    await page.getByText('The files on disk are active.').waitFor();
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('sees where metadata is wrong, and that it is not taken', async () => {
    const page = await openAsAdmin('metadata');
    gateway.metadata.write({ 'remote_schemas.yaml': '- name: shop\n  definition:\n    url: 5\n' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('remote_schemas.yaml:3').waitFor();
    await page.getByRole('button', { name: 'Reload metadata' }).click();
    await page.getByText('invalid-configuration').waitFor();
    gateway.metadata.write({ 'remote_schemas.yaml': remotes(PART) });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('The files on disk are active.').waitFor();
    await page.context().close();
  });

  test('reads the files without their credentials, and the report', async () => {
    const page = await openAsAdmin('metadata');
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'remote_schemas.yaml' }).click();
    await page.getByText('x-key').waitFor();
    expect(await page.content()).not.toContain('key-of-the-shop');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Report' }).click();
    await page.getByRole('heading', { name: 'Root fields by role' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('sees the graph by source, with markup of descriptions as text', async () => {
    const page = await openAsAdmin('graph');
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    const searches: string[] = [];
    page.on('request', (request) => {
      const search = /"search":"([^"]*)"/.exec(request.postData() ?? '')?.[1];
      if (search !== undefined) searches.push(search);
    });
    const searched = page.waitForRequest((request) => (request.postData() ?? '').includes('"search":"Item"'));
    await page.getByLabel('Search types and fields').pressSequentially('Item');
    await searched;
    const item = page.locator('details.type', { has: page.locator('strong', { hasText: /^Item$/ }) });
    await item.locator('summary').click();
    await item.getByText('<img src=x onerror=alert(1)>').waitFor();
    await item
      .getByRole('row', { name: /^price/ })
      .getByText('shop')
      .waitFor();
    // Not with each key.
    expect([searches.at(-1), searches.length < 3]).toEqual(['Item', true]);
    expect([alerts, await page.locator('img[src="x"]').count()]).toEqual([[], 0]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Role of the graph').selectOption('user');
    await item.getByRole('row', { name: /^price/ }).waitFor({ state: 'detached' });
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('compares two roles side by side', async () => {
    const page = await openAsAdmin('graph');
    await page.getByRole('tab', { name: 'Compare roles' }).click();
    await page.getByLabel('Second role').selectOption('user');
    const row = page.getByRole('row', { name: /^Item\.price/ });
    await row.getByText('not visible').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('on a phone and in the dark', () => {
  test.each([
    ['sources', 'Details of shop'],
    ['graph', /^\d+ types$/],
    ['metadata', 'The files on disk are active.'],
  ])('the page %s fits the width and is accessible', async (path, shown) => {
    const page = await openAsAdmin(path, { ...PHONE, colorScheme: 'dark' });
    await page.getByText(shown).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('the report fits the width with long names of roles', async () => {
    const page = await openAsAdmin('metadata', PHONE);
    const name = 'reader_of_all_that_the_shop_has_and_of_its_orders';
    await page.route('**/v1/metadata', async (route) => {
      const response = await route.fetch();
      return route.fulfill({ response, body: (await response.text()).replaceAll('"user"', `"${name}"`) });
    });
    await page.getByRole('tab', { name: 'Report' }).click();
    await page.getByRole('term').filter({ hasText: name }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  });
});

describeInBrowser('a user', () => {
  test('is not shown the way to the pages of operators, and is refused there', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/metadata')) asked++;
    });
    await page.goto(`${gateway.url}/console/sources`);
    await page.getByRole('tab', { name: 'Access token' }).click();
    await page.getByLabel('Access token').last().fill(issuer.token());
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByText('restricted access : admin only').waitFor();
    await page.getByText('This page requires the role admin or observer. Your role is user').waitFor();
    expect(await page.getByRole('link', { name: 'Sources' }).count()).toBe(0);
    expect(await page.content()).not.toContain('shop');
    await page.clock.runFor(60_000);
    expect(asked).toBe(1);
    await page.context().close();
  });
});

describeInBrowser('a role that the operator lets look', () => {
  const observer = () => issuer.token({ role: 'observer', roles: ['observer', 'user'] });

  test('sees the pages of operators, with nothing to change', async () => {
    const page = await openPage(browser);
    await page.goto(`${gateway.url}/console/sources`);
    await page.getByRole('tab', { name: 'Access token' }).click();
    await page.getByLabel('Access token').last().fill(observer());
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByText('Details of shop').waitFor();
    await page.getByRole('link', { name: 'Metadata' }).click();
    await page.getByText('The files on disk are active.').waitFor();
    expect(await page.getByRole('button', { name: /reload/i }).count()).toBe(0);
    await page.getByLabel('Role').selectOption('user');
    await page.getByText('This page requires the role').waitFor();
    await page.context().close();
  });

  test('runs no other command, nor any hidden in a bulk', async () => {
    const run = (body: object, role?: string) =>
      gateway.post('/v1/metadata', body, {
        authorization: `Bearer ${observer()}`,
        ...(role !== undefined && { 'x-hasura-role': role }),
      });
    expect((await run({ type: 'portico_get_sources', args: {} })).status).toBe(200);
    for (const body of [
      { type: 'reload_metadata', args: {} },
      { type: 'export_metadata', args: {} },
      { type: 'introspect_remote_schema', args: { name: 'shop' } },
      { type: 'bulk', args: [{ type: 'portico_get_sources' }] },
      { type: 'bulk', args: [{ type: 'reload_metadata' }] },
    ])
      expect(await run(body)).toMatchObject({ status: 403, body: { code: 'access-denied' } });
    expect((await run({ type: 'portico_get_sources', args: {} }, 'user')).status).toBe(403);
    expect((await run({ type: 'portico_get_sources', args: {} }, 'admin')).status).not.toBe(200);
  });
});
