/**
 * The page `/_kyclone/form`: a form for the scope of a client token. This is only the frame. Its script, the same file
 * as `kyclone/form`, finds `<main data-kyclone-form>` and fills it. Nothing else runs or loads on it.
 */
import { createHash } from 'node:crypto';
import { html, Markup } from './docs/markup.ts';
import { BASE_STYLE } from './docs/style.ts';

export const FORM_SCRIPT_PATH = '/_kyclone/form.js';

/** In addition to the colours of the docs page, for both themes. */
export const LIGHT_EDGES = '--edge: #8a938c; --refused: #fbeaea;';
export const DARK_EDGES = '--edge: #75827b; --refused: #3b1f1f;';

/**
 * Uses the colours and type of the docs page. The identifier is shown beside each label, since this page is for
 * developers.
 */
const FORM_STYLE = `
main.form-page { margin: 0 auto; max-width: 44rem; padding: 2.5rem 1.5rem 6rem; }
.kyclone-panel h2:focus { outline: none; }
.kyclone-form, .kyclone-form form { display: grid; gap: 1.1rem; }
.kyclone-form form + form { border-top: 1px solid var(--line); padding-top: 1.1rem; margin-top: .3rem; }
.kyclone-panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem; margin-top: 2rem; }
.kyclone-panel h2 { margin: 0 0 .75rem; }
.kyclone-panel .facts { margin: 0 0 1.5rem; }
.kyclone-panel .facts code { background: none; padding: 0; }
.kyclone-field { min-width: 0; }
.kyclone-label { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-weight: 600; }
.kyclone-label[data-identifier*="."]::after { content: attr(data-identifier); color: var(--quiet); font: 400 .8rem/1.9 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.kyclone-hint { color: var(--quiet); font-size: .875rem; margin: 0; }
.kyclone-error { color: var(--delete); font-size: .925rem; font-weight: 600; margin: .25rem 0 0; }
.kyclone-error::before { content: "\\26A0\\FE0E\\00A0"; }
.kyclone-form input, .kyclone-form textarea { width: 100%; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--edge); border-radius: 8px; padding: .5rem .7rem; margin-top: .25rem; min-height: 2.75rem; }
.kyclone-form textarea { min-height: 7rem; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.kyclone-form input[type=file] { padding: .4rem; }
.kyclone-form input[type=file]::file-selector-button { font: inherit; color: inherit; background: var(--code); border: 1px solid var(--edge); border-radius: 6px; padding: .15rem .7rem; margin-right: .7rem; cursor: pointer; }
.kyclone-form [aria-invalid=true] { border-color: var(--delete); box-shadow: inset 0 0 0 1px var(--delete); }
.kyclone-form button { font: inherit; font-weight: 600; line-height: 1.2; color: var(--accent); background: none; border: 1px solid var(--accent); border-radius: 8px; padding: .65rem 1.15rem; min-height: 2.75rem; cursor: pointer; }
.kyclone-form button:hover { background: var(--accent-soft); }
.kyclone-form .kyclone-primary, .kyclone-form .kyclone-primary:hover { background: var(--accent); color: var(--page); }
.kyclone-form [aria-busy] button { cursor: progress; }
.kyclone-form :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.kyclone-actions { display: flex; flex-wrap: wrap; gap: .7rem; }
.kyclone-alert:empty, .kyclone-status:empty, .kyclone-value:empty { display: none; }
.kyclone-alert { background: var(--refused); border-left: 4px solid var(--delete); border-radius: 6px; padding: .7rem 1rem; overflow-wrap: anywhere; }
.kyclone-status { background: var(--accent-soft); border-left: 4px solid var(--accent); border-radius: 6px; padding: .7rem 1rem; margin: 0; overflow-wrap: anywhere; }
.kyclone-value { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; background: var(--code); border-radius: 8px; margin-top: .4rem; padding: .4rem .4rem .4rem .75rem; }
.kyclone-value > :not(button) { overflow-wrap: anywhere; min-width: 0; }
.kyclone-text { white-space: pre-wrap; }
.kyclone-value em { color: var(--quiet); }
.kyclone-value img { display: block; max-width: 100%; max-height: 24rem; border-radius: 6px; margin: .35rem 0; }
.kyclone-value button { font-size: .875rem; padding: .3rem .75rem; min-height: 2.25rem; margin-left: auto; }
:root { ${LIGHT_EDGES} }
@media (prefers-color-scheme: dark) { :root { ${DARK_EDGES} } }
@media (max-width: 30rem) {
  main.form-page { padding: 1.5rem 1rem 4rem; }
  .kyclone-panel { padding: 1rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin: 0 0 .5rem; }
}
`;
const PAGE_STYLE = BASE_STYLE + FORM_STYLE;

/** Shared with other pages that have the same fields. */
export { FORM_STYLE };

/** The `content-security-policy` of the page: own script, own style, calls to this instance, own pictures. */
export const FORM_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "connect-src 'self'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The HTML page. It is the same for every instance, since its content depends on the token. */
export function formPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>kyclone: vault form</title>
        <link rel="icon" href="data:," />
        ${new Markup(`<style>${PAGE_STYLE}</style>`)}
        <script type="module" src="${FORM_SCRIPT_PATH}"></script>
      </head>
      <body>
        <main class="form-page" data-kyclone-form>
          <h1>Vault form</h1>
          <p class="lead">Save and reveal the identifiers of a client token, as your own page would.</p>
          <noscript><p>This page needs its script: without it nothing can be sent.</p></noscript>
        </main>
      </body>
    </html> `.text;
}
