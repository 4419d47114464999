/**
 * The pages whose content their script draws: the vault form, and hosted flows (contract §14). This is only the frame,
 * which a browser paints before the script has loaded. Nothing else runs on them, and nothing is loaded from another
 * origin.
 */
import { html, Markup } from './markup.ts';
import { HOSTED_PATHS } from '../nouns/hosted/facts.ts';
import { LOOPBACK_HOSTS } from '../nouns/requests/facts.ts';
import { pageFile } from './page-file.ts';
import { BASE_STYLE, FORM_STYLE, hashSource, THEME_STYLE } from './style.ts';

/** The `content-security-policy` of a page: own script, own style, calls to this instance, pictures from `images`. */
function policyOf(style: string, images: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${hashSource(style)}`,
    "connect-src 'self'",
    `img-src ${images}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

// The page `/_kyclone/form`: a form for the scope of a client token. Its script, the same file as `kyclone/form`, finds
// `<main data-kyclone-form>`.

const FORM_SCRIPT_PATH = '/_kyclone/form.js';

/** The identifier is shown beside each label, since this page is for developers. */
const FORM_PAGE_STYLE = BASE_STYLE + FORM_STYLE;

export const FORM_PAGE_POLICY = policyOf(FORM_PAGE_STYLE, 'data:');

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
        ${new Markup(`<style>${FORM_PAGE_STYLE}</style>`)}
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

// The page of a hosted flow. Its script finds `<main data-kyclone-hosted>`.

/**
 * One column; in a wide window a card with the app and the steps beside it. One primary action. The embedding app can set
 * name, logo, colours, radius and font.
 */
const HOSTED_PAGE_STYLE = `${BASE_STYLE}${FORM_STYLE}${THEME_STYLE}\n${pageFile('hosted.css')}`;
const LOOPBACK_ORIGINS = LOOPBACK_HOSTS.flatMap((host) => [`http://${host}:*`, `https://${host}:*`]);
/** A policy has no form for IPv6 addresses and underscores. Browsers report such a source and ignore it. */
const NAMED_BY_POLICY = /^https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?(?::(?:\d+|\*))?$/;

/**
 * Adds the allowed frame ancestors to a page's policy: the instance, and loopback and the origins of `cors.origins` as
 * far as a policy can name them.
 */
export function framedBy(policy: string, origins: readonly string[]): string {
  return policy.replace(
    "frame-ancestors 'none'",
    [
      'frame-ancestors',
      "'self'",
      ...[...LOOPBACK_ORIGINS, ...origins].filter((each) => NAMED_BY_POLICY.test(each)),
    ].join(' '),
  );
}

export function hostedPolicy(origins: readonly string[]): string {
  return framedBy(policyOf(HOSTED_PAGE_STYLE, 'data: blob:'), origins);
}

/**
 * The HTML page. Its heading and the space above it match the layout of each place, so that nothing moves when the
 * script draws one. `origins` and loopback may open it in a frame, and it sends messages to no other origin.
 */
export function hostedPage(title: string, origins: readonly string[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <script type="module" src="${HOSTED_PATHS.script}"></script>
        <link rel="icon" href="data:," />
        ${new Markup(`<style>${HOSTED_PAGE_STYLE}</style>`)}
      </head>
      <body>
        <main class="hosted" data-kyclone-hosted data-origins="${origins.join(' ')}">
          <div class="hosted-side"><div class="hosted-brand"></div></div>
          <div class="hosted-main">
            <div class="hosted-top"></div>
            <div class="hosted-progress"></div>
            <h1>${title}</h1>
            <noscript><p>This page needs its script: without it nothing can be sent.</p></noscript>
          </div>
        </main>
      </body>
    </html> `.text;
}
