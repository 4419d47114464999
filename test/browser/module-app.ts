/**
 * Apps of another origin with `kyclone/browser`, under a strict content security policy: only their own scripts, and the
 * instance for calls and frames.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { built, serveFiles } from './app.ts';

export interface ModuleApp {
  /** The address of the instance. */
  readonly baseUrl: string;
  /** The options of `init`, as code; `note` writes down what was called. */
  readonly options: string;
  /** Replaces `import kyclone, { configure } from '/browser.js'`. */
  readonly imports?: string;
  /** Replaces the call of `configure`. */
  readonly setup?: string;
  readonly policy?: string;
  /** More files, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** In place of the page's module. */
  readonly scripts?: string;
}

export const strictPolicy = (baseUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'none'",
    `connect-src ${baseUrl}`,
    `frame-src ${baseUrl}`,
    'img-src data:',
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/** The code of the page: it renders the component, and again at a press of Render. */
export const codeOf = ({ options, setup, baseUrl }: ModuleApp): string => `
  const note = (text) => (document.body.dataset.noted += text + ' ');
  const quoted = (message) => message.replaceAll(' ', '_');
  ${setup ?? `configure({ baseUrl: '${baseUrl}' });`}
  const component = kyclone.init(${options});
  document.querySelector('#render').addEventListener('click', () => component.render());
  document.querySelector('#destroy').addEventListener('click', () => component.destroy());
`;

/** Serves the app; returns its port. */
export async function aModuleApp(app: ModuleApp): Promise<number> {
  const { imports = "import kyclone, { configure } from '/browser.js';", policy } = app;
  const scripts = app.scripts ?? '<script type="module" src="/app.js"></script>';
  const files: Readonly<Record<string, string>> = {
    '/': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An app</title>
      <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
      <body data-noted=""><main><h1>An app</h1><button id="render">Render</button><button id="destroy">Destroy</button>
      <div id="place"></div></main>${scripts}</body></html>`,
    '/app.js': imports + codeOf(app),
    '/browser.js': built('browser.js'),
    '/browser-bank-link.js': built('browser-bank-link.js'),
    ...app.files,
  };
  const headers = { 'content-security-policy': policy ?? strictPolicy(app.baseUrl) };
  return (await serveFiles((path) => files[path], headers)).port;
}

/** Collects what the console of a page shows. */
export function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (line) => lines.push(line.text()));
  page.on('pageerror', (error) => lines.push(error.message));
  return lines;
}

/** Whether the page is wider than its window, at the width of a phone. */
export async function expectFits(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    .toBe(true);
}
