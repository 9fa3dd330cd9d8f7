import { type describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type AdministeredConsole, focused } from './administration-scenarios.ts';
import type { WatchedPage } from './browser.ts';

/** What goes wrong in the explorer and on the page of REST endpoints, and what callers see of it. */
export function describeTrials(
  describeInBrowser: typeof describe.skip,
  console: AdministeredConsole & { readonly adminSecret: string },
): void {
  const { openConsole, logIn, adminSecret } = console;

  async function openExplorer(): Promise<WatchedPage> {
    const page = await openConsole('explorer');
    await logIn(page, 'dora');
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    return page;
  }

  describeInBrowser('an operation that is not answered', () => {
    test('says which header no request can have', async () => {
      const page = await openExplorer();
      await page.getByRole('tab', { name: 'Headers' }).first().click();
      for (const header of ['{ "x name": "1" }', '{ "x-name": "€" }', '{ "x-name": {} }']) {
        await write(page, 'Request headers of this tab, as a JSON object. They are kept in memory only.', header);
        await page.getByRole('button', { name: 'Run' }).click();
        const [, name = ''] = /"([^"]*)"/.exec(header) ?? [];
        await page
          .getByRole('alert')
          .filter({ hasText: `Headers: "${name}" is not a valid header.` })
          .waitFor();
      }
      await page.context().close();
    });

    test('says that the connection of a subscription is lost, and keeps its last event', async () => {
      const page = await openExplorer();
      await page.routeWebSocket(/v1\/graphql/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          socket.send(message);
          if (String(message).includes('"ticks":1')) void socket.close({ code: 1006 });
        });
      });
      await write(page, 'Operation', 'subscription { ticks }');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('alert').filter({ hasText: 'The connection to the gateway was lost' }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Response' }).textContent()).toMatch(/"ticks":\s*1/);
      await page.context().close();
    });
  });

  describeInBrowser('tabs of operations with long names', () => {
    test('are shown when they are opened, and leave the keyboard beside a closed one', async () => {
      const page = await openExplorer();
      const names = [1, 2, 3, 4, 5, 6].map((at) => `${'operation_of_a_long_name_'.repeat(4)}${at}`);
      for (const name of names) {
        await write(page, 'Operation', `query ${name} { __typename }`);
        if (name !== names.at(-1)) await page.getByRole('button', { name: 'New tab' }).click();
      }
      const [first = '', last = ''] = [names[0], names.at(-1)];
      for (const name of [last, first]) {
        const tab = page.getByRole('button', { name, exact: true });
        await tab.click();
        const { right = 0 } = await page.locator('.operation-tabs').evaluate((list) => list.getBoundingClientRect());
        const box = await tab.boundingBox();
        expect(box?.width).toBeLessThan(200);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(right);
      }
      await page.getByRole('button', { name: `Close ${first}` }).focus();
      await page.keyboard.press('Enter');
      await focused(page.getByRole('button', { name: names[1] ?? '', exact: true }));
      await page.context().close();
    });
  });

  describeInBrowser('an answer', () => {
    test('stays with its tab until that is closed, also while other pages are open, and goes with the user', async () => {
      const page = await openExplorer();
      const answer = page.getByRole('textbox', { name: 'Response' });
      await write(page, 'Operation', 'query first { auth_user_me { username } }');
      await page.getByRole('button', { name: 'Run' }).click();
      await answer.filter({ hasText: '"dora"' }).waitFor();
      await page.getByRole('button', { name: 'New tab' }).click();
      await answer.filter({ hasNotText: 'dora' }).waitFor();
      await write(page, 'Operation', 'query second { __typename }');
      await page.getByRole('button', { name: 'Run' }).click();
      await answer.filter({ hasText: '__typename' }).waitFor();
      await page.getByRole('button', { name: 'first', exact: true }).click();
      await answer.filter({ hasText: '"dora"' }).waitFor();
      await page.getByRole('link', { name: 'Account', exact: true }).click();
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
      await page.getByRole('link', { name: 'Explorer' }).click();
      await answer.filter({ hasText: '"dora"' }).waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await logIn(page, 'bob');
      await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
      expect(await answer.textContent()).not.toContain('dora');
      await page.context().close();
    });
  });

  describeInBrowser('a run after the session has ended', () => {
    test('is made once its user has logged in again', async () => {
      const page = await openExplorer();
      const reject = { status: 401, json: { errors: [{ message: 'ended', extensions: { code: 'invalid-jwt' } }] } };
      await page.route(/v1\/graphql/, (route) => route.fulfill(reject));
      await page.route(/session\/refresh/, (route) => route.fulfill({ status: 401, json: { success: false } }));
      await write(page, 'Operation', '{ auth_user_me { username } }');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('Your session has ended').waitFor();
      await page.unroute(/v1\/graphql/);
      await page.unroute(/session\/refresh/);
      await logIn(page, 'dora');
      await page
        .getByRole('textbox', { name: 'Response' })
        .filter({ hasText: /"username":\s*"dora"/ })
        .waitFor();
      await page.context().close();
    });
  });

  describeInBrowser('a request to an endpoint after the session has ended', () => {
    test('is made once its user has logged in again', async () => {
      const page = await openConsole('rest');
      await logIn(page, 'dora');
      await page.getByRole('searchbox').fill('ORD');
      await page.getByRole('button', { name: 'GET orders', exact: true }).click();
      expect(await page.getByRole('button', { name: /^POST/ }).allTextContents()).toEqual([
        'POST auth_user_change_password',
      ]);
      const reject = { status: 401, json: { path: '$', error: 'ended', code: 'invalid-jwt' } };
      await page.route(/rest\/orders/, (route) => route.fulfill(reject));
      await page.route(/session\/refresh/, (route) => route.fulfill({ status: 401, json: { success: false } }));
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Your session has ended').waitFor();
      await page.unroute(/rest\/orders/);
      await page.unroute(/session\/refresh/);
      await logIn(page, 'dora');
      await page.getByRole('region', { name: 'Response' }).getByText('200').waitFor();
      await page.context().close();
    });
  });

  describeInBrowser('a subscription of many events', () => {
    test('shows the last of them, not each', async () => {
      const page = await openExplorer();
      await page.routeWebSocket(/v1\/graphql/, (socket) =>
        socket.onMessage((message) => {
          const { type, id } = JSON.parse(String(message)) as { type: string; id?: string };
          if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }));
          if (type !== 'subscribe') return;
          for (let ticks = 1; ticks <= 1_000; ticks++)
            socket.send(JSON.stringify({ type: 'next', id, payload: { data: { ticks } } }));
          socket.send(JSON.stringify({ type: 'complete', id }));
        }),
      );
      const texts = await page.locator('.answer').evaluateHandle((answer) => {
        const seen = new Set<string>();
        const look = () => seen.add(answer.querySelector('[role=status]')?.textContent ?? '');
        new MutationObserver(look).observe(answer, { subtree: true, childList: true, characterData: true });
        return seen;
      });
      await write(page, 'Operation', 'subscription { ticks }');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('1000 events').waitFor();
      expect(await page.getByRole('textbox', { name: 'Response' }).textContent()).toMatch(/"ticks":\s*1000/);
      expect(await texts.evaluate((seen) => seen.size)).toBeLessThan(500);
      await page.context().close();
    });
  });

  describeInBrowser('two windows of the explorer', () => {
    test('keep their own tabs over a reload, share the history, and lose both by a logout', async () => {
      const page = await openExplorer();
      await write(page, 'Operation', '{ orders { id } }');
      const other = await page.context().newPage();
      await other.goto(page.url());
      await write(other, 'Operation', 'query of_the_other { orders { id } }');
      await other.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('button', { name: 'of_the_other' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Operation', exact: true }).textContent()).toBe(
        '{ orders { id } }',
      );
      // Neither window has opened the explorer when the user logs out.
      await page.goto(page.url().replace('explorer', 'account'));
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
      expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
        'orders',
      );
      await page.context().close();
    });
  });

  describeInBrowser('two windows of different users', () => {
    test('show neither the history of the other', async () => {
      const page = await openConsole('account');
      await page.getByRole('tab', { name: 'Admin secret' }).click();
      await page.locator('input[name=secret]').fill(adminSecret);
      await page.getByRole('button', { name: 'Use this secret' }).click();
      await page.getByText('You are using the admin secret.').waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url().replace('account', 'explorer'));
      await logIn(other as WatchedPage, 'dora');
      await write(other, 'Operation', 'query of_dora { orders { id } }');
      await other.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('link', { name: 'Explorer' }).click();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByText('The operations that you run are listed here.').waitFor();
      await write(page, 'Operation', 'query of_the_operator { __typename }');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('listitem').getByRole('button', { name: 'of_the_operator' }).last().waitFor();
      await other.getByRole('tab', { name: 'History' }).click();
      await other.getByRole('listitem').getByRole('button', { name: 'of_dora' }).last().waitFor();
      expect(await other.getByText('of_the_operator').count()).toBe(0);
      expect(await other.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('of_the_operator');
      await page.context().close();
    });
  });

  describeInBrowser('a request to any address', () => {
    test('has no body that was typed for another method, and says what of its answer is shown', async () => {
      const page = await openConsole('rest');
      await logIn(page, 'dora');
      await page.getByRole('button', { name: 'Any path' }).click();
      await page.getByLabel('Method').selectOption('POST');
      await page.getByLabel('Body (JSON)').fill('{}');
      await page.getByLabel('Method').selectOption('GET');
      await page.getByLabel('Path', { exact: true }).fill('/api/rest/orders');
      await page.route('**/api/rest/orders', (route) => route.fulfill({ body: 'x'.repeat(200_001) }));
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Showing the first 200,000 of 200,001 characters.').waitFor();
      await page.context().close();
    });
  });
}

async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor, exact: true }).focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}
