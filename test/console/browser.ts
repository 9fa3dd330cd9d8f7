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
  return Object.assign(page, { problems: () => problems });
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
