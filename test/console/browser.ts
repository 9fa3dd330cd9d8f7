import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of WCAG 2.0 to 2.2, levels A and AA, and what axe takes for good practice beside them. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A page, with everything in it that must not be. */
export interface WatchedPage extends Page {
  /** Violations of the Content-Security-Policy, exceptions and errors that the browser reports, so far. */
  problems(): readonly string[];
  forgetProblems(): void;
}

/** Chromium, which `test/services.mjs` has found. */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? '/usr/bin/chromium',
    // Its sandbox does not work for root, as in containers.
    args: ['--no-sandbox', ...args],
  });
}

/** A page of a browser that knows nothing of others: no cookies, no storage. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // Refused requests are answers, which pages show.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  await page.exposeFunction('reportViolation', (violation: string) => problems.push(violation));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.reportViolation(\`\${event.violatedDirective} \${event.blockedURI} \${event.sample}\`))`);
  return Object.assign(page, { problems: () => problems, forgetProblems: () => void problems.splice(0) });
}

/**
 * Pages of one console. Chromium starts two processes for a page of its own and compiles all scripts anew, so a page whose
 * context is closed is opened again, without cookies, storage, other tabs and routes. One that is closed itself is not.
 */
export class ConsolePages {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #idle = new Map<string, WatchedPage[]>();

  /** @param url that of the console, with a slash */
  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const kind = JSON.stringify(options);
    const idle = this.#idle.get(kind) ?? [];
    this.#idle.set(kind, idle);
    const used = idle.pop();
    if (used) return used;
    const page = await openPage(this.#browser, options);
    const context = page.context();
    const close = context.close.bind(context);
    context.close = async () => {
      if (page.isClosed()) return close();
      await this.#clean(page);
      idle.push(page);
    };
    return page;
  }

  async #clean(page: WatchedPage): Promise<void> {
    const context = page.context();
    const tabs = context.pages().filter((tab) => tab !== page);
    await Promise.all(tabs.map((tab) => tab.close()));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.removeAllListeners('request');
    // No script of the console runs there that could store anything. Another origin would have a process of its own.
    await page.goto(`${this.#url}settings.json`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    page.forgetProblems();
  }
}

/** What axe finds against WCAG 2.2 AA and good practice on a page: a line for each rule, with the elements that break it. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // The page keeps it until it is loaded again.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    interface AxeResults {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    }
    // Without details of what keeps to the rules.
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, RULES);
}
