/** Measures how soon a browser paints the page of a hosted flow, and for comparison an empty page of a bare server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { chromium, type Browser } from 'playwright-core';
import { CHROMIUM } from '../support/chromium-path.ts';
import { caller } from './calls.ts';
import type { Server } from './processes.ts';

const EMPTY = '<!doctype html><html lang="en"><title>Empty</title><body><h1>An empty page</h1></body></html>';
const PLAYBOOK = { key: 'pb_test_kycdefault000000000000' };

/** The milliseconds from the start of the navigation, for each round. */
export interface Paints {
  /** The first paint of any text. On our page that is its frame, before the script has loaded. */
  readonly first: number[];
  /** The paint of the first step with its form, which the script draws. */
  readonly whole: number[];
}

/** Stores the time at which the form of the first step was drawn. A bare page has no form. */
const NOTE_FORM = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main form')) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame((now) => { window.formDrawn = now; }));
}).observe(document, { childList: true, subtree: true });`;

const PAINTED = `(() => {
  const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const whole = document.querySelector('main[data-kyclone-hosted]') ? window.formDrawn : first;
  return first !== undefined && whole !== undefined && [first, whole];
})()`;

/** Returns undefined when there is no Chromium. Each round opens both pages, each in a new profile. */
export async function timePaints(
  ours: Server,
  rounds: number,
): Promise<{ readonly ours: Paints; readonly bare: Paints } | undefined> {
  if (CHROMIUM === undefined) return undefined;
  const bare = createServer((_, response) => response.setHeader('content-type', 'text/html').end(EMPTY));
  await new Promise<void>((resolve) => void bare.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: CHROMIUM });
  const ask = caller(ours);
  try {
    const empty = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
    const times = { ours: { first: [], whole: [] } as Paints, bare: { first: [], whole: [] } as Paints };
    // The first round of each side is not counted. It warms up the server and the browser.
    for (let round = -1; round < rounds; round++) {
      for (const [side, url] of [
        ['bare', empty],
        ['ours', ((await ask('POST', '/onboarding/session', PLAYBOOK)) as { link: string }).link],
      ] as const) {
        const [first = 0, whole = 0] = await paint(browser, url);
        if (round < 0) continue;
        times[side].first.push(first);
        times[side].whole.push(whole);
      }
    }
    return times;
  } finally {
    await browser.close();
    ask.end();
    bare.close();
  }
}

async function paint(browser: Browser, url: string): Promise<number[]> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(NOTE_FORM);
    await page.goto(url);
    for (;;) {
      // This process polls, because the page's policy forbids evaluating text in the page later.
      const painted = await page.evaluate<number[] | false>(PAINTED);
      if (painted) return painted;
      await setTimeout(10);
    }
  } finally {
    await context.close();
  }
}
