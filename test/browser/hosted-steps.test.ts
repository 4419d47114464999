/** Steps of a hosted onboarding that not every flow has, and what can happen to a flow (contract §14). */
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { aPng, KYC } from '../support/builders.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import {
  giveNameAndAgree,
  aLinkOn,
  agree,
  aSession,
  finish,
  giveCode,
  giveData,
  heading,
  identify,
  proceed,
  withoutWatch,
  stepUpLink,
} from './hosted.ts';

const PICTURE = { name: 'a picture.png', mimeType: 'image/png', buffer: aPng() };

async function expectToFit(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: await page.title() })
    .toBeLessThanOrEqual(320);
}

describe.skipIf(skipsBrowser)('hosted onboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  const linkOn = (playbook: object, session?: object) => aLinkOn(daemon(), playbook, session);

  const open = (link: string) => browser.open(link, { viewport: { width: 320, height: 640 } });

  test('owners: at 320 pixels, shares above the whole are refused, and each owner is linked', async () => {
    const link = await linkOn(
      {
        kind: 'kyb',
        requirements: [['business.name']],
        collects_owners: true,
        session_delay_ms: 0,
        owners_playbook_key: KYC,
      },
      { redirect_url: `${daemon().url}/_kyclone/health` },
    );
    const page = await open(link);
    await identify(page, 'owner.one@hosted.example');
    await heading(page, 'About the business');
    await page.getByLabel('Legal name of the business').fill('Acme <b>& Sons</b>');
    await proceed(page);
    await heading(page, 'Who owns the business?');
    await page.getByLabel('Your share in per cent').fill('60');
    await page.getByRole('button', { name: 'Add an owner' }).click();
    await page.getByRole('button', { name: 'Add an owner' }).click();
    await page.getByRole('button', { name: 'Remove owner 3' }).click();
    const second = page.getByRole('group', { name: 'Owner 2' });
    await second.getByLabel('First name').fill('Ada');
    await second.getByLabel('Share in per cent').fill('50');
    await proceed(page);
    await second.getByText('Enter the last name').waitFor();
    await second.getByLabel('Last name').fill('Lovelace');
    await second.getByLabel('E-mail address').fill('owner.two@hosted.example');
    await proceed(page);
    await page.getByText('these are 110%').waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await second.getByLabel('Share in per cent').fill('40');
    await proceed(page);
    await agree(page);
    await finish(page);
    await page.waitForURL(/validation_token=/);
    const validation_token = new URL(page.url()).searchParams.get('validation_token');
    const { business } = await ask(daemon(), 'POST', '/onboarding/session/validate', { validation_token });
    const { fp_id } = business as { fp_id: string };
    const { data } = await ask(daemon(), 'GET', `/businesses/${fp_id}/owners`);
    const shares = (data as { ownership_stake: number }[]).map(({ ownership_stake: share }) => share);
    expect(shares.sort((one, other) => one - other)).toEqual([40, 60]);
  });

  test('document: each side is previewed and sent, a wrong file is refused with a message, a reload continues', async () => {
    const page = await open(
      await linkOn({ kind: 'document', documents: ['id_card', 'passport'], selfie: true }),
    );
    await identify(page, 'document.one@hosted.example');
    await heading(page, 'Your document');
    await page.getByRole('radio', { name: 'Identity card' }).check();
    await page.getByLabel('Country that issued it').selectOption('DE');
    await expectAccessible(page);
    await proceed(page);
    await heading(page, 'The front of your document');
    await proceed(page, 'Send and continue');
    await page.getByText('Choose a file').waitFor();
    await page
      .getByLabel('Picture')
      .setInputFiles({ name: 'a text.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.getByText('Use JPG, PNG, HEIC or PDF').waitFor();
    await proceed(page, 'Send and continue');
    await page.getByText('Use JPG, PNG, HEIC or PDF').waitFor();
    await heading(page, 'The front of your document');
    await page.getByLabel('Picture').setInputFiles(PICTURE);
    await page.getByRole('img', { name: 'The picture that is about to be sent' }).waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await proceed(page, 'Send and continue');
    await heading(page, 'The back of your document');
    await page.reload();
    await heading(page, 'The back of your document');
    for (const title of ['The back of your document', 'A picture of you']) {
      await heading(page, title);
      await page.getByLabel('Picture').setInputFiles(PICTURE);
      await proceed(page, 'Send and continue');
    }
    await heading(page, 'Is everything right?');
    // The page was loaded anew after the front was sent, and no call returns a picture.
    await page.getByText('Front', { exact: true }).waitFor();
    for (const name of ['Back side', 'You']) await page.getByRole('img', { name, exact: true }).waitFor();
    await agree(page);
    await finish(page);
    await heading(page, 'You are done');
  });

  async function givePassport(page: Page): Promise<void> {
    await heading(page, 'Your document');
    await page.getByRole('radio', { name: 'Passport', exact: true }).check();
    await page.getByLabel('Country that issued it').selectOption('DE');
    await proceed(page);
    await heading(page, 'The front of your document');
    await page.getByLabel('Picture').setInputFiles(PICTURE);
    await proceed(page, 'Send and continue');
    await agree(page);
  }

  test('delay: a step-up that the app chose happens once, also where the page is loaded anew', async () => {
    const slow = { kind: 'kyc', requirements: [['id.first_name']], session_delay_ms: 60_000 };
    const page = await open((await linkOn(slow)).replace('#', '?outcome=step_up#'));
    await giveNameAndAgree(page, 'stepping.once@hosted.example');
    await heading(page, 'We are checking');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '5m' });
    await heading(page, 'Your document');
    await page.reload();
    await givePassport(page);
    await finish(page, 'Pass');
    await heading(page, 'We are checking');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '5m' });
    await page.getByText('the result is pass').waitFor();
  });

  test('step-up: its link asks for the code and a document, and its end says that somebody has to look', async () => {
    const page = await open(await stepUpLink(daemon()));
    await giveCode(page);
    await givePassport(page);
    await finish(page);
    await heading(page, 'You are done');
    await page.getByText('somebody has to look').waitFor();
  });

  test('delay: a step-up that the person chose asks for the document when the clock reaches it', async () => {
    const slow = { kind: 'kyc', requirements: [['id.first_name']], session_delay_ms: 60_000 };
    const page = await open(await linkOn(slow));
    await giveNameAndAgree(page, 'stepping@hosted.example');
    await finish(page, 'Step up');
    await heading(page, 'We are checking');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '5m' });
    await heading(page, 'Your document');
  });

  test('expiry: a page that heard nothing of it reports it on its next request', async () => {
    const page = await browser.newPage();
    await withoutWatch(page);
    await page.goto(await linkOn({ kind: 'kyc', requirements: [['id.first_name']] }));
    await identify(page, 'late@hosted.example');
    await heading(page, 'What is your name?');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '3h' });
    await page.getByLabel('First name').fill('Wilhelmina');
    await proceed(page);
    await heading(page, 'This link has expired');
  });

  test('canary: typed values are in no storage of the browser, no address and no history', async () => {
    const page = await open((await aSession(daemon())).link);
    await identify(page, 'canary@hosted.example');
    await giveData(page);
    await agree(page);
    await finish(page);
    await heading(page, 'You are done');
    const kept = await page.evaluate(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys(), await indexedDB.databases(),
      history.state, window.name, performance.getEntries().map(({ name }) => name.split('#')[0]),
    ]))()`);
    expect(kept).not.toMatch(/canary|Wilhelmina|Oyelaran|121121212|121-12-1212|Evergreen|obtok_/);
    expect((JSON.parse(String(kept)) as unknown[]).slice(0, 5)).toEqual([{}, {}, '', [], []]);
    expect(page.url()).not.toMatch(/canary|Wilhelmina/);
  });
});
