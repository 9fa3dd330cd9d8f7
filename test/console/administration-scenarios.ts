import { randomInt } from 'node:crypto';
import { type describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { DEMO_OPERATOR } from '../../auth-service/cli/demo-operator.ts';
import { accessibilityProblems, type WatchedPage } from './browser.ts';

/** The addresses that every administrator sees, and those that operators see otherwise. */
const OF_TENANT = ['users', 'clients', 'throttled', 'audit', 'tenants'];
const OF_OPERATORS = ['keys', 'audit', 'tenants/1', 'users?tenant=1', 'clients?tenant=3'];

const PHONE = { viewport: { width: 390, height: 844 } };

/** The platform that the scenarios run on, and how a console is opened there. */
export interface AdministeredConsole {
  url(): string;
  openConsole(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  logIn(page: Page, user?: string): Promise<void>;
}

/** What administrators do in the console, on a platform with demo accounts. */
export function describeAdministration(describeInBrowser: typeof describe.skip, console: AdministeredConsole): void {
  const { openConsole, logIn } = console;

  /** A console of the demo tenant's administrator, with the role for it. */
  async function openAsDora(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const page = await openConsole(path, options);
    await logIn(page, 'dora');
    await page.getByRole('button', { name: 'Use the role tenant_admin' }).click();
    return page;
  }

  async function openAsOperator(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const page = await openConsole(path, options);
    await enterServiceAccount(page, DEMO_OPERATOR.clientSecret);
    return page;
  }

  async function enterServiceAccount(page: Page, secret: string): Promise<void> {
    await page.getByRole('tab', { name: 'Service account' }).click();
    await page.getByLabel('Client ID').fill(DEMO_OPERATOR.clientId);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Log in as service account' }).click();
  }

  async function operatorToken(): Promise<string> {
    const { clientId, clientSecret } = DEMO_OPERATOR;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const response = await fetch(`${console.url()}/oauth/token`, { method: 'POST', body });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** The id of a user, by a field of operators. */
  async function idOf(username: string, tenantId: number): Promise<string> {
    const response = await fetch(
      `${console.url()}/api/rest/auth_admin_user_list?tenant_id=${tenantId}&search=${username}`,
      { headers: { authorization: `Bearer ${await operatorToken()}` } },
    );
    const { auth_admin_user_list: list } = (await response.json()) as {
      auth_admin_user_list: { entries: { user_id: string }[] };
    };
    return list.entries[0]?.user_id ?? '';
  }

  /** Runs an administrator's mutation, beside the console. */
  async function changeElsewhere(field: string, data: Record<string, unknown>): Promise<void> {
    const response = await fetch(`${console.url()}/api/rest/${field}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await operatorToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify(data),
    });
    const answer = (await response.json()) as Record<string, { success: boolean }>;
    expect(answer[field]).toMatchObject({ success: true });
  }

  async function logInElsewhere(username: string): Promise<void> {
    const response = await fetch(`${console.url()}/api/rest/auth_user_login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: `${username}-acme-demo-pass`, tenant_id: 1 }),
    });
    expect(response.status).toBe(200);
  }

  async function failToLogIn(username: string, times: number): Promise<void> {
    for (let tried = 0; tried < times; tried++)
      await fetch(`${console.url()}/api/rest/auth_user_login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: 'wrong', tenant_id: 1 }),
      });
  }

  describeInBrowser('an administrator of a tenant', () => {
    test('adds a user, finds, disables and deletes them', async () => {
      const name = `erin${randomInt(1_000_000)}`;
      const page = await openAsDora('users');
      await page.getByRole('button', { name: 'Add a user' }).click();
      const dialog = page.getByRole('dialog');
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await dialog.getByText('Expected a name').waitFor();
      await focused(dialog.getByLabel('Name'));
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await dialog.getByText('Expected 1 to 50 roles').waitFor();
      await focused(dialog.getByRole('checkbox').first());
      await page.keyboard.press('Space');
      await dialog.getByRole('button', { name: 'Add user' }).click();
      const secret = page.getByRole('dialog', { name: 'Generated password' });
      await secret.getByText('It is shown only once').waitFor();
      expect(await secret.locator('code').textContent()).toMatch(/^\S{16,}$/);
      await page.keyboard.press('Escape');
      await secret.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText(`${name} was added.`).waitFor();

      await page.getByRole('searchbox').fill(name.slice(0, -1));
      await page.getByText('1 user', { exact: true }).waitFor();
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name }).waitFor();
      await page.getByText('user.add').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await dialog.getByRole('button', { name: 'Disable' }).click();
      await page.getByText(`${name} is locked out.`).waitFor();
      await page.getByText('user.disable').waitFor();
      await page.goBack();
      await page.getByLabel('State').selectOption('enabled');
      await page.getByText('No matching users.').waitFor();
      await page.getByLabel('State').selectOption('disabled');
      expect(new URL(page.url()).search).toBe(`?search=${name.slice(0, -1)}&state=disabled`);
      await page.getByRole('link', { name }).click();

      // Leaving the page of a deleted account asks nothing, although an edit there is not saved.
      await page.getByRole('region', { name: 'Roles' }).getByRole('checkbox').first().click();
      await page.getByRole('button', { name: 'Delete permanently' }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.type('erik');
      await page.keyboard.press('Enter');
      await dialog.getByText(`Does not match ${name}.`).waitFor();
      await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
      await page.keyboard.press('Enter');
      await page.getByText(`${name} was deleted.`).waitFor();
      await page.getByText(/^\d users, alice to/).waitFor();
      expect(await page.getByRole('link', { name }).count()).toBe(0);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('changes roles and claims, of those that the tenant may give', async () => {
      const page = await openAsDora('users');
      await page.getByRole('link', { name: 'carol' }).click();
      const roles = page.getByRole('region', { name: 'Roles' });
      await roles.getByRole('checkbox', { name: 'manager' }).check();
      expect(await roles.getByRole('checkbox').count()).toBe(3);
      await roles.getByLabel('Default role').selectOption('manager');
      await roles.getByRole('button', { name: 'Save roles' }).click();
      await page
        .getByRole('definition')
        .filter({ hasText: /^user, manager$/ })
        .waitFor();
      const claims = page.getByRole('region', { name: 'Extra claims' });
      await claims.getByRole('button', { name: 'Add a claim' }).click();
      await claims.getByLabel('Value of x-hasura-department').fill('sales');
      await claims.getByRole('button', { name: 'Save claims' }).click();
      await page.getByText('x-hasura-department: sales').waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByText('carol can log in again.').waitFor();
      await page.getByRole('button', { name: 'Disable' }).waitFor();
      // The button that had the focus is gone.
      await focused(page.locator('#actions').filter({ hasText: /^Account$/ }));
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('sees in forms what was saved elsewhere, and keeps what is being edited', async () => {
      const page = await openAsDora('users');
      await page.getByRole('link', { name: 'bob' }).click();
      const roles = page.getByRole('region', { name: 'Roles' });
      const claims = page.getByRole('region', { name: 'Extra claims' });
      const manager = roles.getByRole('checkbox', { name: 'manager' });
      await claims.getByRole('button', { name: 'Add a claim' }).click();
      const department = claims.getByLabel('Value of x-hasura-department');
      await department.fill('edited-here');
      expect(await manager.isChecked()).toBe(false);
      const user_id = await idOf('bob', 1);
      const ofBob = { tenant_id: 1, user_id };
      const elsewhere = (name: string) => [{ name: 'x-hasura-department', value: name }];
      await changeElsewhere('auth_admin_user_set_roles', { ...ofBob, roles: ['user', 'manager'] });
      await changeElsewhere('auth_admin_user_set_claims', { ...ofBob, claims: elsewhere('elsewhere') });
      await page.getByRole('button', { name: 'Clear failed logins' }).click();
      await page.getByText('x-hasura-department: elsewhere').waitFor();
      expect([await manager.isChecked(), await department.inputValue()]).toEqual([true, 'edited-here']);
      await claims.getByText('The saved values have changed').waitFor();
      expect(await roles.getByText('The saved values have changed').count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      await claims.getByRole('button', { name: 'Discard my changes' }).click();
      await focused(claims.getByRole('combobox'));
      expect(await department.inputValue()).toBe('elsewhere');
      // What was saved here is followed by what is saved elsewhere later.
      await department.fill('saved-here');
      await claims.getByRole('button', { name: 'Save claims' }).click();
      await page.getByText('x-hasura-department: saved-here').waitFor();
      await changeElsewhere('auth_admin_user_set_claims', { ...ofBob, claims: elsewhere('later') });
      await page.getByRole('button', { name: 'Clear failed logins' }).click();
      await page.getByText('x-hasura-department: later').waitFor();
      expect(await department.inputValue()).toBe('later');
      // What is typed while it is saved, or loaded after that, stays; and what was saved here has not changed elsewhere.
      for (const held of ['mutation auth_admin_user_set_claims', 'query auth_admin_user_get']) {
        await department.fill(`saved before ${held}`);
        const request = await hold(page, held);
        await claims.getByRole('button', { name: 'Save claims' }).click();
        await request.reached;
        await department.fill(`typed during ${held}`);
        expect(await claims.getByText('The saved values have changed').count()).toBe(0);
        request.release();
        await page.getByText(`x-hasura-department: saved before ${held}`).waitFor();
        expect(await department.inputValue()).toBe(`typed during ${held}`);
        expect(await claims.getByText('The saved values have changed').count()).toBe(0);
      }
      await changeElsewhere('auth_admin_user_set_roles', { ...ofBob, roles: ['user'] });
      await changeElsewhere('auth_admin_user_set_claims', { ...ofBob, claims: [] });
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('is told that a user has more sessions than are listed', async () => {
      const page = await openAsDora('users');
      await page.route('**/v1/graphql', (route) => {
        const { query, variables } = route.request().postDataJSON() as { query: string; variables: object };
        const postData = {
          query: query.replace(/(auth_admin_session_list\([^)]*)/, '$1, first: 1'),
          variables,
        };
        return route.continue({ postData });
      });
      await logInElsewhere('dora');
      await page.getByRole('link', { name: 'dora', exact: true }).click();
      await page
        .getByRole('region', { name: 'Sessions' })
        .getByText('The newest 1 open sessions. There are more.')
        .waitFor();
      await page.context().close();
    });

    test('pages and searches by addresses, which outlive a reload and lead back', async () => {
      const page = await openConsole('account');
      await logIn(page, 'dora');
      await page.getByLabel('Role').selectOption('tenant_admin');
      // Lists of a few entries have several pages then.
      await page.route('**/v1/graphql', (route) => {
        const { query, variables } = route.request().postDataJSON() as { query: string; variables: object };
        const postData = { query: query.replace('after: $after', 'after: $after, first: 2'), variables };
        return route.continue({ postData });
      });
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByText('2 users, alice to bob').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('2 users, carol to dora').waitFor();
      await focused(page.getByText('2 users, carol to dora'));
      await page.reload();
      await page.getByText('2 users, carol to dora').waitFor();
      await page.getByRole('link', { name: 'dora', exact: true }).click();
      await page.getByRole('heading', { name: 'dora' }).waitFor();
      await page.goBack();
      await page.getByText('2 users, carol to dora').waitFor();
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByText('2 users, alice to bob').waitFor();
      await page.getByRole('searchbox').fill('car');
      await page.getByText('1 user', { exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?search=car');
      await page.reload();
      await page.getByText('1 user', { exact: true }).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('car');
      await page.context().close();
    });

    test('releases a throttled account, and ends sessions', async () => {
      // She never logs in here, so that the counter of the account counts, and not that of the device.
      await failToLogIn('carol', 3);
      const page = await openAsDora('throttled');
      await page.getByRole('button', { name: 'Release carol' }).click();
      await page.getByText('carol can log in again.').waitFor();
      await page.getByText('No throttled accounts.').waitFor();
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByRole('link', { name: 'dora', exact: true }).click();
      const sessions = page.getByRole('region', { name: 'Sessions' });
      await sessions
        .getByRole('button', { name: /^End the session/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'End all sessions' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
      // Also this one.
      await page.getByText('Your session has ended').waitFor();
      await page.context().close();
    });

    test('is refused another tenant, its users and what is for operators', async () => {
      const page = await openAsDora('users?tenant=2');
      await page.getByText('There is no such tenant').waitFor();
      const foreign = await idOf('alice', 2);
      for (const [path, refusal] of [
        [`users/${foreign}`, 'There is no such user'],
        [`users/${foreign}?tenant=2`, 'There is no such tenant'],
        ['clients?tenant=x', 'There is no such tenant'],
        ['clients?tenant=2', 'There is no such tenant'],
        ['audit?tenant=2', 'There is no such tenant'],
        ['tenants/2', 'There is no such tenant'],
        ['keys', 'Only platform operators can manage signing keys'],
      ] as const) {
        await page.goto(`${console.url()}/console/${path}`);
        await page.getByRole('alert').filter({ hasText: refusal }).waitFor();
        expect(await page.getByText('globex').count()).toBe(0);
        expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
      }
      await page.goto(`${console.url()}/console/tenants`);
      await page.getByText('1 tenant', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name: 'Signing keys' }).count()).toBe(0);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });
  });

  describeInBrowser('a user who administers nothing', () => {
    test('is not shown the way to the pages of administrators, and is refused there', async () => {
      const page = await openConsole('users');
      await logIn(page, 'alice');
      await page.getByText('Your current role has no administration rights.').waitFor();
      expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
      await page.context().close();
    });
  });

  describeInBrowser('a platform operator', () => {
    test('logs in with a service account, whose secret is kept in memory, and logs out', async () => {
      const page = await openConsole('keys');
      await enterServiceAccount(page, 'wrong');
      await page.getByRole('alert').filter({ hasText: 'The client ID or the secret is wrong' }).waitFor();
      await enterServiceAccount(page, DEMO_OPERATOR.clientSecret);
      await page.getByRole('button', { name: 'Rotate' }).waitFor();
      expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toMatch(
        new RegExp(`eyJ|${DEMO_OPERATOR.clientSecret}`),
      );
      await page.getByRole('link', { name: `Logged in as ${DEMO_OPERATOR.clientId}` }).click();
      await page.getByText('You are logged in as a service account.').waitFor();
      expect(await page.getByRole('definition').allTextContents()).toEqual([
        DEMO_OPERATOR.clientId,
        '3',
        'platform_operator',
        'platform_operator',
      ]);
      expect(await accessibilityProblems(page)).toEqual([]);
      const revoked = page.waitForResponse((response) => response.url().endsWith('/oauth/revoke'));
      await page.getByRole('button', { name: 'Log out' }).click();
      expect((await revoked).ok()).toBe(true);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('adds a tenant, and says what its administrators may give', async () => {
      const id = String(randomInt(1_000, 1_000_000));
      const name = `initech-${id}`;
      const page = await openAsOperator('tenants');
      await page.getByRole('button', { name: 'Add a tenant' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('ID').fill('1');
      await dialog.getByLabel('Name').fill(name);
      await page.keyboard.press('Enter');
      await dialog.getByText('A tenant with this id or name already exists.').waitFor();
      await dialog.getByLabel('ID').fill(id);
      await page.keyboard.press('Enter');
      await page.getByText(`${name} was added.`).waitFor();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByLabel('Another role').fill('admin');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save assignable values' }).click();
      await page.getByText('Expected other roles than admin.').waitFor();
      await page.getByRole('checkbox', { name: 'admin' }).uncheck();
      await page.getByLabel('Another role').fill('user');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save assignable values' }).click();
      await page.getByText('The assignable values were saved').waitFor();
      await page.getByRole('button', { name: 'Disable tenant' }).click();
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.getByText(`${name} is locked out.`).waitFor();
      await page.getByRole('button', { name: 'Enable tenant' }).waitFor();
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('gives a service account, whose secret is shown once, and revokes it', async () => {
      const name = `robot-${randomInt(1_000_000)}`;
      const page = await openAsOperator('clients');
      await page.getByRole('link', { name: 'globex' }).click();
      await page.getByRole('button', { name: 'Add a service account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Another role').fill('user');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Add service account' }).click();
      await dialog.getByText('The secret is shown only once.').waitFor();
      const secret = await dialog.locator('code').nth(1).textContent();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      expect(await page.content()).not.toContain(secret);
      await page.getByRole('button', { name: `Revoke ${name}` }).click();
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.getByText(`${name} was revoked.`).waitFor();
      await page.getByRole('row', { name: new RegExp(`^${name}.*revoked`) }).waitFor();
      // The tenant stays picked.
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByText('1 user', { exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?tenant=2');
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('rotates the signing key, and finds it in the audit log', async () => {
      const page = await openAsOperator('keys');
      await page.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await page.getByText(/^A (new key is published|rotation was already in progress)/).waitFor();
      await page.getByText('2 keys').waitFor();
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByLabel('Event').selectOption('key.publish');
      await page.getByText(/^\d entries$/).waitFor();
      await page.getByRole('row').nth(1).getByText('Show').click();
      await page.getByRole('row').nth(1).getByText('Entry', { exact: true }).waitFor();
      await page.getByLabel('User ID').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await page.context().close();
    });
  });

  describeInBrowser('the pages of administrators', () => {
    test('are loaded again after a failure, and name operators in full', async () => {
      const page = await openAsOperator('tenants');
      await page.getByRole('link', { name: 'globex' }).waitFor();
      let failing: string | undefined = 'auth_admin_me';
      await page.route('**/v1/graphql', async (route) => {
        if (failing !== undefined && route.request().postData()?.includes(failing)) return route.abort();
        const response = await route.fetch();
        const body = (await response.text()).replaceAll(
          /"actor_kind":"[^"]*","actor_id":(?:null|"[^"]*")/g,
          '"actor_kind":"operator","actor_id":"gateway admin secret"',
        );
        return route.fulfill({ response, body });
      });
      const retry = page.getByRole('button', { name: 'Try again' });
      await page.getByRole('link', { name: 'Audit log' }).click();
      await retry.waitFor();
      failing = 'auth_admin_audit_log';
      await retry.click();
      await page.getByLabel('Event').waitFor();
      await retry.waitFor();
      failing = undefined;
      await retry.click();
      await page.getByRole('cell', { name: 'operator gateway admin secret', exact: true }).first().waitFor();
      expect(await retry.count()).toBe(0);
      failing = 'auth_admin_me';
      await page.evaluate(() => {
        history.pushState(null, '', '/console/tenants/2');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      await retry.waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Tenants');
      await page.context().close();
    });

    test.each([
      ['on a phone', openAsDora, OF_TENANT, PHONE],
      ['on a dark phone, for operators', openAsOperator, OF_OPERATORS, { ...PHONE, colorScheme: 'dark' }],
    ] as const)('are accessible and fit the width %s', async (_, open, paths, options) => {
      const username = `zoe<b>${'z'.repeat(240)}${randomInt(10_000)}`;
      await changeElsewhere('auth_admin_user_create', { tenant_id: 1, username, roles: ['user'] });
      const page = await open(paths[0] ?? '', options);
      const width = page.viewportSize()?.width;
      for (const path of paths) {
        if (path !== paths[0]) await openAddress(page, path);
        await loaded(page);
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width]);
      }
      if (open === openAsDora) {
        for (const name of ['dora', username]) {
          await openAddress(page, `users/${await idOf(encodeURIComponent(name), 1)}`);
          await page.getByRole('heading', { name, exact: true }).waitFor();
          await page.getByRole('region', { name: 'Recent events' }).getByRole('table').waitFor();
          expect(await accessibilityProblems(page)).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        }
      }
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });
  });
}

/** Opens an address of the console without a load, which would end a session of an entered token. */
export async function openAddress(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', location.pathname.replace(/\/console\/.*/, `/console/${to}`));
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

async function loaded(page: Page): Promise<void> {
  await page.locator('.page[aria-busy=false] h1').waitFor({ state: 'attached' });
  await page.locator('.facts, .paged[aria-busy=false]').first().waitFor();
}

/** Waits until an element has the focus, which moves after what it follows is shown. */
export async function focused(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor({ state: 'attached' });
}

/** Holds requests that have a text until they are released. */
export async function hold(page: Page, text: string): Promise<{ readonly reached: Promise<unknown>; release(): void }> {
  const isHeld = (request: Request) => request.postData()?.includes(text) ?? false;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/graphql', async (route) => {
    if (isHeld(route.request())) await released;
    await route.continue();
  });
  return { reached: page.waitForRequest(isHeld), release };
}
