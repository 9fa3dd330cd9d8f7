import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Portico, startPortico } from '../e2e/portico.ts';
import { isServiceThere } from '../found-services.ts';
import { accessibilityProblems, openBrowser, openPage, type WatchedPage } from './browser.ts';

const ADMIN_SECRET = 'console-suite-admin-secret';
const PHONE = { viewport: { width: 375, height: 720 } };

let portico: Portico;
let browser: Browser;

const hasBrowser = isServiceThere('chromium');
const describeInBrowser = hasBrowser ? describe : describe.skip;

beforeAll(async () => {
  if (!hasBrowser) return;
  [portico, browser] = await Promise.all([
    startPortico({ environment: { HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET, AUTH_ACCESS_TOKEN_TTL_SECONDS: '60' } }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await portico?.stop();
});

async function openConsole(path = '', options = {}): Promise<WatchedPage> {
  const page = await openPage(browser, options);
  await page.goto(`${portico.url}/console/${path}`);
  await page.getByRole('heading', { name: 'Portico' }).waitFor();
  return page;
}

async function logIn(page: Page, user = 'dora', password = `${user}-acme-demo-pass`): Promise<void> {
  await page.getByLabel('User').fill(user);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function openAccount(options = {}): Promise<WatchedPage> {
  const page = await openConsole('account', options);
  await logIn(page);
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  return page;
}

/** Everything that the page keeps where scripts of later visits could read it. */
function stored(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
}

describeInBrowser('logging in', () => {
  test('leads from / to the own account in two clicks, and keeps no token in storage', async () => {
    const page = await openPage(browser);
    await page.goto(portico.url);
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByRole('button', { name: /^alice at acme/ }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    expect(await stored(page)).not.toMatch(/eyJ|[0-9a-f]{8}-[0-9a-f]{4}/);
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
    expect(await page.getByLabel('Role').inputValue()).toBe('admin');
    expect(await stored(page)).not.toContain(ADMIN_SECRET);
    await page.context().close();
  });
});

describeInBrowser('a session', () => {
  test('is refreshed before its token expires, by one request', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    const operations: string[] = [];
    page.on('request', (request) => operations.push(/auth_\w+/.exec(request.postData() ?? '')?.[0] ?? ''));
    await page.goto(`${portico.url}/console/account`);
    await page.getByRole('heading', { name: 'Portico' }).waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    const refreshed = page.waitForResponse((response) =>
      /auth_token_refresh/.test(response.request().postData() ?? ''),
    );
    await page.clock.fastForward(50_000);
    expect((await refreshed).ok()).toBe(true);
    await page.getByLabel('Role').selectOption('tenant_admin');
    await page
      .getByRole('definition')
      .filter({ hasText: /^tenant_admin$/ })
      .waitFor();
    expect(operations.filter((name) => name === 'auth_token_refresh')).toHaveLength(1);
    await page.context().close();
  });

  test('is revoked by logging out', async () => {
    const page = await openAccount();
    const revoked = page.waitForResponse((response) => /auth_user_logout/.test(response.request().postData() ?? ''));
    await page.getByRole('button', { name: 'Log out' }).click();
    const { data } = (await (await revoked).json()) as { data: { auth_user_logout: { success: boolean } } };
    expect(data.auth_user_logout.success).toBe(true);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.context().close();
  });

  test('that was ended elsewhere leads back to the login', async () => {
    const page = await openPage(browser);
    await page.clock.install();
    await page.goto(`${portico.url}/console/account`);
    await logIn(page);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
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
    await page.context().close();
  });
});

const THEMES = ['light', 'dark'] as const;

describeInBrowser.each(THEMES)('in %s', (colorScheme) => {
  test('the login and the account are accessible, and keep to the policy', async () => {
    const page = await openConsole('account', { colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
    await logIn(page);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(page.problems()).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('on a phone', () => {
  test('every page fits the width, and the menu opens', async () => {
    const page = await openAccount(PHONE);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    expect(await page.getByRole('link', { name: 'Account' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });
});
