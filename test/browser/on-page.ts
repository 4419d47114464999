/** Steps of people on a page with a form, and what the page shows them. */
import type { Download, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const ALERT = '.kyclone-alert';
export const STATUS = '.kyclone-status';

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

/** Waits until the element shows the text. */
export async function says(page: Page, place: string, text: string | RegExp): Promise<void> {
  await page.locator(place).filter({ hasText: text }).waitFor();
  if (typeof text === 'string') await expect.poll(() => page.locator(place).innerText()).toBe(text);
}

export async function choose(
  page: Page,
  label: string,
  file: { mimeType: string; buffer: Buffer },
): Promise<void> {
  await page.getByLabel(label).setInputFiles({ name: 'a file', ...file });
}

/** Returns the error that describes an input, or an empty text when the input isn't marked as invalid. */
export async function errorOf(input: Locator): Promise<string> {
  if ((await input.getAttribute('aria-invalid')) !== 'true') return '';
  const ids = ((await input.getAttribute('aria-describedby')) ?? '').split(' ');
  const error = input.page().locator(`#${ids.find((id) => id.endsWith('-error')) ?? 'none'}`);
  return error.innerText();
}

export async function contentOf(download: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
