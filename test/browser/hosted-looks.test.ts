/**
 * How each screen of a hosted onboarding looks (contract §14): accessible in light and dark, no wider than a small
 * phone, without layout shifts, each field with its keyboard. With KYCLONE_SCREENSHOTS=FOLDER the tests write pictures
 * of all screens to that folder.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { aPng, aReadyUser } from '../support/builders.ts';
import { expectAccessible } from './axe.ts';
import { agreeToLink, anIntent, chooseBank, choosePersona } from './bank.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { words } from '../support/words.ts';
import { ask } from '../support/example-world.ts';
import {
  addOwner,
  aLinkOn,
  agree,
  aSession,
  finish,
  giveCode,
  heading,
  KYC_SCREENS,
  proceed,
  stepUpLink,
} from './hosted.ts';

const PICTURES = process.env['KYCLONE_SCREENSHOTS'];
const WIDTHS = [1280, 768, 360] as const;
const SMALLEST = 320;
const SCHEMES = ['light', 'dark'] as const;
const LONG = `${'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)} & Co.`;
const RIGHT_TO_LEFT = 'بنك القاهرة الوطني';
const PICTURE = { name: 'a.png', mimeType: 'image/png', buffer: aPng() };

/** Records layout shifts, except those that a key or a click caused. */
const NOTE_SHIFTS = `
  window.shifts = [];
  const note = (entries) => {
    for (const { value, sources, hadRecentInput } of entries)
      if (!hadRecentInput) window.shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(' | '));
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.forgetShifts = async () => {
    // What moved is reported some time after the frame that shows it.
    for (let frame = 0; frame < 2; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    observer.takeRecords();
    window.shifts.length = 0;
  };`;

/** Finds the fields that lack an autocomplete attribute, an input mode or a text direction. */
const BARE_FIELDS = `[...document.querySelectorAll('main input, main select, main textarea')].filter((field) => {
  const isTyped = field.tagName !== 'SELECT' && !['radio', 'checkbox', 'file'].includes(field.type);
  return !field.autocomplete || (isTyped && !(field.inputMode && field.dir === 'auto'));
}).map(({ outerHTML }) => outerHTML)`;

let shot = 0;

async function look(page: Page, name: string): Promise<void> {
  await heading(page, name);
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name })
    .toBeLessThanOrEqual(SMALLEST);
  await expect.poll(() => page.evaluate(BARE_FIELDS), { message: name }).toEqual([]);
  // Each screen has at most one primary button.
  await expect.poll(() => page.locator('.kyclone-primary').count(), { message: name }).toBeLessThanOrEqual(1);
  // Pictures are taken at several widths, which shifts everything.
  if (PICTURES === undefined)
    await expect.poll(() => page.evaluate('window.shifts'), { message: name }).toEqual([]);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  if (PICTURES !== undefined) await picture(page, name, PICTURES);
}

/**
 * Discards the shifts so far and looks at the screen. A key or a click caused them, but the browser can't see that
 * here.
 */
async function lookAfterKeys(page: Page, name: string): Promise<void> {
  await page.evaluate('window.forgetShifts()');
  await look(page, name);
}

async function picture(page: Page, name: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  shot += 1;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const file = `${String(shot).padStart(2, '0')}-${name.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: join(folder, file), fullPage: true });
    }
  }
  await page.setViewportSize({ width: SMALLEST, height: 640 });
}

describe.skipIf(skipsBrowser)('hosted onboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  const linkOn = (playbook: object, session?: object) => aLinkOn(daemon(), playbook, session);

  async function blank(): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: SMALLEST, height: 640 } });
    await page.addInitScript(NOTE_SHIFTS);
    return page;
  }

  async function open(link: string): Promise<Page> {
    const page = await blank();
    await page.goto(link);
    return page;
  }

  async function identify(page: Page, email: string): Promise<void> {
    await look(page, 'Let’s begin');
    await page.getByLabel('E-mail address').fill(email);
    await proceed(page);
    await look(page, 'Enter the code');
    await giveCode(page);
  }

  test('looks: the frame is drawn before the script loads, and nothing moves afterwards', async () => {
    const page = await blank();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/hosted/flow.js', async (route) => {
      await held;
      await route.continue();
    });
    const { link } = await aSession(daemon());
    await page.goto(link, { waitUntil: 'commit' });
    await heading(page, 'Verify your identity');
    // The browser may add the paint entry a little after the paint.
    await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length === 1");
    await expectAccessible(page);
    const top = "document.querySelector('h1').getBoundingClientRect().top";
    const before = await page.evaluate(top);
    release();
    await look(page, 'Let’s begin');
    await expect.poll(() => page.evaluate(top)).toBe(before);
  });

  test('looks: a person with a document and investments', async () => {
    const identifiers = words`
      id.first_name id.last_name id.dob id.country id.address_line1 id.city id.state id.zip id.ssn9
      id.us_legal_status id.nationality id.drivers_license_number
      investor_profile.employment_status investor_profile.occupation investor_profile.annual_income
      investor_profile.investment_goals investor_profile.declarations
    `;
    const page = await open(
      await linkOn({
        kind: 'kyc',
        requirements: identifiers.map((each) => [each]),
        documents: ['id_card', 'passport', 'drivers_license'],
        selfie: true,
        delay_ms: 60_000,
        session_delay_ms: 60_000,
      }),
    );
    await identify(page, 'looks@hosted.example');
    for (const [title, act] of KYC_SCREENS) {
      await look(page, title);
      await act(page);
      await proceed(page);
    }
    await look(page, 'Your legal status');
    await page.getByLabel('legal status').selectOption('citizen');
    await page.getByLabel('Nationality').selectOption('US');
    await proceed(page);
    await look(page, 'Your driver’s license');
    await page.getByLabel('license number').fill('D1234567');
    await proceed(page);
    await look(page, 'Your investments');
    await page.getByLabel('Employment status').selectOption('employed');
    await page.getByLabel('Occupation').fill('مهندسة');
    await expect.poll(() => page.evaluate('getComputedStyle(document.activeElement).direction')).toBe('rtl');
    await page.getByLabel('Annual income').selectOption('le25k');
    await page.getByRole('checkbox', { name: 'Growth' }).check();
    await look(page, 'Your investments');
    await proceed(page);
    await look(page, 'Your document');
    await page.getByLabel('Country that issued it').selectOption('DE');
    await proceed(page);
    for (const title of ['The front of your document', 'The back of your document', 'A picture of you']) {
      await look(page, title);
      await page.getByLabel('Picture').setInputFiles(PICTURE);
      await page.getByRole('img').waitFor();
      await look(page, title);
      await proceed(page, 'Send and continue');
    }
    await look(page, 'Is everything right?');
    await agree(page);
    await look(page, 'Choose an outcome');
    await finish(page);
    await look(page, 'We are checking');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '5m' });
    await look(page, 'You are done');
  });

  test('looks: a business with owners', async () => {
    const identifiers = words`name tin corporation_type website formation_date country address_line1`;
    const page = await open(
      await linkOn({
        kind: 'kyb',
        requirements: identifiers.map((each) => [`business.${each}`]),
        collects_owners: true,
      }),
    );
    await identify(page, 'looks.business@hosted.example');
    await look(page, 'About the business');
    await page.getByLabel('Legal name of the business').fill('Acme Incorporated');
    await page.getByLabel('Tax ID of the business').fill('12-1234567');
    await page.getByLabel('Corporation type').selectOption('LLC');
    await page.getByLabel('Website').fill('https://acme.example');
    await page.getByLabel('Formation date').fill('1 May 2001');
    await proceed(page);
    await look(page, 'Where is the business?');
    await page.getByLabel('Country').selectOption('US');
    await page.getByLabel('Street address').fill('1 Main St');
    await proceed(page);
    await look(page, 'Who owns the business?');
    await addOwner(page, 'Ada', 'Lovelace', 'looks.two@hosted.example', '40');
    await lookAfterKeys(page, 'Who owns the business?');
    await proceed(page);
    await look(page, 'Is everything right?');
  });

  test('looks: a step-up, and its screens when it fails', async () => {
    const page = await open(await stepUpLink(daemon()));
    await look(page, 'Enter the code');
    await giveCode(page, '123456');
    await page.getByText('You can try 4 more times').waitFor();
    await lookAfterKeys(page, 'Enter the code');
    await giveCode(page);
    await heading(page, 'Your document');
    // The error disappeared when the code was typed, but the browser doesn't count that as a key here.
    await lookAfterKeys(page, 'Your document');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await look(page, 'You have left');

    const { link } = await aSession(daemon());
    const closed = await open(link);
    await closed.getByLabel('E-mail address').fill('closed@hosted.example');
    await proceed(closed);
    for (const left of ['4 more times', '3 more times', '2 more times', 'once more']) {
      await giveCode(closed, '111111');
      await closed.getByText(left).waitFor();
    }
    await giveCode(closed, '111111');
    await heading(closed, 'This session is closed');
    await lookAfterKeys(closed, 'This session is closed');

    await look(await open(`${daemon().url}/hosted/onboarding#obtok_nonsense`), 'This link does not work');

    const cut = await blank();
    await cut.route('**/hosted/session', (route) => route.abort());
    await cut.goto((await aSession(daemon())).link);
    await look(cut, 'This page could not be opened');
    await cut.unroute('**/hosted/session');
    await proceed(cut, 'Try again');
    await heading(cut, 'Let’s begin');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '3h' });
    await look(cut, 'This link has expired');
  });

  test('looks: errors are beside their fields, and long names fit', async () => {
    const page = await open(
      await linkOn({
        kind: 'kyb',
        requirements: [['business.name'], ['business.tin']],
        collects_owners: true,
      }),
    );
    await page.getByLabel('E-mail address').fill('nobody');
    await proceed(page);
    await page.getByText('Enter an e-mail address such as').waitFor();
    await lookAfterKeys(page, 'Let’s begin');
    await page.getByLabel('E-mail address').fill(`${'a-long-name-'.repeat(5)}@hosted.example`);
    await proceed(page);
    await heading(page, 'Enter the code');
    await lookAfterKeys(page, 'Enter the code');
    await giveCode(page);
    await heading(page, 'About the business');
    await proceed(page);
    await page.getByText('Enter the legal name of the business').waitFor();
    await lookAfterKeys(page, 'About the business');
    await page.getByLabel('Legal name of the business').fill(LONG);
    await page.getByLabel('Tax ID of the business').fill('12-1234567');
    await proceed(page);
    await heading(page, 'Who owns the business?');
    const second = await addOwner(page, RIGHT_TO_LEFT, LONG, 'looks.long@hosted.example', '50');
    await proceed(page);
    await page.getByText('these are 110%').waitFor();
    await lookAfterKeys(page, 'Who owns the business?');
    await second.getByLabel('Share in per cent').fill('40');
    await proceed(page);
    await heading(page, 'Is everything right?');
    await proceed(page, 'Agree and continue');
    await page.getByText('Tick the box to go on').waitFor();
    await lookAfterKeys(page, 'Is everything right?');
  });

  test('looks: words of 200 letters wrap', async () => {
    const word = 'w'.repeat(200);
    const { id } = await ask(daemon(), 'POST', '/users', aReadyUser({ 'id.email': 'words@hosted.example' }));
    await ask(daemon(), 'POST', `/_kyclone/entities/${id}/request_info`, {
      note: word,
      fields: ['id.middle_name', `custom.${word.slice(0, 100)}`],
    });
    const page = await open((await aSession(daemon(), { fp_id: id })).link);
    await giveCode(page);
    for (const title of ['What is your name?', 'A few more details', 'Is everything right?']) {
      await heading(page, title);
      await page.getByText(word).waitFor();
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'))
        .toBeLessThanOrEqual(SMALLEST);
      if (title === 'Is everything right?') continue;
      await page.getByRole('textbox').fill(word);
      await proceed(page);
    }
  });

  test('looks: a bank, its errors, long names and right-to-left ones', async () => {
    const intent = await anIntent(daemon());
    const page = await open(intent.link);
    await look(page, 'Which bank do you use?');
    await page.getByLabel('Search for your bank').fill(LONG);
    await page.getByText('0 banks found').waitFor();
    await lookAfterKeys(page, 'Which bank do you use?');
    await proceed(page);
    await look(page, 'Who are you today?');
    await proceed(page, 'Back');
    await chooseBank(page, RIGHT_TO_LEFT);
    await choosePersona(page, 'Broken');
    await look(page, 'The bank does not answer');
    await proceed(page, 'Choose somebody else');
    await choosePersona(page, 'Joint');
    await look(page, 'Which accounts?');
    const boxes = page.getByRole('checkbox');
    for (const box of await boxes.all()) await box.uncheck();
    await proceed(page);
    await page.getByText('Choose at least one').waitFor();
    await lookAfterKeys(page, 'Which accounts?');
    for (const box of await boxes.all()) await box.check();
    await proceed(page);
    await look(page, 'Link this bank?');
    await proceed(page, 'Agree and link');
    await page.getByText('Tick the box to go on').waitFor();
    await lookAfterKeys(page, 'Link this bank?');
    await agreeToLink(page);
    await look(page, 'You are done');

    const { id } = await ask(daemon(), 'POST', '/bank_links', { intent_token: intent.intent_token });
    const again = await anIntent(daemon(), { fp_id: intent.fp_id, link_id: id });
    await look(await open(again.link), 'Connect your bank again');
  });

  test('looks: the bank page for a person without a bank to link, and for an unknown person', async () => {
    for (const [bank_link, title] of [
      [false, 'There is no bank to link'],
      [true, 'Sign up first'],
    ] as const) {
      const link = await linkOn({ kind: 'kyc', requirements: [], bank_link });
      const page = await open(link.replace('/onboarding', '/bank_link'));
      await page.getByLabel('E-mail address').fill(`looks.${String(bank_link)}@hosted.example`);
      await proceed(page);
      await giveCode(page);
      await look(page, title);
    }
  });
});
