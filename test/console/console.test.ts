import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { credentialCommand, introspectionCommand, sdlCommand } from '../../console/pages/schema/commands.ts';
import { type Portico, startPortico } from '../e2e/portico.ts';
import { isServiceThere } from '../found-services.ts';
import { freePort, type GraphqlUpstream, serve } from '../gateway/harness/index.ts';
import { describeAdministration, focused } from './administration-scenarios.ts';
import { accessibilityProblems, ConsolePages, openBrowser, openPage, type WatchedPage } from './browser.ts';
import { exploredService } from './explored-service.ts';
import { describeExplorerPanels } from './explorer-panel-scenarios.ts';
import { describeTrials } from './explorer-scenarios.ts';
import { addJobsTo, DELIVERY_SECRETS, describeJobs, type JobsWebhook, LOOKING_ROLE } from './job-scenarios.ts';
import { describeTypedText } from './typed-text-scenarios.ts';

const ADMIN_SECRET = 'console-suite-admin-secret';
const PHONE = { viewport: { width: 375, height: 720 } };

let portico: Portico;
let browser: Browser;
let pages: ConsolePages;

const hasBrowser = isServiceThere('chromium');
const describeInBrowser = hasBrowser ? describe : describe.skip;

let service: GraphqlUpstream;
let jobsWebhook: JobsWebhook;
const metadata = mkdtempSync(join(tmpdir(), 'portico-console-'));

beforeAll(async () => {
  if (!hasBrowser) return;
  service = await exploredService();
  cpSync('metadata', metadata, { recursive: true });
  appendFileSync(
    join(metadata, 'remote_schemas.yaml'),
    `\n- { name: explored, definition: { url: "${service.graphqlUrl}", subscriptions: { protocol: sse } } }\n`,
  );
  jobsWebhook = await addJobsTo(metadata);
  const environment = {
    ...DELIVERY_SECRETS,
    HASURA_GRAPHQL_METADATA_DIR: metadata,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    // The auth service asks the gateway for its keys there.
    HASURA_GRAPHQL_SERVER_PORT: String(await freePort()),
    AUTH_ACCESS_TOKEN_TTL_SECONDS: '60',
    AUTH_THROTTLE_ACCOUNT: 'free=2 first=600 longest=600',
    PORTICO_TRACE_RESPONSE: 'true',
    PORTICO_INSIGHT_ROLES: LOOKING_ROLE,
  };
  [portico, browser] = await Promise.all([startPortico({ environment }), openBrowser()]);
  pages = new ConsolePages(browser, `${portico.url}/console/`);
});
afterAll(async () => {
  await browser?.close();
  await portico?.stop();
  await service?.close();
  await jobsWebhook?.close();
  rmSync(metadata, { recursive: true, force: true });
});

async function openConsole(path = '', options = {}): Promise<WatchedPage> {
  const page = await pages.open(options);
  await page.goto(`${portico.url}/console/${path}`);
  await page.getByRole('heading', { name: 'Portico' }).waitFor();
  return page;
}

async function logIn(page: Page, user = 'dora', password = `${user}-acme-demo-pass`): Promise<void> {
  await page.locator('input[name=username]').fill(user);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

async function openAccount(options = {}): Promise<WatchedPage> {
  const page = await openConsole('account', options);
  await logIn(page);
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  return page;
}

/** Another page of the same browser. */
async function otherTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  return tab;
}

/** Counts the requests for new tokens of a page. */
function countRefreshes(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (/session\/refresh/.test(request.url())) count++;
  });
  return () => count;
}

/** Keeps the requests for new tokens of a page back. */
async function holdRefresh(page: Page) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = page.waitForRequest(/session\/refresh/);
  await page.route(/session\/refresh/, async (route) => {
    await released;
    await route.continue();
  });
  return { asked, release };
}

/** As a page would do it that does not know of the session before, without waiting for the requests of the others. */
async function switchToBob(page: Page): Promise<void> {
  const switched = await page.evaluate(
    async (login) => {
      const headers = { 'content-type': 'application/json', 'x-portico-console': '1' };
      const response = await fetch('session/login', { method: 'POST', headers, body: JSON.stringify(login) });
      const { data } = (await response.json()) as { data: { access_token: string } };
      const [, payload = ''] = data.access_token.split('.');
      const { sid } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { sid: string };
      localStorage.setItem('portico-session /console/', sid);
      new BroadcastChannel('portico-session /console/').postMessage('opened');
      return response.ok;
    },
    { username: 'bob', password: 'bob-acme-demo-pass', tenant_id: 1 },
  );
  expect(switched).toBe(true);
}

/** Everything that the page keeps where scripts of later visits could read it. */
function stored(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
}

/** The session's id, which tokens name, is kept, and is no credential. */
async function expectNoTokenStored(page: Page): Promise<void> {
  const kept = await stored(page);
  const [cookie] = await page.context().cookies(`${portico.url}/console/session/refresh`);
  if (!cookie) throw new Error('no cookie with the refresh token');
  expect(kept).not.toContain(cookie.value);
  const session = /"portico-session \/console\/":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/;
  expect(kept).toMatch(session);
  expect(kept.replace(session, '')).not.toMatch(/eyJ|[0-9a-f]{8}-[0-9a-f]{4}/);
}

describeInBrowser('logging in', () => {
  test('leads from / to the own account in two clicks, and keeps no token in storage', async () => {
    const page = await openPage(browser);
    await page.goto(portico.url);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.getByRole('button', { name: /^alice at acme/ }).click();
    await page.getByRole('link', { name: 'Logged in as alice at acme' }).waitFor();
    await expectNoTokenStored(page);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('is refused with a wrong password, and says so', async () => {
    const page = await openConsole();
    await logIn(page, 'bob', 'wrong');
    expect(await page.getByRole('alert').textContent()).toMatch(/\w/);
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0);
    await page.context().close();
  });

  test('is refused with a token or an admin secret that the gateway rejects', async () => {
    const page = await openConsole();
    await page.getByRole('tab', { name: 'Access token' }).click();
    await page.locator('input[name=token]').fill('of a person');
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByText('This is not a JWT.').waitFor();
    await page.locator('input[name=token]').fill(`e30.${btoa('{}')}.e30`);
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('tab', { name: 'Admin secret' }).click();
    await page.locator('input[name=secret]').fill(`${ADMIN_SECRET}-`);
    await page.getByRole('button', { name: 'Use this secret' }).click();
    await page.getByRole('alert').filter({ hasText: 'The admin secret is wrong' }).waitFor();
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0);
    await page.locator('input[name=secret]').fill(ADMIN_SECRET);
    await page.getByRole('button', { name: 'Use this secret' }).click();
    await page.getByRole('link', { name: 'Logged in as Admin secret' }).waitFor();
    await page.context().close();
  });

  test('works without a mouse', async () => {
    const page = await openConsole('account');
    await page.getByLabel('User').focus();
    await page.keyboard.type('dora');
    await page.keyboard.press('Tab');
    await page.keyboard.type('dora-acme-demo-pass');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.context().close();
  });

  test('with the admin secret takes any role', async () => {
    const page = await openConsole('account');
    await page.getByRole('tab', { name: 'Admin secret' }).click();
    await page.locator('input[name=secret]').fill(ADMIN_SECRET);
    await page.getByRole('button', { name: 'Use this secret' }).click();
    expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe('admin');
    expect(await stored(page)).not.toContain(ADMIN_SECRET);
    await page.locator('datalist option[value=tenant_admin]').waitFor({ state: 'attached' });
    // It is a platform operator's, at the auth service too.
    await openPath(page, 'explorer');
    await write(page, 'Operation', '{ auth_admin_me { acting_as } auth_admin_tenant_list { entries { name } } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"acting_as":"platform-operator"');
    await answered(page, '"name":"globex"');
    await openPath(page, 'tenants');
    await page.getByRole('link', { name: 'globex' }).waitFor();
    await page.context().close();
  });
});

describeInBrowser('a session', () => {
  test('is refreshed before its token expires, by one request', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    const refreshes = countRefreshes(page);
    await page.goto(`${portico.url}/console/account`);
    await page.getByRole('heading', { name: 'Portico' }).waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    const refreshed = page.waitForResponse(/session\/refresh/);
    await page.clock.fastForward(50_000);
    expect((await refreshed).ok()).toBe(true);
    await page.getByLabel('Role', { exact: true }).selectOption('tenant_admin');
    await page
      .getByRole('definition')
      .filter({ hasText: /^tenant_admin$/ })
      .waitFor();
    expect(refreshes()).toBe(1);
    await page.context().close();
  });

  test('is revoked by logging out', async () => {
    const page = await openAccount();
    const revoked = page.waitForResponse(/session\/logout/);
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await (await revoked).json()).toMatchObject({ success: true });
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await page.context().close();
  });

  test('outlives a reload with its role, by a cookie that no script and no other address gets', async () => {
    const page = await openAccount();
    const refreshes = countRefreshes(page);
    await page.getByLabel('Role', { exact: true }).selectOption('tenant_admin');
    await expectNoTokenStored(page);
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({ httpOnly: true, sameSite: 'Strict', path: '/console/session', expires: -1 }),
    ]);
    const sent = page.waitForRequest(/v1\/graphql/);
    await page.reload();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe('tenant_admin');
    expect((await (await sent).allHeaders()).cookie).toBeUndefined();
    expect(refreshes()).toBe(1);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('is shared by tabs, which refresh and reload at once', async () => {
    const page = await openAccount();
    const tabs = [page, await otherTab(page), await otherTab(page)];
    for (const round of [1, 2, 3]) {
      await Promise.all(tabs.map((tab) => tab.reload()));
      await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Sessions' }).waitFor()));
      expect([round, await page.locator('tbody tr').count()]).toEqual([
        round,
        await tabs[2]?.locator('tbody tr').count(),
      ]);
    }
    await page.context().close();
  });

  test('begins and ends in all tabs, and is one user’s', async () => {
    const page = await openConsole('account');
    const other = await otherTab(page);
    await logIn(page);
    await other.getByRole('heading', { name: 'Sessions' }).waitFor();
    await other.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await logIn(other);
    await page
      .getByRole('definition')
      .filter({ hasText: /^dora$/ })
      .waitFor();
    await switchToBob(other);
    await page.getByRole('definition').filter({ hasText: /^bob$/ }).waitFor();
    await page.context().close();
  });

  test('does nothing as another user who has logged in meanwhile', async () => {
    await (await openAccount()).context().close();
    const page = await openAccount();
    const other = await otherTab(page);
    const refresh = await holdRefresh(page);
    let changes = 0;
    await page.route(/v1\/graphql/, async (route) => {
      if (!route.request().postData()?.includes('auth_session_revoke')) return route.continue();
      const errors = [{ message: 'expired', extensions: { code: 'invalid-jwt' } }];
      return ++changes === 1 ? route.fulfill({ json: { errors } }) : route.continue();
    });
    await page
      .getByRole('button', { name: /^End the session/ })
      .first()
      .click();
    await refresh.asked;
    await switchToBob(other);
    refresh.release();
    await page.getByRole('definition').filter({ hasText: /^bob$/ }).waitFor();
    expect(changes).toBe(1);
    await page.context().close();
  });

  test('is not continued by a tab that is reloaded while another one logs out', async () => {
    const page = await openAccount();
    const other = await otherTab(page);
    const refresh = await holdRefresh(other);
    let operations = 0;
    await other.reload({ waitUntil: 'commit' });
    await refresh.asked;
    other.on('request', (request) => {
      if (request.url().includes('v1/graphql')) operations++;
    });
    const told = other.evaluate(
      () =>
        new Promise((resolve) =>
          new BroadcastChannel('portico-session /console/').addEventListener('message', resolve),
        ),
    );
    // Answered behind the line before.
    await other.evaluate(() => {});
    await page.getByRole('button', { name: 'Log out' }).click();
    await told;
    refresh.release();
    await other.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(operations).toBe(0);
    await page.context().close();
  });

  test('is none of the pages of other origins', async () => {
    const page = await openAccount();
    const attacker = await page.context().newPage();
    const site = await serve((_, response) => response.setHeader('content-type', 'text/html').end('evil'));
    // One of the same site, and one of another.
    for (const origin of [site.url, site.url.replace('127.0.0.1', 'localhost')]) {
      await attacker.goto(origin);
      for (const action of ['refresh', 'logout']) {
        const answered = attacker.waitForResponse(/console\/session/);
        await attacker.evaluate(
          (url) => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }),
          `${portico.url}/console/session/${action}`,
        );
        expect([origin, action, (await answered).status()]).toEqual([origin, action, 403]);
      }
    }
    await site.close();
    await page.reload();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.context().close();
  });

  test('that was ended elsewhere leads back to the login, which keeps what was typed', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    await page.goto(`${portico.url}/console/users?search=bob`);
    await logIn(page);
    await page.getByRole('button', { name: 'Use the role tenant_admin' }).click();
    await page.getByRole('link', { name: 'bob' }).click();
    const claims = page.getByRole('region', { name: 'Extra claims' });
    await claims.getByRole('button', { name: 'Add a claim' }).click();
    const department = claims.getByLabel('Value of x-hasura-department');
    await department.fill('typed');
    // Links and the browser ask before the edit is lost.
    const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
    await page.locator('nav a[href$="/console/explorer"]').click();
    await asked;
    expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(false);
    const other = await openAccount();
    const rows = other.locator('tbody tr');
    for (let left = await rows.count(); left > 1; left--) {
      await other
        .getByRole('button', { name: /^End the session/ })
        .first()
        .click();
      await rows.nth(left - 1).waitFor({ state: 'detached' });
    }
    await other.context().close();
    await page.clock.fastForward(50_000);
    await page.getByText('Your session has ended').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('username');
    await logIn(page);
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect([
      await department.inputValue(),
      await page.getByLabel('Role', { exact: true }).first().inputValue(),
    ]).toEqual(['typed', 'tenant_admin']);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('that has ended waits for its user, and is dropped by others and by logging out', async () => {
    const page = await openExplorer();
    const other = await otherTab(page);
    const cover = page.getByText('Your session has ended');
    const operation = page.getByRole('textbox', { name: 'Operation', exact: true });
    let isOver = false;
    await page.route(/session\/refresh/, (route) =>
      isOver
        ? route.fulfill({ status: 401, json: { success: false, error_message: '', data: null } })
        : route.continue(),
    );
    await page.route(/v1\/graphql/, (route) =>
      isOver
        ? route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: 'invalid-jwt' } }] } })
        : route.continue(),
    );
    /** What the page asks in another role is refused. */
    async function endSession(otherRole: string) {
      isOver = true;
      await page.getByLabel('Role', { exact: true }).selectOption(otherRole);
      await cover.waitFor();
      isOver = false;
    }
    await write(page, 'Operation', 'query typed_by_dora { __typename }');
    await endSession('tenant_admin');
    await logIn(page);
    await cover.waitFor({ state: 'detached' });
    expect(await operation.textContent()).toContain('typed_by_dora');

    await endSession('user');
    await logIn(page, 'bob');
    await cover.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    expect(await operation.textContent()).not.toContain('typed_by_dora');
    expect(await stored(page)).not.toContain('typed_by_dora');

    // A reload drops the cover, and a login by another user then what is stored.
    await write(page, 'Operation', 'query typed_by_bob { __typename }');
    isOver = true;
    await page.reload();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    isOver = false;
    expect(await stored(page)).toContain('typed_by_bob');
    await logIn(page);
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    expect(await operation.textContent()).not.toContain('typed_by_bob');
    expect(await stored(page)).not.toContain('typed_by_bob');

    await endSession('tenant_admin');
    await page.getByRole('button', { name: 'Log out and discard my input' }).click();
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });
});

async function openExplorer(options = {}): Promise<WatchedPage> {
  const page = await openConsole('', options);
  await logIn(page);
  await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
  return page;
}

/** Writes into one of the editors, over what is there. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor, exact: true }).focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

function answerOf(page: Page) {
  return page.getByRole('textbox', { name: 'Response' });
}

/** Waits until the answer, without its white space, contains a text. */
async function answered(page: Page, text: string): Promise<void> {
  const has = async () => ((await answerOf(page).textContent()) ?? '').replace(/\s/g, '').includes(text);
  await expect(waitFor(has)).resolves.toBe(true);
}

async function waitFor(condition: () => Promise<boolean>): Promise<true> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
  return true;
}

describeInBrowser('the explorer', () => {
  test('runs a first query by the keyboard', async () => {
    const page = await openExplorer();
    await write(page, 'Operation', '{ orders { id status } }');
    await page.keyboard.press('ControlOrMeta+Enter');
    await answered(page, '"orders":[{"id":"acme-1001"');
    const summary = await page.locator('.summary').textContent();
    expect(summary).toMatch(/200.* ms.* B.*Request [0-9a-f-]{36}/);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('completes fields of the role as they are typed, and types over a selection', async () => {
    const page = await openExplorer();
    await page.getByRole('textbox', { name: 'Operation' }).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('{ ord');
    await page.getByRole('option', { name: /^orders/ }).waitFor();
    expect(await page.getByRole('option', { name: /auth_audit_log/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('query typed { order');
    expect(await page.getByRole('textbox', { name: 'Operation' }).textContent()).toBe('query typed { order}');
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('documents what the role sees, and that alone', async () => {
    const page = await openExplorer();
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.getByText('orders: [Order!]!').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.getByText('auth_audit_log').count()).toBe(0);
    await page.getByRole('button', { name: 'Use order in an operation' }).click();
    await write(page, 'Variables', '{ "id": "acme-1001" }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"item":"Anvil,50kg"');
    await page.getByLabel('Role', { exact: true }).selectOption('tenant_admin');
    await page.getByText('auth_audit_log').waitFor();
    await page.getByRole('searchbox').fill('placed');
    await page.getByRole('button', { name: 'Order.placed_at' }).click();
    await page.getByText('placed_at: String!').waitFor();
    await page.context().close();
  });

  test('takes variables and headers, and says what is wrong with them', async () => {
    const page = await openExplorer();
    await write(page, 'Operation', 'query one($id: ID!) { order(id: $id) { item } }');
    await write(page, 'Variables', '{ "id": ');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/^Variables: expected a JSON object\. .+/).waitFor();
    await page.getByText('No response was received.').waitFor();
    await write(page, 'Variables', '{ "id": "acme-1001" }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"item":"Anvil,50kg"');
    expect(await stored(page)).not.toContain('acme-1001');
    await page.context().close();
  });

  test('has saved operations, a history, and tabs that outlive a reload', async () => {
    const page = await openExplorer();
    const side = page.getByRole('complementary', { name: 'Side panel' });
    await page.getByRole('tab', { name: 'Saved' }).click();
    await side.getByRole('button', { name: 'orders', exact: true }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"placed_at":');
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await side.getByRole('button', { name: 'orders', exact: true }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Close orders' }).nth(1).waitFor();
    await page.context().close();
  });

  test('follows the orders of the sample service, which another tab places', async () => {
    const page = await openExplorer();
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByRole('button', { name: 'orders_live', exact: true }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"id":"acme-1001"');
    const other = await otherTab(page);
    await other.getByRole('tab', { name: 'Saved' }).click();
    await other.getByRole('button', { name: 'orders_place', exact: true }).click();
    await write(other, 'Variables', '{ "item": "Kite" }');
    await other.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"item":"Kite"');
    await page.getByText('2 events').waitFor();
    await page.context().close();
  });

  test.each(['WebSocket', 'Server-sent events'])('shows events of a subscription by %s', async (transport) => {
    const page = await openExplorer();
    await write(page, 'Operation', 'subscription { ticks }');
    await page.getByLabel('Subscription transport').selectOption({ label: transport });
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"ticks":2');
    await page.getByText('2 events').waitFor();
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });

  test('puts deferred fields into their place', async () => {
    const page = await openExplorer();
    await write(page, 'Operation', '{ weather { now ... @defer { forecast } } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '{"data":{"weather":{"now":"sun","forecast":"rain"}}}');
    await page.getByText('2 events').waitFor();
    await page.context().close();
  });

  test('uploads a file in the place of a variable', async () => {
    const page = await openExplorer();
    await write(page, 'Operation', 'mutation put($file: Upload!) { store(file: $file) }');
    await page.getByRole('tab', { name: 'Files' }).click();
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
    // The second one of a variable takes the place of the first one.
    for (const file of [{ ...note, name: 'other.txt', buffer: Buffer.from('other') }, note]) {
      await page.getByLabel('Variable').last().fill('file');
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: 'Add a file' }).click();
      await page.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
    }
    expect(await page.getByRole('button', { name: 'Remove other.txt' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '{"data":{"store":"HELLO"}}');
    // It is of this tab alone.
    await page.getByRole('button', { name: 'New tab' }).click();
    expect(await page.getByRole('button', { name: 'Remove note.txt' }).count()).toBe(0);
    await write(page, 'Operation', '{ orders { id } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"id":"acme-1001"');
    await page.context().close();
  });

  test('explains how an operation was run', async () => {
    const page = await openExplorer();
    await page.getByLabel('Explain').check();
    await write(page, 'Operation', '{ orders { id } auth_user_me { username } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('tab', { name: 'Plan and cost' }).click();
    await page.getByRole('region', { name: 'Calls to services' }).getByText('orders').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('the explorer after a login', () => {
  test('has nothing to complain about before anything is written', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    await page.goto(`${portico.url}/console/`);
    await logIn(page);
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    // Longer than the editor waits before it checks.
    await page.clock.runFor(2_000);
    expect(await page.locator('.cm-lintPoint-error, .cm-lintRange-error').count()).toBe(0);
    await write(page, 'Operation', '{ nothing');
    await page.clock.runFor(2_000);
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.context().close();
  });

  test('has nothing of the user before, who has logged out', async () => {
    const page = await openExplorer();
    await write(page, 'Operation', '{ order(id: "acme-1001") { item } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await answered(page, '"item":"Anvil,50kg"');
    await write(page, 'Variables', '{ "id": "acme-1002" }');
    expect(await stored(page)).toContain('acme-1001');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await stored(page)).not.toContain('acme');
    await logIn(page);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The operations that you run are listed here.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Operation', exact: true }).textContent()).not.toContain('acme');
    expect(await page.getByRole('textbox', { name: 'Variables', exact: true }).textContent()).not.toContain('acme');
    await page.context().close();
  });

  test('works where the origin is not secure, and says that nothing was copied', async () => {
    const mapped = await openBrowser(['--host-resolver-rules=MAP portico.test 127.0.0.1']);
    try {
      const page = await openPage(mapped);
      await page.goto(`http://portico.test:${new URL(portico.url).port}/console/`);
      await logIn(page);
      await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
      expect(await page.evaluate(() => globalThis.isSecureContext)).toBe(false);
      await page.getByRole('button', { name: 'New tab' }).click();
      await page.getByRole('button', { name: 'Copy SDL' }).click();
      await page.getByText('The browser does not allow copying.').waitFor();
      // The policy for isolated windows applies to secure origins only, which Chromium reports.
      expect(page.problems().filter((problem) => !problem.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
    } finally {
      await mapped.close();
    }
  });
});

describeInBrowser('the page of REST endpoints', () => {
  test('sends requests as the caller, and to services that are passed through', async () => {
    const page = await openConsole('rest');
    await logIn(page);
    await page.getByRole('button', { name: 'GET orders' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('"acme-1001"').waitFor();
    await page.getByRole('button', { name: 'Any path' }).click();
    await page.getByLabel('Path', { exact: true }).fill('/api/orders/export.csv');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('text/csv').waitFor();
    await page.getByLabel('Path', { exact: true }).fill('http://evil.test/x');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('This address does not belong to this gateway.').waitFor();
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('the commands that generate clients', () => {
  const context = () => ({ origin: portico.url, role: 'user', isAdmin: false });

  /** Runs a script where a user would, who types the lines that it asks for. */
  function runTyped(script: string, typed: string) {
    return spawnSync('bash', ['-c', script], { cwd: metadata, input: typed, encoding: 'utf8' });
  }

  test('log in, and write the schema of the role in both forms', () => {
    const local = `${process.cwd()}/node_modules/.bin/gql.tada`;
    const script = [
      credentialCommand(context()),
      introspectionCommand(context(), '{ __schema { types { name } } }'),
      sdlCommand(context()).replace('npx --yes gql.tada@1', local),
    ].join('\n');
    const { status, stdout } = runTyped(script, 'dora\ndora-acme-demo-pass\n1\n');
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('dora-acme-demo-pass')]);
    expect(readFileSync(join(metadata, 'schema.json'), 'utf8')).toContain('"name":"Order"');
    const sdl = readFileSync(join(metadata, 'schema.graphql'), 'utf8');
    expect(sdl).toContain('type Order {');
    expect(sdl).not.toContain('auth_audit_log');
  });
});

describeInBrowser('a page of an earlier build', () => {
  test('is reloaded where the files of its other pages are gone, and stays logged in', async () => {
    const page = await openAccount();
    await page.route(/assets\/(?!main|style).*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await page.locator('nav a[href$="/console/rest"]').click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Reloading the page keeps you logged in.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'REST endpoints' }).waitFor();
    await page.context().close();
  });
});

const THEMES = ['light', 'dark'] as const;

const PAGES = ['explorer', 'rest', 'schema', 'account'];

describeInBrowser.each(THEMES)('in %s', (colorScheme) => {
  test('every page is accessible, and keeps to the policy', async () => {
    const page = await openConsole('account', { colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
    await logIn(page);
    for (const path of PAGES) {
      await openPath(page, path);
      expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
    }
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

/** Follows the link to a page, and waits until it has loaded. */
async function openPath(page: Page, path: string): Promise<void> {
  await page.locator(`nav a[href$="/console/${path}"]`).click();
  await page.locator(`nav a[href$="/console/${path}"][aria-current=page]`).waitFor({ state: 'attached' });
  await page.locator('.page[aria-busy=false] h1').waitFor({ state: 'attached' });
  await waitFor(async () => (await page.getByText('Loading…').count()) === 0);
}

describeInBrowser('on a phone', () => {
  test('every page fits the width, and is reached by the menu', async () => {
    const page = await openAccount(PHONE);
    for (const path of PAGES) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await openPath(page, path);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 375]);
      expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
    }
    await page.context().close();
  });
});

describeInBrowser.each(THEMES)('the page at / in %s', (colorScheme) => {
  test('is accessible, fits every window, and has requests in three languages that run', async () => {
    const page = await openPage(browser, { colorScheme });
    for (const width of [390, 1024, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(portico.url);
      expect([width, await accessibilityProblems(page)]).toEqual([width, []]);
      expect([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([width, width]);
    }
    const programs = {
      curl: ['bash', '-c'],
      JavaScript: ['node', '--input-type=module', '-e'],
      Python: ['python3', '-c'],
    };
    await page.locator('#in-curl').focus();
    for (const [language, [command = '', ...options]] of Object.entries(programs)) {
      const text = (await page.getByRole('group', { name: `Request in ${language}` }).textContent()) ?? '';
      expect(text).toContain(portico.url);
      const { stdout, error } = spawnSync(command, [...options, text], { encoding: 'utf8' });
      // Machines need not have Python.
      if (!error) expect([language, stdout]).toEqual([language, expect.stringContaining('acme-1001')]);
      await page.keyboard.press('ArrowRight');
    }
    await page.getByRole('button', { name: 'Switch theme' }).click();
    const theme = colorScheme === 'light' ? 'dark' : 'light';
    await page.goto(`${portico.url}/console/`);
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('the pages beside the console', () => {
  test('are accessible and fit a phone', async () => {
    const page = await openPage(browser, PHONE);
    await page.goto(portico.url);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${portico.url}/api/swagger`);
    await page.getByLabel('Username').fill('dora');
    await page.getByLabel('Password').fill('dora-acme-demo-pass');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByText('/api/rest/orders').click();
    await page.getByRole('heading', { name: 'Responses' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('on a tablet', () => {
  test('no page of operators is wider than the screen, and the keyboard goes on as the explorer is shown', async () => {
    const page = await openConsole('keys', { viewport: { width: 780, height: 900 } });
    await page.getByRole('tab', { name: 'Admin secret' }).click();
    await page.locator('input[name=secret]').fill(ADMIN_SECRET);
    await page.getByRole('button', { name: 'Use this secret' }).click();
    for (const path of ['keys', 'jobs', 'audit', 'tenants', 'explorer']) {
      await openPath(page, path);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 780]);
    }
    // The side panel is shown last there.
    await page.getByRole('button', { name: 'Copy', exact: true }).focus();
    await page.keyboard.press('Tab');
    await focused(page.getByRole('tab', { name: 'Schema' }));
    await page.context().close();
  });
});

describeInBrowser('in forced colours', () => {
  test('what is chosen has another background', async () => {
    const page = await openConsole('explorer', { forcedColors: 'active' });
    await logIn(page);
    const background = (element: Element) => getComputedStyle(element).backgroundColor;
    const chosen = ['nav a[aria-current]', '[role=tab][aria-selected=true]', '.operation-tabs .chosen > button'];
    const others = await page.locator('[role=tab][aria-selected=false]').first().evaluate(background);
    for (const element of chosen)
      expect([element, await page.locator(element).first().evaluate(background)]).not.toEqual([element, others]);
    await page.context().close();
  });
});

describeAdministration(describeInBrowser, { url: () => portico.url, openConsole, logIn });
describeTrials(describeInBrowser, { url: () => portico.url, openConsole, logIn, adminSecret: ADMIN_SECRET });
describeExplorerPanels(describeInBrowser, { url: () => portico.url, openConsole, logIn });
describeTypedText(describeInBrowser, { url: () => portico.url, openConsole, logIn });
describeJobs(describeInBrowser, {
  url: () => portico.url,
  openConsole,
  logIn,
  adminSecret: ADMIN_SECRET,
  webhook: () => jobsWebhook,
});
