/** Opens the widgets in Chromium, under the content policy of the console, and looks at them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished } from 'vitest';
import type { useBrowser } from '../../browser/chromium.ts';
import { expectAccessible } from '../../browser/axe.ts';
import { loopbackServer } from '../../support/loopback.ts';
import { PAGE_BUILD } from './page-build.ts';

/** With KYCLONE_SCREENSHOTS=FOLDER the tests write pictures to that folder. */
const PICTURES = process.env['KYCLONE_SCREENSHOTS'];
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'";
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widgets</title>
  <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
  <link rel="stylesheet" href="/main.css"></head>
  <body><main><h1>Widgets</h1><div id="root"></div></main><script type="module" src="/main.js"></script></body></html>`;

/** Bundles the gallery once for the tests of a file. */
export function useGallery(browser: ReturnType<typeof useBrowser>): {
  open(widget: string): Promise<{ page: Page; complaints: readonly string[] }>;
} {
  let files: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    const { outputFiles } = await build({
      ...PAGE_BUILD,
      entryPoints: ['test/console/widgets/gallery/main.tsx'],
      outdir: 'gallery',
      write: false,
    });
    files = {
      '/': HTML,
      ...Object.fromEntries(
        outputFiles.map(({ path, text }) => [`/main${/\.\w+$/.exec(path)?.[0] ?? ''}`, text]),
      ),
    };
  });
  return {
    async open(widget) {
      const server = await loopbackServer(({ url = '' }, response) => {
        const text = files[url];
        const type = url.endsWith('.js')
          ? 'text/javascript'
          : url.endsWith('.css')
            ? 'text/css'
            : 'text/html';
        response.writeHead(text === undefined ? 404 : 200, {
          'content-type': `${type}; charset=utf-8`,
          'content-security-policy': POLICY,
        });
        response.end(text);
      });
      onTestFinished(() => server[Symbol.asyncDispose]());
      const page = await browser.newPage({ viewport: DESK });
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
      await page.goto(`${server.url}/#${widget}`);
      await page.locator('#root > *').first().waitFor();
      return { page, complaints };
    },
  };
}

/** axe finds nothing in light and dark, on a desk and on a phone, and the page is never wider than its window. */
export async function expectLooks(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`) });
      }
      await expectAccessible(page);
    }
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name })
      .toBeLessThanOrEqual(viewport.width);
  }
  await page.setViewportSize(DESK);
}
