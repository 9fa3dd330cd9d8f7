import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../../bench/machine/free-port.ts';

// Takes the pictures of README.md and docs/, in Chromium, of a Portico with demo data: `npm run pictures`. The browser is
// chromium-headless-shell, or that of TEST_CHROMIUM.
const packageDir = resolve(import.meta.dirname, '../../..');
const OUTPUT = join(packageDir, 'docs/pictures');
const ADMIN_SECRET = 'secret-of-the-pictures';
const READY_WITHIN_MS = 120_000;
/** GitHub shows larger ones late. */
const MAX_BYTES = 150_000;
/** Text stays sharp at this quality, from 0 to 100. */
const QUALITY = 90;
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SCHEMES = ['light', 'dark'] as const;

interface Picture {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly schemes: readonly (typeof SCHEMES)[number][];
  /** Brings the page into the state that is shown. */
  readonly show: (page: Page) => Promise<void>;
}

const ORDERS = `query orders {
  orders {
    id
    item
    quantity
    status
    placed_at
  }
  auth_user_me {
    username
    tenant_name
  }
}
`;

function picturesOf(url: string): readonly Picture[] {
  const operatorPage = (path: string, isThere: (page: Page) => Promise<void>) => async (page: Page) => {
    await page.goto(`${url}/console/${path}`);
    await page.getByRole('tab', { name: 'Admin secret' }).click();
    await page.locator('input[name=secret]').fill(ADMIN_SECRET);
    await page.getByRole('button', { name: 'Use this secret' }).click();
    await isThere(page);
  };
  const logIn = async (page: Page, path: string, user = 'alice') => {
    await page.goto(`${url}/console/${path}`);
    await page.getByRole('button', { name: new RegExp(`^${user} at acme`) }).click();
  };
  const runOrders = async (page: Page) => {
    await logIn(page, 'explorer');
    await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Operation', exact: true }).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(ORDERS);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('acme-1001').first().waitFor();
  };
  return [
    { name: 'home', size: DESKTOP, schemes: ['light'], show: (page) => page.goto(url).then(() => {}) },
    { name: 'explorer', size: DESKTOP, schemes: SCHEMES, show: runOrders },
    { name: 'explorer-phone', size: PHONE, schemes: ['light'], show: runOrders },
    {
      name: 'explorer-table',
      size: DESKTOP,
      schemes: ['light'],
      show: async (page) => {
        await runOrders(page);
        await page.getByRole('tab', { name: 'Table' }).click();
        await page.getByRole('columnheader', { name: 'quantity' }).waitFor();
      },
    },
    {
      name: 'explorer-plan',
      size: DESKTOP,
      schemes: ['dark'],
      show: async (page) => {
        await logIn(page, 'explorer');
        await page.getByLabel('Explain').check();
        await page.getByRole('textbox', { name: 'Operation', exact: true }).focus();
        await page.keyboard.press('ControlOrMeta+A');
        await page.keyboard.insertText(ORDERS);
        await page.getByRole('button', { name: 'Run' }).click();
        await page.getByRole('tab', { name: 'Plan and cost' }).click();
        await page.getByRole('region', { name: 'Calls to services' }).waitFor();
      },
    },
    {
      name: 'rest',
      size: DESKTOP,
      schemes: ['light'],
      show: async (page) => {
        await logIn(page, 'rest');
        await page.getByRole('button', { name: 'GET orders' }).click();
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByText('"acme-1001"').waitFor();
      },
    },
    {
      name: 'sources',
      size: DESKTOP,
      schemes: SCHEMES,
      show: operatorPage('sources', (page) => page.getByRole('cell', { name: /^orders/ }).waitFor()),
    },
    {
      name: 'graph',
      size: DESKTOP,
      schemes: SCHEMES,
      show: operatorPage('graph', async (page) => {
        await page.getByRole('searchbox').fill('Order');
        await page.getByText('Order', { exact: true }).first().click();
      }),
    },
    {
      name: 'users',
      size: DESKTOP,
      schemes: ['light'],
      show: async (page) => {
        await logIn(page, 'users', 'dora');
        await page.getByRole('button', { name: 'Use the role tenant_admin' }).click();
        await page.getByRole('link', { name: 'bob' }).waitFor();
      },
    },
    {
      name: 'user',
      size: DESKTOP,
      schemes: ['dark'],
      show: async (page) => {
        await logIn(page, 'users', 'dora');
        await page.getByRole('button', { name: 'Use the role tenant_admin' }).click();
        await page.getByRole('link', { name: 'bob' }).click();
        await page.getByRole('region', { name: 'Extra claims' }).waitFor();
      },
    },
  ];
}

/** Starts Portico with new demo data, and resolves when it is ready. */
async function startPortico(dataDir: string, port: number): Promise<ChildProcess> {
  const portico = spawn(process.execPath, [join(packageDir, 'start/start.mjs')], {
    cwd: packageDir,
    env: {
      ...process.env,
      PORTICO_DATA_DIR: dataDir,
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
      // Another Portico of this machine may use the usual ones.
      AUTH_PORT: String(await freePort()),
      ORDERS_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`Portico is not ready:\n${output}`)), READY_WITHIN_MS);
    portico.stdout.on('data', (text) => {
      output += text;
      if (!output.includes('Portico is ready')) return;
      clearTimeout(timer);
      resolve();
    });
    portico.once('exit', () => reject(new Error(`Portico has ended:\n${output}`)));
  });
  return portico;
}

async function take(browser: Browser, { name, size, schemes, show }: Picture): Promise<void> {
  for (const colorScheme of schemes) {
    const context = await browser.newContext({ viewport: size, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' });
    const page = await context.newPage();
    await show(page);
    // Scripts are loaded and fonts are there: what is left are fetches of the page.
    await page.waitForLoadState('networkidle');
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    const picture = Buffer.from(data, 'base64');
    if (picture.length > MAX_BYTES) throw new Error(`${name}: ${picture.length} bytes are too many`);
    const file = `${name}${schemes.length === 1 ? '' : `-${colorScheme}`}.webp`;
    writeFileSync(join(OUTPUT, file), picture);
    process.stdout.write(`${file}: ${Math.round(picture.length / 1000)} kB\n`);
    await context.close();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'portico-pictures-'));
const port = await freePort();
const portico = await startPortico(dataDir, port);
const browser = await chromium.launch({
  executablePath: process.env.TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});
try {
  mkdirSync(OUTPUT, { recursive: true });
  for (const picture of picturesOf(`http://127.0.0.1:${port}`)) await take(browser, picture);
} finally {
  await browser.close();
  const ended = new Promise((resolve) => portico.once('exit', resolve));
  portico.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}
