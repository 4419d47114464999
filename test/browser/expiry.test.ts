/** A token expires by the service's clock. The service runs in the test's process, so the test can move that clock. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/daemon/listen.ts';
import { CONTROL_TOKEN, SANDBOX_KEY, startService } from '../support/service.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { aVault, developerPage } from './developer.ts';
import { ALERT, press, says } from './on-page.ts';

const MINUTE_MS = 60_000;

describe.skipIf(skipsBrowser)('vaultForm', () => {
  const browser = useBrowser();

  test('token: an expired one is reported as expired, and nothing is stored', async () => {
    const service = await startService();
    onTestFinished(() => service[Symbol.asyncDispose]());
    const { port, close } = await listen(service.runtime, { port: 0 });
    onTestFinished(close);
    service.instance.port = port;
    const vault = await aVault({
      url: `http://127.0.0.1:${port}`,
      apiKey: SANDBOX_KEY,
      controlToken: CONTROL_TOKEN,
    });
    const fields = ['id.first_name'];
    const token = await vault.token({ scope: 'vault', fields, ttl: 60 });
    const page = await browser.open(
      `http://127.0.0.1:${await developerPage({ baseUrl: vault.baseUrl, token, fields })}/`,
    );

    service.clock.advance(MINUTE_MS);
    await page.getByLabel('First name').fill('Ada');
    await press(page, 'Save');

    await says(page, ALERT, /^The token has expired/);
    await expect.poll(() => page.locator('body').getAttribute('data-refused')).toBe('token_expired 401');
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Ada');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': null });
  });
});
