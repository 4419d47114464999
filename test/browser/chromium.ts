/** The Chromium of the machine, without a window. With CI=true a missing one fails; otherwise its tests are skipped. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium-path.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** A name that is not loopback, though it leads there: its pages are foreign. */
export const FOREIGN_HOST = 'app.example';

export const skipsBrowser = CHROMIUM === undefined && process.env['CI'] !== 'true';

/** One browser for the tests of a file; each page stands in a profile of its own, which goes with the test. */
export function useBrowser(): { newPage(options?: Parameters<Browser['newContext']>[0]): Promise<Page> } {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (CHROMIUM === undefined) throw new Error('Chromium is missing: apt-get install chromium');
    const isRoot = process.getuid?.() === 0;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [...(isRoot ? ['--no-sandbox'] : []), `--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`],
    });
  });
  afterAll(() => browser?.close());

  return {
    async newPage(options) {
      const context: BrowserContext | undefined = await browser?.newContext(options);
      if (!context) throw new Error('the browser was not started');
      // Below the limit of a test, so that the failure says what was waited for.
      context.setDefaultTimeout(PATIENCE_MS);
      onTestFinished(() => context.close());
      return context.newPage();
    },
  };
}
