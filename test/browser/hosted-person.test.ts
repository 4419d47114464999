/** What a person sees on the page of a hosted onboarding besides its steps (contract §14). */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { aPng } from '../support/builders.ts';
import { anApp } from './app.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { consoleOf } from './module-app.ts';
import { useDaemon } from '../support/use-shared.ts';
import { agree, aSession, finish, giveCode, giveData, heading, identify, proceed } from './hosted.ts';

const LOGO = `data:image/png;base64,${aPng().toString('base64')}`;
const PICTURE = { name: 'a.png', mimeType: 'image/png', buffer: aPng() };

describe.skipIf(skipsBrowser)('hosted page', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  async function open(query: Record<string, string> = {}, options: object = {}): Promise<Page> {
    const url = new URL((await aSession(daemon())).link);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return await browser.open(url.href, options);
  }

  test('page: the app’s name and logo, the mark of the sandbox and the steps, at both widths', async () => {
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(
          { name: 'Meridian', logo: LOGO },
          { viewport: { width, height: 800 }, colorScheme },
        );
        const messages = consoleOf(page);
        await heading(page, 'Let’s begin');
        await page.getByText('Meridian', { exact: true }).waitFor();
        await page.getByText('Sandbox', { exact: true }).waitFor();
        await page.getByText('Step 1 of 4').waitFor();
        await expect
          .poll(() => page.evaluate("document.querySelector('.hosted-brand img').naturalWidth"))
          .toBeGreaterThan(0);
        await expect.poll(() => page.getByRole('listitem').count()).toBe(width === 1280 ? 4 : 0);
        await expectAccessible(page);
        expect(messages).toEqual([]);
      }
    }
  });

  test('page: in Spanish, with its refusals', async () => {
    const page = await open({ language: 'es' });
    await heading(page, 'Empecemos');
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('es');
    await proceed(page, 'Continuar');
    await page.getByText('Escribe tu correo electrónico').waitFor();
    await page.getByLabel('Correo electrónico').fill('es@person.example');
    await proceed(page, 'Continuar');
    for (const sentence of ['Puedes probar 4 veces más', 'Puedes probar 3 veces más']) {
      await page.getByLabel('Código de un solo uso').fill('111111');
      await proceed(page, 'Continuar');
      await page.getByText(sentence).waitFor();
    }
    await page.getByLabel('Código de un solo uso').fill('000000');
    await proceed(page, 'Continuar');
    await heading(page, '¿Cómo te llamas?');
    await proceed(page, 'Continuar');
    await page.getByText('Escribe tus apellidos').waitFor();
  });

  test('page: the browser’s Back and Forward move by one step, and never to the code again', async () => {
    const page = await open();
    await heading(page, 'Let’s begin');
    await page.getByLabel('E-mail address').fill('back@person.example');
    await proceed(page);
    await heading(page, 'Enter the code');
    await page.goBack();
    await heading(page, 'Let’s begin');
    await page.goForward();
    await giveCode(page);
    await giveData(page);
    await heading(page, 'Is everything right?');
    for (const title of ['Your tax number', 'Where do you live?', 'When were you born?']) {
      await page.goBack();
      await heading(page, title);
    }
    await page.goForward();
    await heading(page, 'Where do you live?');
    await page.reload();
    await heading(page, 'Is everything right?');
    await page.getByRole('button', { name: 'Change First name' }).click();
    await heading(page, 'What is your name?');
    await page.getByRole('button', { name: 'Back' }).waitFor({ state: 'detached' });
    await page.goBack();
    await heading(page, 'Is everything right?');
  });

  test('page: shows what was typed with one click, and the pictures that were sent', async () => {
    const page = await open();
    await identify(page, 'shown@person.example');
    await giveData(page);
    await heading(page, 'Is everything right?');
    await expect.poll(() => page.getByText('121-12-1212').count()).toBe(0);
    await page.getByRole('button', { name: 'Show values' }).click();
    for (const text of ['121-12-1212', '1988-12-30', 'shown@person.example', 'Wilhelmina']) {
      await page.getByText(text, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Hide values' }).click();
    await expect.poll(() => page.getByText('121-12-1212').count()).toBe(0);
    await agree(page);
    await finish(page, 'Step up');
    await heading(page, 'Your document');
    await page.getByRole('radio', { name: 'Passport', exact: true }).check();
    await page.getByLabel('Country that issued it').selectOption('DE');
    await proceed(page);
    const broken = { ...PICTURE, buffer: aPng().subarray(0, 12) };
    await page.getByLabel('Picture').setInputFiles(broken);
    await page.getByText('This picture can’t be opened').waitFor();
    await page.getByLabel('Picture').setInputFiles(PICTURE);
    await page.getByRole('img').waitFor();
    await proceed(page, 'Send and continue');
    await heading(page, 'Is everything right?');
    await page.getByRole('img', { name: 'Front' }).waitFor();
    await agree(page);
    await finish(page, 'Pass');
    await heading(page, 'You are done');
    await page.getByText('the result is pass').waitFor();
    await expectAccessible(page);
    // The page was opened from the browser's empty page.
    await proceed(page, 'Back to the app');
    await page.waitForURL('about:blank');
  });

  test('page: its button shows that a request runs, and sends it once', async () => {
    const page = await open();
    await heading(page, 'Let’s begin');
    let requests = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/hosted/session/identify', async (route) => {
      requests += 1;
      await held;
      await route.continue();
    });
    await page.getByLabel('E-mail address').fill('busy@person.example');
    await proceed(page);
    await page.locator('form[aria-busy=true]').waitFor();
    await expect
      .poll(() =>
        page.evaluate("getComputedStyle(document.querySelector('.kyclone-primary'), '::after').content"),
      )
      .toBe('""');
    await proceed(page);
    release();
    await heading(page, 'Enter the code');
    expect(requests).toBe(1);
  });

  test('page: in a dark frame nothing is white', async () => {
    for (const theme of [undefined, 'dark']) {
      const { token } = await aSession(daemon());
      const options = { token, baseUrl: daemon().url, appearance: { theme }, l10n: { locale: 'es-MX' } };
      const page = await browser.newPage({
        viewport: { width: 1000, height: 900 },
        ...(theme === undefined && { colorScheme: 'dark' }),
      });
      const { port } = await anApp(options, false);
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByRole('button', { name: 'Verify me' }).click();
      const frame = page.frameLocator('iframe');
      await frame.getByRole('heading', { name: 'Empecemos' }).waitFor();
      const box = await page.locator('iframe').boundingBox();
      if (!box) throw new Error('the frame is not there');
      const { width, height, x, y } = box;
      for (const clip of [
        { x: x + width - 12, y: y + 30, width: 8, height: height - 60 },
        { x: x + 20, y: y + height - 8, width: width - 60, height: 4 },
      ]) {
        const picture = (await page.screenshot({ clip })).toString('base64');
        await expect.poll(() => brightest(page, picture)).toBeLessThan(80);
      }
    }
  });

  /** The brightest channel of a picture, 0 to 255. */
  async function brightest(page: Page, picture: string): Promise<unknown> {
    return page.evaluate(`(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${picture}')).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return data.reduce((most, value, index) => (index % 4 === 3 ? most : Math.max(most, value)), 0);
    })()`);
  }
});
