import { type describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DEMO_OPERATOR } from '../../auth-service/cli/demo-operator.ts';
import { type AdministeredConsole, focused, hold } from './administration-scenarios.ts';
import type { WatchedPage } from './browser.ts';

/** What is typed, and the place of the keyboard, outlive what happens meanwhile. */
export function describeTypedText(describeInBrowser: typeof describe.skip, console: AdministeredConsole): void {
  const { openConsole, logIn } = console;

  async function openAsDora(path: string): Promise<WatchedPage> {
    const page = await openConsole(path);
    await logIn(page, 'dora');
    await page.getByRole('button', { name: 'Use the role tenant_admin' }).click();
    return page;
  }

  async function openAsOperator(path: string): Promise<WatchedPage> {
    const page = await openConsole(path);
    await page.getByRole('tab', { name: 'Service account' }).click();
    await page.getByLabel('Client ID').fill(DEMO_OPERATOR.clientId);
    await page.getByLabel('Client secret').fill(DEMO_OPERATOR.clientSecret);
    await page.getByRole('button', { name: 'Log in as service account' }).click();
    return page;
  }

  describeInBrowser('what is typed', () => {
    test('stays where its page could not be loaded again', async () => {
      const page = await openAsDora('users?search=bob');
      await page.getByRole('link', { name: 'bob' }).click();
      const claims = page.getByRole('region', { name: 'Extra claims' });
      await claims.getByRole('button', { name: 'Add a claim' }).click();
      const department = claims.getByLabel('Value of x-hasura-department');
      await department.fill('typed');
      await fail(page, 'query auth_admin_user_get');
      await page.getByRole('button', { name: 'Clear failed logins' }).click();
      await page.getByRole('alert').filter({ hasText: 'The gateway cannot be reached' }).waitFor();
      expect(await department.inputValue()).toBe('typed');
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect(await department.inputValue()).toBe('typed');
      await page.context().close();
    });

    test('stays in a search that is rendered later than the next key', async () => {
      const page = await openAsDora('users');
      await page.getByRole('link', { name: 'alice' }).waitFor();
      await page.clock.install();
      const search = page.getByRole('searchbox');
      await search.pressSequentially('ca');
      await page.clock.pauseAt(Date.now() + 60_000);
      await search.pressSequentially('r');
      // The pause of the typing ends, and no frame is rendered after it.
      await page.clock.runFor(200);
      await search.pressSequentially('o');
      await page.clock.runFor(5_000);
      await page.getByText('1 user', { exact: true }).waitFor();
      expect(await search.inputValue()).toBe('caro');
      expect(new URL(page.url()).search).toBe('?search=caro');
      // No test after it gets a page with such a clock.
      await page.close();
      await page.context().close();
    });

    test('stays while the claims of a role are saved, and the keyboard follows the rows', async () => {
      const page = await openAsOperator('tenants/2');
      const form = page.getByRole('region', { name: 'Extra claims of a role' });
      await form.getByLabel('Role').fill('user');
      const add = form.getByRole('button', { name: 'Add a claim' });
      for (const name of ['x-hasura-a', 'x-hasura-b', 'x-hasura-c']) {
        await add.click();
        await focused(form.getByLabel('Claim name').last());
        await page.keyboard.type(name);
      }
      await form.getByRole('button', { name: 'Remove x-hasura-a' }).click();
      await focused(form.getByRole('button', { name: 'Remove x-hasura-b' }));
      await form.getByRole('button', { name: 'Remove x-hasura-c' }).click();
      await focused(form.getByRole('button', { name: 'Remove x-hasura-b' }));
      const saved = await hold(page, 'mutation auth_admin_role_set_claims');
      await form.getByRole('button', { name: 'Set role claims' }).click();
      await saved.reached;
      await form.getByLabel('Role').fill('manager');
      saved.release();
      await page.getByText('The claims of user were set.').waitFor();
      expect(await form.getByLabel('Role').inputValue()).toBe('manager');
      await form.getByRole('button', { name: 'Remove x-hasura-b' }).click();
      await focused(add);
      await form.getByRole('button', { name: 'Set role claims' }).click();
      await page.getByText('The claims of manager were set.').waitFor();
      expect(await form.getByLabel('Role').inputValue()).toBe('');
      expect(await asksBeforeLeaving(page)).toBe(false);
      await form.getByLabel('Role').fill('manager');
      expect(await asksBeforeLeaving(page)).toBe(true);
      await page.context().close();
    });

    test('is nothing that is lost once it is deleted again', async () => {
      const page = await openAsOperator('tenants/2');
      const form = page.getByRole('region', { name: 'Extra claims of a role' });
      await form.getByLabel('Role').fill('user');
      expect(await asksBeforeLeaving(page)).toBe(true);
      await form.getByLabel('Role').fill('');
      expect(await asksBeforeLeaving(page)).toBe(false);
      await form.getByRole('button', { name: 'Add a claim' }).click();
      await form.getByLabel('Claim name').fill('x-hasura-a');
      expect(await asksBeforeLeaving(page)).toBe(true);
      await form.getByRole('button', { name: 'Remove x-hasura-a' }).click();
      await focused(form.getByRole('button', { name: 'Add a claim' }));
      expect(await asksBeforeLeaving(page)).toBe(false);
      await page.context().close();
    });
  });

  describeInBrowser('a page that could not be loaded', () => {
    test('is loaded again without a reload of the browser, which would log out', async () => {
      const page = await openConsole('rest');
      await page.route(/swagger|v1\/graphql/, (route) => route.abort());
      await logIn(page, 'dora');
      const retry = page.getByRole('button', { name: 'Try again' });
      for (const path of ['explorer', 'schema', 'account', 'rest']) {
        await page.locator(`nav a[href$="/console/${path}"]`).click();
        await retry.first().waitFor();
        if (path === 'schema')
          expect(await page.getByRole('alert').locator('strong').allTextContents()).toEqual([
            'SDL (schema.graphql): ',
            'OpenAPI (openapi.json): ',
          ]);
      }
      await page.unrouteAll();
      await retry.click();
      await page.getByRole('button', { name: 'GET orders' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.context().close();
    });
  });
}

/** Breaks the connection of requests that have a text. */
async function fail(page: Page, text: string): Promise<void> {
  await page.route('**/v1/graphql', (route) =>
    route.request().postData()?.includes(text) ? route.abort() : route.continue(),
  );
}

/** Whether the browser would ask before it leaves the page. */
async function asksBeforeLeaving(page: Page): Promise<boolean> {
  return !(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))));
}
