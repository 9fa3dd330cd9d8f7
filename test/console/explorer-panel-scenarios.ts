import { type describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type AdministeredConsole, focused } from './administration-scenarios.ts';
import { accessibilityProblems, type WatchedPage } from './browser.ts';

const DESKTOP = { viewport: { width: 1440, height: 900 } };

/** The panels of the explorer: their sizes, the example they begin with, and how a response and its errors are shown. */
export function describeExplorerPanels(describeInBrowser: typeof describe.skip, console: AdministeredConsole): void {
  const { openConsole, logIn } = console;

  async function openExplorer(options = {}): Promise<WatchedPage> {
    const page = await openConsole('explorer', options);
    await logIn(page, 'dora');
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    return page;
  }

  describeInBrowser('the panels of the explorer', () => {
    test.each([
      [1024, 768],
      [1440, 900],
      [2560, 1440],
    ])('fill a window of %d by %d pixels, with the schema beside the operation', async (width, height) => {
      const page = await openExplorer({ viewport: { width, height } });
      const [side, work, response] = [
        await boxOf(page, '.side'),
        await boxOf(page, '.work'),
        await boxOf(page, '.answer'),
      ];
      expect(side.x + side.width).toBeLessThanOrEqual(work.x);
      expect(work.x + work.width).toBeLessThanOrEqual(response.x);
      for (const box of [side, work, response]) expect(height - box.y - box.height).toBeLessThan(20);
      expect(width - response.x - response.width).toBeLessThan(20);
      const { scrollWidth, scrollHeight } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        scrollHeight: document.documentElement.scrollHeight,
      }));
      expect([scrollWidth, scrollHeight]).toEqual([width, height]);
      await page.context().close();
    });

    test('change their sizes by keyboard and mouse, and keep them over a reload', async () => {
      const page = await openExplorer(DESKTOP);
      const splitter = page.getByRole('separator', { name: 'Width of the operation' });
      const { width } = await boxOf(page, '.work');
      await splitter.focus();
      await page.keyboard.press('ArrowLeft');
      expect(await splitter.getAttribute('aria-valuenow')).toBe('45');
      expect((await boxOf(page, '.work')).width).toBeLessThan(width);
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowRight');
      expect(await splitter.getAttribute('aria-valuenow')).toBe('75');
      await splitter.dblclick();
      expect(await splitter.getAttribute('aria-valuenow')).toBe('50');

      const side = page.getByRole('separator', { name: 'Width of the side panel' });
      await drag(page, side, 100, 0);
      expect(Number(await side.getAttribute('aria-valuenow'))).toBeGreaterThan(340);
      await drag(page, page.getByRole('separator', { name: 'Height of the operation' }), 0, -200);
      const before = [await boxOf(page, '.side'), await boxOf(page, '.editor-frame.document')];
      await page.reload();
      await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
      expect([await boxOf(page, '.side'), await boxOf(page, '.editor-frame.document')]).toEqual(before);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('have their usual sizes if something else is stored', async () => {
      const page = await openExplorer(DESKTOP);
      const usual = await boxOf(page, '.side');
      for (const stored of ['x', 'null', '[]', '{"side":"1","work":1e9}', '{"side":null}']) {
        await page.evaluate((text) => localStorage.setItem('portico-explorer-layout', text), stored);
        await page.reload();
        await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
        expect([stored, await boxOf(page, '.side')]).toEqual([stored, usual]);
      }
      await page.context().close();
    });
  });

  describeInBrowser('the first tab', () => {
    test('has an example of the role, which gives way to another operation', async () => {
      const page = await openExplorer();
      const operation = page.getByRole('textbox', { name: 'Operation', exact: true });
      await operation.filter({ hasText: 'query orders' }).waitFor();
      await page.getByRole('button', { name: 'Use order in an operation' }).click();
      await operation.filter({ hasText: 'query order($id: ID!)' }).waitFor();
      expect(await page.locator('.operation-tabs .chosen').count()).toBe(1);
      await page.context().close();
    });

    test('runs by one click', async () => {
      const page = await openExplorer();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('textbox', { name: 'Response' }).filter({ hasText: 'acme-1001' }).waitFor();
      expect(await page.locator('.summary .badge.good').textContent()).toBe('200');
      await page.context().close();
    });

    test('has a hint where it is empty, which is no text', async () => {
      const page = await openExplorer();
      await page.getByRole('button', { name: 'New tab' }).click();
      await page.getByText('Press Ctrl-Space to complete').waitFor();
      await page.getByRole('textbox', { name: 'Operation', exact: true }).focus();
      await page.keyboard.type('{ orders { id');
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.getByRole('textbox', { name: 'Response' }).filter({ hasText: 'acme-1001' }).waitFor();
      await page.context().close();
    });
  });

  describeInBrowser('a response', () => {
    test('is shown as a tree and as a table too', async () => {
      const page = await openExplorer();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('textbox', { name: 'Response' }).filter({ hasText: 'acme-1001' }).waitFor();
      await page.getByRole('tab', { name: 'Table' }).click();
      await page.getByRole('cell', { name: 'acme-1001' }).waitFor();
      await page.getByRole('columnheader', { name: 'quantity' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Tree' }).click();
      const tree = page.getByRole('region', { name: 'Response as a tree' });
      await tree.getByText('"acme-1001"').waitFor();
      await tree.locator('summary', { hasText: /^0/ }).press('Enter');
      await tree.getByText('"acme-1001"').waitFor({ state: 'detached' });
      await tree.getByText('"acme-1002"').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(page.problems()).toEqual([]);
      await page.context().close();
    });

    test('shows an error with its code and the line, and is no success', async () => {
      const page = await openExplorer();
      const operation = page.getByRole('textbox', { name: 'Operation', exact: true });
      await operation.focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText('query failing {\n  orders {\n    itm\n  }\n}');
      await page.getByRole('button', { name: 'Run' }).click();
      const errors = page.getByRole('region', { name: 'Errors' });
      await errors.getByText('Cannot query field "itm"').waitFor();
      await errors.getByText('validation-failed').waitFor();
      expect(await page.locator('.summary .badge.good').count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      await errors.getByRole('button', { name: 'line 3, column 5' }).click();
      await focused(operation);
      await page.keyboard.insertText('x');
      await operation.filter({ hasText: 'xitm' }).waitFor();
      await page.context().close();
    });
  });
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return box;
}

async function drag(page: Page, from: ReturnType<Page['getByRole']>, x: number, y: number): Promise<void> {
  const box = await from.boundingBox();
  if (!box) throw new Error('there is nothing to drag');
  const start = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + x / 2, start.y + y / 2);
  await page.mouse.move(start.x + x, start.y + y);
  await page.mouse.up();
}
