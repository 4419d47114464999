/** Runs the machine's Chromium without a window. Without Chromium the tests are skipped; with CI=true they fail. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium-path.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** A host name that resolves to loopback but isn't a loopback name, so its pages count as foreign. */
export const FOREIGN_HOST = 'app.example';

export const skipsBrowser = CHROMIUM === undefined && process.env['CI'] !== 'true';

/**
 * Starts one browser for the tests of a file. Each page has a profile of its own, which is deleted when the test ends.
 */
export function useBrowser() {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (CHROMIUM === undefined)
      throw new Error('Chromium is missing: apt-get install chromium-headless-shell');
    const isRoot = process.getuid?.() === 0;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--site-per-process',
        ...(isRoot ? ['--no-sandbox'] : []),
        `--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`,
      ],
    });
  });
  afterAll(() => browser?.close());

  async function newPage(options?: Parameters<Browser['newContext']>[0]): Promise<Page> {
    const context: BrowserContext | undefined = await browser?.newContext(options);
    if (!context) throw new Error('the browser was not started');
    // This is shorter than the limit of a test, so the failure says what the page waited for.
    context.setDefaultTimeout(PATIENCE_MS);
    onTestFinished(() => context.close());
    return context.newPage();
  }

  return {
    newPage,
    /** Opens an address in a new page. */
    async open(address: string, options?: Parameters<typeof newPage>[0]): Promise<Page> {
      const page = await newPage(options);
      await page.goto(address);
      return page;
    },
  };
}
