/** The console in Chromium, on the real service with something of everything (contract §11.1). */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { hashOf } from '../../src/console/routes.ts';
import type { RequestOf } from '../../src/contract/registry.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { useShared } from '../support/use-shared.ts';
import { aFullWorld } from '../tui/a-full-world.ts';
import { useBrowser } from './chromium.ts';

export type Grant = NonNullable<RequestOf<'POST /_kyclone/console/codes'>['body']>;

interface OpenOptions {
  readonly size?: readonly [number, number];
  readonly grant?: Grant;
  readonly scheme?: 'light' | 'dark';
  /** The time of the page is the test's. */
  readonly hasOwnClock?: boolean;
}

/** A value that no screen may show unasked. */
export const EMAIL = 'person.kept.private@zephyr.example';

export const rows = (page: Page) => page.locator('.is-current .table-body [role=row]');
export const rowWith = (page: Page, text: string) => rows(page).filter({ hasText: text }).first();
export const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

export function useConsole() {
  const browser = useBrowser();
  const world = useShared(async () => {
    const made = await aFullWorld();
    const { host, port } = await made.service.listen();
    return { ...made, origin: `http://${host}:${port}` };
  });
  return {
    world,
    origin: () => world().origin,
    /** The address of a pane of the user. */
    addressOf: (title: string) =>
      hashOf({
        place: world().places.user,
        pane: screens.entity.panes.findIndex((pane) => pane.title === title),
      }),
    async open(hash = '', options: OpenOptions = {}) {
      const { origin, service } = world();
      const { size: [width, height] = [1600, 1000], grant = { operator: 'Ada' }, scheme } = options;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme ?? 'dark' });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      if (options.hasOwnClock === true) await page.clock.install();
      /** Errors of the page, its content policy, and requests to other origins. */
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(`${origin}/`) && !/^(?:blob|data):/.test(url)) complaints.push(`asked ${url}`);
      });
      const { url } = (await service.call('POST /_kyclone/console/codes', { body: grant })).body;
      await page.goto(`${origin}/_kyclone/console${new URL(url).hash}`);
      await page.getByRole('grid').first().waitFor();
      if (hash !== '') await goTo(page, hash);
      return { page, complaints };
    },
  };
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await settled(page);
}

/** Waits until no list loads any longer. The content policy lets no test poll in the page itself. */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(60);
  await expect
    .poll(() =>
      page.evaluate(
        `document.querySelectorAll('[aria-busy=true]').length === 0 && !document.body.innerText.includes('Loading …')`,
      ),
    )
    .toBe(true);
}
