/** Checks that axe-core finds no violation on what a page shows. Its script is loaded once a document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

export async function expectAccessible(page: Page, where?: string): Promise<void> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(`(() => { ${AXE} })()`);
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.html + ' ' + n.failureSummary).join(' | ')))`,
  );
  expect(found, where ?? (await page.title())).toEqual([]);
}
