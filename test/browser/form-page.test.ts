import { describe, expect, test } from 'vitest';
import { aPng } from '../support/builders.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { aVault } from './developer.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { consoleOf } from './module-app.ts';
import { ALERT, contentOf, errorOf, press, says, STATUS } from './on-page.ts';

describe.skipIf(skipsBrowser)('/_kyclone/form', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  const openPage = (fragment = '') => browser.open(`${daemon().url}/_kyclone/form${fragment}`);

  test('form page: a typed token opens a form that saves and reveals', async () => {
    const vault = await aVault(daemon());
    const fields = ['id.first_name', 'id.ssn9'];
    const token = await vault.token({ scope: 'vault_and_decrypt', fields });
    const page = await openPage();

    await page.getByLabel('Client token').fill(` ${token} `);
    await press(page, 'Open');
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Social security number').fill('121-12-1212');
    await press(page, 'Save');
    await says(page, STATUS, 'Saved: First name, Social security number.');
    await page.getByLabel('Reason for revealing').fill('support');
    await press(page, 'Reveal');

    await page.getByText('121121212').waitFor();
    expect(await vault.stored(...fields)).toEqual({ 'id.first_name': 'Ada', 'id.ssn9': '121121212' });
  });

  test('form page: shows the purpose of a token in the fragment, which leaves no trace; another replaces it', async () => {
    const vault = await aVault(daemon());
    const first = await vault.token({ scope: 'vault', fields: ['id.first_name', 'id.dob'] });
    const second = await vault.token({ scope: 'vault', fields: ['id.last_name'] });
    const page = await openPage(`#token=${first}`);

    await page.getByRole('heading', { name: '2 fields' }).waitFor();
    await expect
      .poll(() => page.getByRole('definition').allInnerTexts())
      .toEqual([vault.fpId, 'vault', expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)]);
    expect(page.url()).toBe(`${daemon().url}/_kyclone/form`);
    expect(await page.content()).not.toContain(first);
    await expect.poll(() => page.getByLabel('Client token').inputValue()).toBe('');
    expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });

    await page.goto(`${daemon().url}/_kyclone/form#token=${second}`);
    await page.getByLabel('Last name').waitFor();
    await expect.poll(() => page.getByLabel('First name').count()).toBe(0);
  });

  test('form page: an invalid token is refused beside its input', async () => {
    const page = await openPage();

    await page.getByLabel('Client token').fill('cttok_nobody');
    await press(page, 'Open');
    await page.getByText('The token is not valid').waitFor();

    await expect.poll(() => errorOf(page.getByLabel('Client token'))).toMatch(/^The token is not valid/);
  });

  test('form page: a token of scope decrypt only reveals', async () => {
    const vault = await aVault(daemon(), { 'id.first_name': 'Ada' });
    const token = await vault.token({
      scope: 'decrypt',
      fields: ['id.first_name'],
      decrypt_reason: 'support',
    });
    const page = await openPage(`#token=${token}`);

    await press(page, 'Reveal');

    await page.getByText('Ada').waitFor();
    await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Open', 'Hide', 'Reveal']);
  });

  test('form page: a token of scope vault_card takes a card', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault_card' });
    const page = await openPage(`#token=${token}`);

    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByLabel('Card expiration').fill('12/2031');
    await page.getByLabel('Card security code').fill('123');
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: Card number, Card expiration, Card security code.');
  });

  test('form page: a token of a business opens the vault of the business', async () => {
    const vault = await aVault(daemon(), {}, 'businesses');
    const token = await vault.token({ scope: 'vault', fields: ['business.name'] });
    const page = await openPage(`#token=${token}`);

    await page.getByLabel('Business name').fill('Acme Incorporated');
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: Business name.');
    expect(await vault.stored('business.name')).toEqual({ 'business.name': 'Acme Incorporated' });
  });

  test('form page: a download gives the bytes, under an address without the token', async () => {
    const vault = await aVault(daemon());
    const image = aPng(1_000);
    await vault.upload('document.passport.front.image', image, 'image/png');
    const token = await vault.token({ scope: 'decrypt_download', fields: ['document.passport.front.image'] });
    const page = await openPage(`#token=${token}`);

    await page.getByLabel('Reason for downloading').fill('support');
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);

    expect(await contentOf(download)).toEqual(image);
    expect(download.suggestedFilename()).toMatch(/^document\.passport\.front\.image/);
    expect(download.url()).toMatch(/^blob:/);
    expect(await ask(daemon(), 'GET', `/_kyclone/access-log?fp_id=${vault.fpId}`)).toMatchObject({
      data: [{ operation: 'download', outcome: 'granted', reason: 'support' }],
    });
  });

  test('form page: a download without a reason reports that one is required', async () => {
    const vault = await aVault(daemon(), { 'id.first_name': 'Ada' });
    const token = await vault.token({ scope: 'decrypt_download', fields: ['id.first_name'] });
    const page = await openPage(`#token=${token}`);

    await press(page, 'Download');

    await says(page, ALERT, 'A reason is needed.');
    await expect.poll(() => errorOf(page.getByLabel('Reason for downloading'))).toBe('is required');
  });

  test('form page: its policy permits its own script, and blocks an injected one', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name'] });
    const page = await browser.newPage();
    const complaints = consoleOf(page);
    await page.goto(`${daemon().url}/_kyclone/form#token=${token}`);
    await page.getByLabel('First name').waitFor();
    expect(complaints).toEqual([]);

    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'document.title = "owned"';
      document.body.append(script);
    `);

    await expect.poll(() => page.title()).toBe('kyclone: vault form');
    expect(complaints).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  test.each(['/_kyclone/form', '/hosted/vault'])(
    'form page: %s fits a screen of 320 pixels, whatever names and values it shows',
    async (path) => {
      const word = 'w'.repeat(200);
      const file = `document.custom.${word.slice(0, 60)}`;
      const vault = await aVault(daemon(), { 'id.first_name': word });
      await vault.upload(file, Buffer.from('a file'), 'text/plain');
      const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
      for (const fields of [['id.first_name', `custom.${word}`, file], [`custom.${word}`]]) {
        const token = await vault.token({ scope: 'vault_and_decrypt', fields, decrypt_reason: 'support' });
        await page.goto('about:blank');
        await page.goto(`${daemon().url}${path}#token=${token}`);
        await press(page, 'Reveal');
        await says(page, STATUS, 'Revealed.');
        await page.getByLabel('w'.repeat(10)).first().waitFor();
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'))
          .toBeLessThanOrEqual(320);
      }
    },
  );
});
