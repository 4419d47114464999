/**
 * The page `/_kyclone/form`: a form for the scope of a client token. This is only the frame. Its script, the same file
 * as `kyclone/form`, finds `<main data-kyclone-form>` and fills it. Nothing else runs or loads on it.
 */
import { html, Markup } from './markup.ts';
import { BASE_STYLE, FORM_STYLE, hashSource } from './style.ts';

export const FORM_SCRIPT_PATH = '/_kyclone/form.js';

/** The identifier is shown beside each label, since this page is for developers. */
const PAGE_STYLE = BASE_STYLE + FORM_STYLE;

/** The `content-security-policy` of the page: own script, own style, calls to this instance, own pictures. */
export const FORM_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${hashSource(PAGE_STYLE)}`,
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
