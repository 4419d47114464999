/** Apps of another origin that show a hosted page in a frame or redirect to one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { ROOT } from '../support/daemon.ts';
import { loopbackServer, type LoopbackServer } from '../support/loopback.ts';

const MODULES = {
  onboarding: [
    'openOnboarding',
    "onComplete: ({ validation_token, intent_token }) => note('complete:' + validation_token + (intent_token ? ',' + intent_token : ''))",
  ],
  'bank-link': ['openBankLink', "onSuccess: ({ intent_token }) => note('success:' + intent_token)"],
} as const;

/**
 * Serves an app with a button that opens the hosted page with these options. The app's body lists what was reported, in
 * order.
 */
export async function anApp(
  options: object,
  isFramed: boolean,
  module: keyof typeof MODULES = 'onboarding',
): Promise<LoopbackServer> {
  const file = `/${module}.js`;
  const [open, onEnd] = MODULES[module];
  const html = `<!doctype html><html lang="en"><title>An app</title><body data-noted="">
    <button id="open">Verify me</button><button id="close">Stop</button><a href="#x">A link</a><div id="place"></div>
    <script type="module">
      import { ${open} } from '${file}';
      const note = (text) => (document.body.dataset.noted += text + ' ');
      let flow;
      document.querySelector('#close').addEventListener('click', () => flow.close());
      document.querySelector('#open').addEventListener('click', () => {
        try {
          flow = ${open}({
            ...${JSON.stringify(options)},
            ${isFramed ? "container: document.querySelector('#place')," : ''}
            onAuth: () => note('auth'),
            ${onEnd},
            onCancel: () => note('cancel'),
            onError: ({ message }) => note('error:' + message.replaceAll(' ', '_')),
            onClose: () => note('close'),
          });
        } catch (error) {
          note(error.name);
        }
      });
    </script></body></html>`;
  return serve(module, () => html);
}

const REDIRECTS = {
  onboarding: ['redirectToOnboarding', 'takeOnboardingResult'],
  'bank-link': ['redirectToBankLink', 'takeBankLinkResult'],
} as const;

/**
 * Serves an app with a button that redirects to the hosted page with the options of `lead`. When the app opens again,
 * its body lists the result that it took.
 */
export async function aRedirectingApp(
  lead: { options: object },
  module: keyof typeof MODULES = 'onboarding',
): Promise<LoopbackServer> {
  const [, onEnd] = MODULES[module];
  const [redirect, take] = REDIRECTS[module];
  return serve(
    module,
    () => `<!doctype html><html lang="en"><title>An app</title><body data-noted="">
    <button>Verify me</button>
    <script type="module">
      import { ${redirect}, ${take} } from '/${module}.js';
      const note = (text) => (document.body.dataset.noted += text + ' ');
      const isTaken = ${take}({
        ${onEnd},
        onCancel: () => note('cancel'),
      });
      note('taken:' + isTaken);
      document.querySelector('button').addEventListener('click', () => {
        try {
          ${redirect}(${JSON.stringify(lead.options)});
        } catch (error) {
          note(error.name);
        }
      });
    </script></body></html>`,
  );
}

const serve = (module: keyof typeof MODULES, page: () => string) =>
  serveFiles((path) =>
    path === '/' ? page() : path === `/${module}.js` ? built(`${module}.js`) : undefined,
  );

/** A file of the build. */
export const built = (name: string) => readFileSync(join(ROOT, 'dist', name), 'utf8');

/** Serves pages and scripts, by path, until the test ends. */
export async function serveFiles(
  fileAt: (path: string) => string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<LoopbackServer> {
  const server = await loopbackServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const text = fileAt(path);
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      ...headers,
    });
    response.end(text);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

export const notesOf = async (page: Page): Promise<string> =>
  ((await page.locator('body').getAttribute('data-noted')) ?? '').trim();

export const waitUntilNoted = (page: Page, text: string): Promise<void> =>
  page.locator(`body[data-noted*="${text}"]`).waitFor({ state: 'attached' });
