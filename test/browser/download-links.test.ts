/** Download links (contract §0.1, §2.6) open from any page, as a link and as an image. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aPng } from '../support/builders.ts';
import { serveFiles } from './app.ts';
import { FOREIGN_HOST, skipsBrowser, useBrowser } from './chromium.ts';
import { aVault } from './developer.ts';
import { useDaemon } from '../support/use-shared.ts';

const IMAGE = 'document.passport.front.image';

describe.skipIf(skipsBrowser)('download links', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  /** Mints a link to the stored image that can be opened more than once. */
  async function aLink(): Promise<string> {
    const vault = await aVault(daemon());
    await vault.upload(IMAGE, aPng(), 'image/png');
    const token = await vault.token({ scope: 'decrypt_download', fields: [IMAGE], decrypt_reason: 'a test' });
    return `${vault.baseUrl}/users/vault/decrypt/${token}`;
  }

  /** Opens a page of another site with this in its body. */
  async function openForeignPage(body: string) {
    const { port } = await serveFiles(() => `<!doctype html>${body}`);
    const page = await browser.open(`http://${FOREIGN_HOST}:${port}/`);
    return page;
  }

  test('an image on a page of another site is shown', async () => {
    const page = await openForeignPage(`<img alt="passport" src="${await aLink()}">`);
    await page.waitForFunction('document.images[0].complete');
    await expect.poll(() => page.evaluate('document.images[0].naturalWidth')).toBeGreaterThan(0);
  });

  test('a link followed from a page of another site saves the file', async () => {
    const page = await openForeignPage(`<a href="${await aLink()}">the passport</a>`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('link').click();
    const download = await downloading;
    expect(readFileSync(await download.path()).equals(aPng())).toBe(true);
  });

  test('a script on a page of another site cannot read the file', async () => {
    const link = await aLink();
    const page = await openForeignPage('');
    const read = (mode: 'cors' | 'no-cors') =>
      page.evaluate(
        async ({ url, how }) => {
          try {
            return (await (await fetch(url, { mode: how })).text()).length;
          } catch {
            return 'refused';
          }
        },
        { url: link, how: mode },
      );
    expect([await read('cors'), await read('no-cors')]).toEqual(['refused', 0]);
  });
});
