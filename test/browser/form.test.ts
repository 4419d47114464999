import { describe, expect, test } from 'vitest';
import { defined } from '../../src/kernel/defined.ts';
import { aPng } from '../support/builders.ts';
import { FOREIGN_HOST, skipsBrowser, useBrowser } from './chromium.ts';
import { aVault, developerPage, type FormSettings } from './developer.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { ALERT, choose, contentOf, errorOf, press, says, STATUS } from './on-page.ts';

interface FormOf extends Partial<FormSettings> {
  values?: object;
  scope?: string;
  host?: string;
  decrypt_reason?: string;
}

describe.skipIf(skipsBrowser)('vaultForm', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  /**
   * Opens a form for a new vault with these values; the token covers these fields. The port of the developer's page
   * differs from the service's, so it is of another origin.
   */
  async function openForm(
    fields: readonly string[],
    { values = {}, scope = 'vault', host = '127.0.0.1', decrypt_reason, ...settings }: FormOf = {},
  ) {
    const vault = await aVault(daemon(), { ...values });
    const token = await vault.token({ scope, fields, ...defined({ decrypt_reason }) });
    const page = await browser.newPage();
    const port = await developerPage({ baseUrl: vault.baseUrl, token, fields, ...settings });
    await page.goto(`http://${host}:${port}/`);
    return { vault, page };
  }

  /** Opens a form that reveals these values, or these fields. */
  function openReveal(shown: object | readonly string[], more: FormOf = { reason: 'support' }) {
    const [fields, values] = Array.isArray(shown) ? [shown as string[], {}] : [Object.keys(shown), shown];
    return openForm(fields, { values, scope: 'decrypt', mode: 'reveal', ...more });
  }

  test('save: typed values are in the vault, by a token, from a page of another origin', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.ssn9', 'id.dob', 'id.citizenships']);

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Social security number').fill('121-12-1212');
    await page.getByLabel('Date of birth').fill('1988-12-30');
    await page.getByLabel('Citizenships').fill('us, fr');
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: First name, Social security number, Date of birth, Citizenships.');
    expect(await vault.stored('id.first_name', 'id.ssn9', 'id.dob', 'id.citizenships')).toEqual({
      'id.first_name': 'Ada',
      'id.ssn9': '121121212',
      'id.dob': '1988-12-30',
      'id.citizenships': ['US', 'FR'],
    });
    await expect
      .poll(() => page.locator('body').getAttribute('data-written'))
      .toBe('id.first_name id.ssn9 id.dob id.citizenships');
  });

  test('save: an empty input keeps the stored value', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.last_name'], {
      values: { 'id.last_name': 'Lovelace' },
    });

    await page.getByLabel('First name').fill('Ada');
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: First name.');
    expect(await vault.stored('id.last_name')).toEqual({ 'id.last_name': 'Lovelace' });
  });

  test('save: a field outside the token is refused beside it, and nothing is stored', async () => {
    const { vault, page } = await openForm(['id.first_name'], { fields: ['id.first_name', 'id.ssn9'] });

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Social security number').fill('121121212');
    await press(page, 'Save');

    await says(page, ALERT, 'Not permitted: Social security number.');
    await expect.poll(() => errorOf(page.getByLabel('Social security number'))).toMatch(/not permitted/);
    await expect.poll(() => errorOf(page.getByLabel('First name'))).toBe('');
    await expect.poll(() => page.locator('body').getAttribute('data-refused')).toBe('permission_denied 403');
    expect(await vault.stored('id.first_name', 'id.ssn9')).toEqual({
      'id.first_name': null,
      'id.ssn9': null,
    });
  });

  test('save: an error is beside its field until somebody types there, and the typed text stays', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.ssn9', 'id.email']);

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Social security number').fill('12');
    await page.getByLabel('Email').fill('nobody');
    await press(page, 'Save');

    await says(page, ALERT, 'Please correct: Social security number, Email.');
    await expect.poll(() => errorOf(page.getByLabel('Social security number'))).toBe('invalid length');
    await expect.poll(() => errorOf(page.getByLabel('Email'))).toBe('not a valid e-mail address');
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Ada');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': null });
    // The first refused field has the focus, and typing removes its error.
    await page.keyboard.type('3');

    await expect.poll(() => page.getByLabel('Social security number').inputValue()).toBe('123');
    await expect.poll(() => errorOf(page.getByLabel('Social security number'))).toBe('');
  });

  test('save: an incomplete date is not treated as empty', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.dob']);

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Date of birth').pressSequentially('12');
    await press(page, 'Save');

    await says(page, ALERT, 'Please correct: Date of birth.');
    await expect.poll(() => errorOf(page.getByLabel('Date of birth'))).toBe('is not complete');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': null });
  });

  test('save: a saved value is in no input, no address and no storage of the browser', async () => {
    const { page } = await openForm(['id.first_name', 'id.ssn9']);
    const address = page.url();

    await page.getByLabel('Social security number').fill('121121212');
    await press(page, 'Save');
    await says(page, STATUS, 'Saved: Social security number.');

    await expect.poll(() => page.getByLabel('Social security number').inputValue()).toBe('');
    expect(page.url()).toBe(address);
    expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
    expect(await page.content()).not.toContain('121121212');
  });

  test('save: no input has a name, so that none gets into an address', async () => {
    const { page } = await openForm(['id.first_name', 'document.passport.front.image'], {
      scope: 'vault_and_decrypt',
      mode: 'both',
    });

    await expect.poll(() => page.locator('#form input').count()).toBe(3);
    await expect.poll(() => page.locator('#form [name]').count()).toBe(0);
  });

  test('save: works with the keyboard alone', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.last_name']);

    await page.keyboard.press('Tab');
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Lovelace');
    await page.keyboard.press('Enter');

    await says(page, STATUS, 'Saved: First name, Last name.');
    expect(await vault.stored('id.first_name', 'id.last_name')).toEqual({
      'id.first_name': 'Ada',
      'id.last_name': 'Lovelace',
    });
  });

  test('save: stores a file unchanged', async () => {
    const { vault, page } = await openForm(['id.first_name', 'document.passport.front.image']);
    const image = aPng(100_000);

    await page.getByLabel('First name').fill('Ada');
    await choose(page, 'Passport front image', { mimeType: 'image/png', buffer: image });
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: First name, Passport front image.');
    const stored = await vault.stored('document.passport.front.image', 'document.passport.front.mime_type');
    expect(stored).toEqual({
      'document.passport.front.image': image.toString('base64'),
      'document.passport.front.mime_type': 'image/png',
    });
    await expect.poll(() => page.getByLabel('Passport front image').inputValue()).toBe('');
  });

  test('save: with a refused file, texts are saved, and both are reported', async () => {
    const { vault, page } = await openForm(['id.first_name', 'document.passport.front.image']);

    await page.getByLabel('First name').fill('Ada');
    await choose(page, 'Passport front image', { mimeType: 'text/plain', buffer: Buffer.from('no image') });
    await press(page, 'Save');

    await says(page, ALERT, 'Please correct: Passport front image.');
    await says(page, STATUS, 'Saved: First name.');
    await expect
      .poll(() => errorOf(page.getByLabel('Passport front image')))
      .toBe('file type not allowed for this identifier');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': 'Ada' });
  });

  test('check: a valid value is reported as valid and is not stored', async () => {
    const { vault, page } = await openForm(['id.ssn9']);

    await page.getByLabel('Social security number').fill('121121212');
    await press(page, 'Check');

    await says(page, STATUS, 'Everything is valid. Nothing was saved.');
    await expect.poll(() => page.getByLabel('Social security number').inputValue()).toBe('121121212');
    expect(await vault.stored('id.ssn9')).toEqual({ 'id.ssn9': null });
  });

  test('reveal: values stand beside their fields, for a reason that the access log keeps', async () => {
    const { vault, page } = await openForm(['id.first_name', 'id.dob', 'custom.plan'], {
      values: { 'id.first_name': 'Ada', 'custom.plan': { tier: 'gold' } },
      scope: 'decrypt',
      mode: 'reveal',
    });

    await page.getByLabel('Reason for revealing').fill('a call of the customer');
    await page.keyboard.press('Enter');

    await page.getByRole('group', { name: 'First name' }).getByText('Ada').waitFor();
    await expect
      .poll(() => page.getByRole('group').locator('.kyclone-value').allInnerTexts())
      .toEqual(['Ada Hide', 'nothing stored Hide', '{"tier":"gold"} Hide']);
    expect(
      await ask(daemon(), 'GET', `/_kyclone/access-log?operation=decrypt&fp_id=${vault.fpId}`),
    ).toMatchObject({
      data: [{ reason: 'a call of the customer', outcome: 'granted', actor: { kind: 'client_token' } }],
    });
  });

  test('reveal: without a reason, reports that one is required', async () => {
    const { page } = await openReveal({ 'id.first_name': 'Ada' }, {});

    await press(page, 'Reveal');

    await says(page, ALERT, 'A reason is needed.');
    await expect.poll(() => errorOf(page.getByLabel('Reason for revealing'))).toBe('is required');
    await expect.poll(() => page.getByText('Ada').count()).toBe(0);
  });

  test('reveal: a hidden value is no longer on the page', async () => {
    const { page } = await openReveal({ 'id.ssn9': '121121212', 'id.first_name': 'Ada' });

    await press(page, 'Reveal');
    await page.getByText('121121212').waitFor();
    // The page has given the reason.
    await expect.poll(() => page.getByLabel('Reason for revealing').count()).toBe(0);
    await press(page, 'Hide Social security number');

    expect(await page.content()).not.toContain('121121212');
    await expect.poll(() => page.getByText('Ada').count()).toBe(1);
  });

  test('reveal: an image is shown as one', async () => {
    const { vault, page } = await openReveal(['document.passport.front.image']);
    await vault.upload('document.passport.front.image', aPng(), 'image/png');

    await press(page, 'Reveal');

    const picture = page.getByRole('img', { name: 'Passport front image' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth))
      .toBe(1);
  });

  test('reveal: a file that is no image can be saved', async () => {
    const letter = Buffer.from('%PDF-1.4 a letter');
    const { vault, page } = await openReveal(['document.finra_compliance_letter']);
    await vault.upload('document.finra_compliance_letter', letter, 'application/pdf');

    await press(page, 'Reveal');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save document.finra_compliance_letter' }).click(),
    ]);

    expect(await contentOf(download)).toEqual(letter);
  });

  test('reveal: a value that is markup stays text', async () => {
    const hostile = '<img src="/owned" onerror="document.title = \'owned\'">';
    const { page } = await openReveal({ 'custom.note': hostile });

    await press(page, 'Reveal');

    await page.getByText(hostile).waitFor();
    await expect.poll(() => page.locator('#form img').count()).toBe(0);
    await expect.poll(() => page.title()).toBe('A page of a developer');
  });

  test('reveal: a replaced value is no longer shown', async () => {
    const { page } = await openForm(['id.first_name'], {
      values: { 'id.first_name': 'Ada' },
      scope: 'vault_and_decrypt',
      mode: 'both',
      reason: 'support',
    });

    await press(page, 'Reveal');
    await page.getByText('Ada').waitFor();
    await page.getByLabel('First name', { exact: true }).fill('Grace');
    await press(page, 'Save');
    await says(page, STATUS, 'Saved: First name.');

    await expect.poll(() => page.getByText('Ada').count()).toBe(0);
  });

  test('origin: a page of a foreign one is refused, until cors.origins has it', async () => {
    const { vault, page } = await openForm(['id.first_name'], { host: FOREIGN_HOST });

    await page.getByLabel('First name').fill('Ada');
    await press(page, 'Save');

    await says(page, ALERT, /^No answer came/);
    await expect.poll(() => page.locator('body').getAttribute('data-refused')).toBe('unreachable 0');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': null });

    const { origin } = new URL(page.url());
    await ask(daemon(), 'PATCH', '/_kyclone/settings', { cors: { origins: [origin] } });
    await press(page, 'Save');

    await says(page, STATUS, 'Saved: First name.');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': 'Ada' });
  });

  test('destroy: the form leaves the page', async () => {
    const { page } = await openForm(['id.first_name']);
    await page.getByLabel('First name').fill('Ada');

    await press(page, 'Destroy');

    await expect.poll(() => page.locator('#form').innerHTML()).toBe('');
  });
});
