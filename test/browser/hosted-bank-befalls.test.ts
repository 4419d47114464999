/** What can happen to a bank page between two of its screens (contract §14). */
import { describe, expect, test } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { expectAccessible } from './axe.ts';
import { agreeToLink, anIntent, chooseBank } from './bank.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { heading, proceed, withoutWatch } from './hosted.ts';

describe.skipIf(skipsBrowser)('linking a bank', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  test('restart: after a kill between two screens the daemon has the choice, and the open page continues', async () => {
    using home = tempDir();
    await using before = await startDaemon({ home: home.path, isDurable: true });
    const { port } = new URL(before.url);
    const { intent_token, link } = await anIntent(before);
    const page = await browser.open(link);
    await chooseBank(page, 'savings');
    await heading(page, 'Who are you today?');
    await page.getByRole('radio', { name: 'Joint' }).check();
    await before.end('SIGKILL');
    await proceed(page);
    await page.getByText('No answer came').waitFor();
    await expectAccessible(page);
    await expect.poll(() => page.getByRole('radio', { name: 'Joint' }).isChecked()).toBe(true);

    await using after = await startDaemon({ home: home.path, isDurable: true, options: ['--port', port] });
    await proceed(page);
    await heading(page, 'Which accounts?');
    await page.reload();
    await heading(page, 'Which accounts?');
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(page, 'Who are you today?');
    await expect.poll(() => page.getByRole('radio', { name: 'Joint' }).isChecked()).toBe(true);
    await proceed(page);
    await heading(page, 'Which accounts?');
    await proceed(page);
    await heading(page, 'Link this bank?');
    await agreeToLink(page);

    expect(await ask(after, 'POST', '/bank_links', { intent_token })).toMatchObject({
      institution_name: 'Example Savings',
      state: 'connected',
    });
  });

  test('reset: requests of an open page find no link in the new state, and store nothing', async () => {
    const page = await browser.newPage();
    await withoutWatch(page);
    await page.goto((await anIntent(daemon())).link);
    await chooseBank(page, 'savings');
    await heading(page, 'Who are you today?');
    await ask(daemon(), 'POST', '/_kyclone/reset', {});
    await proceed(page);
    await heading(page, 'This link does not work');
    expect((await ask(daemon(), 'GET', '/bank_links'))['data']).toEqual([]);
  });
});
