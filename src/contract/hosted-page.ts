/**
 * The page of a hosted flow (contract §14): the frame, which a browser paints before the script has loaded. The script
 * finds `<main data-kyclone-hosted>` and fills it. Nothing else runs on it, and nothing is loaded from another origin.
 */
import { createHash } from 'node:crypto';
import { html, Markup } from './docs/markup.ts';
import { BASE_STYLE, DARK_COLOURS, LIGHT_COLOURS } from './docs/style.ts';
import { HOSTED_PATHS } from './facts/onboardings.ts';
import { LOOPBACK_HOSTS } from './facts/requests.ts';
import { DARK_EDGES, FORM_STYLE, LIGHT_EDGES } from './form-page.ts';

/**
 * One column; in a wide window a card with the app and the steps beside it. One primary action. The embedding app can set
 * name, logo, colours, radius and font.
 */
const HOSTED_STYLE = `
:root { --radius: 10px; --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; --on-accent: var(--page); --tint: color-mix(in srgb, var(--accent) 9%, var(--panel)); }
/* The place of a scroll bar is kept, so that nothing moves when a longer step brings one. */
html { scrollbar-gutter: stable; background: var(--page); }
.framed { scrollbar-gutter: auto; }
body { font: 17px/1.5 var(--font); }
main.hosted { display: flex; flex-direction: column; margin: 0 auto; max-width: 31rem; padding: 1rem 1.25rem 1.5rem; min-height: 100vh; }
.framed main.hosted { min-height: 0; }
.hosted-side { display: contents; }
.hosted-main { flex: 1; min-width: 0; }
.hosted-brand { display: flex; align-items: center; gap: .7rem; height: 3rem; font-weight: 650; min-width: 0; }
.hosted-brand img, .hosted-letter { flex: none; height: 2.25rem; min-width: 2.25rem; max-width: 9rem; object-fit: contain; border-radius: min(var(--radius), 9px); }
.hosted-letter { display: grid; place-items: center; background: var(--accent); color: var(--on-accent); }
.hosted-brand > span:not(.hosted-letter) { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.hosted-pill { flex: none; margin-left: auto; font-size: .75rem; font-weight: 650; letter-spacing: .02em; color: var(--warn); background: var(--warn-soft); border-radius: 99px; padding: .2rem .65rem; }
.hosted-steps { display: none; }
.hosted-note { order: 3; margin: 2rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
.hosted-top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 2.75rem; margin-top: .5rem; }
.hosted .hosted-top .quiet:last-child { margin: 0 -.5rem 0 auto; }
.hosted-count { color: var(--quiet); font-size: .875rem; }
.hosted-progress { display: flex; gap: 5px; height: 5px; margin: .5rem 0 1.75rem; }
.hosted-progress span { flex: 1; border-radius: 3px; background: var(--line); overflow: hidden; }
.hosted-progress i { display: block; height: 100%; background: var(--accent); }
.hosted h1 { font-size: 1.75rem; outline: none; overflow-wrap: anywhere; text-wrap: balance; }
.hosted h2 { font-size: 1.15rem; border: 0; padding: 0; margin: 1.5rem 0 .75rem; }
.hosted h1 + :not(.lead) { margin-top: 1.75rem; }
.hosted-main > h1:first-child { margin-top: 2rem; }
.hosted .lead { margin-bottom: 1.75rem; overflow-wrap: anywhere; }
.hosted fieldset { border: 0; margin: 0; padding: 0; min-width: 0; display: grid; gap: 1.1rem; }
.hosted legend { font-weight: 600; padding: 0; margin-bottom: .5rem; }
.hosted .kyclone-label::after { content: none; }
.hosted .kyclone-form input, .hosted .kyclone-form select { width: 100%; font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--edge); border-radius: var(--radius); padding: .6rem .8rem; margin-top: .25rem; min-height: 3rem; }
.hosted .kyclone-form [aria-invalid=true] { border-color: var(--delete); }
.hosted .kyclone-form .kyclone-primary, .hosted .kyclone-form .kyclone-primary:hover { color: var(--on-accent); border-radius: var(--radius); width: 100%; min-height: 3.25rem; margin-top: .5rem; }
.hosted .kyclone-form .kyclone-primary:hover { filter: brightness(1.08); }
.hosted [aria-busy=true] .kyclone-primary::after, .hosted .quiet[aria-busy=true]::after { content: ""; display: inline-block; width: .9em; height: .9em; margin-left: .7em; vertical-align: -.1em; border: 2px solid; border-right-color: transparent; border-radius: 50%; animation: hosted-turn .8s linear infinite; }
@keyframes hosted-turn { to { transform: rotate(1turn); } }
.hosted .quiet { font: inherit; font-size: .95rem; color: var(--quiet); background: none; border: 0; border-radius: 6px; min-height: 2.75rem; padding: 0 .5rem; margin-left: -.5rem; cursor: pointer; text-decoration: underline; text-underline-offset: .2em; }
.hosted :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hosted h1:focus-visible { outline: none; }
.hosted .kyclone-form select { appearance: none; padding-right: 2.5rem; background: linear-gradient(45deg, transparent 50%, var(--quiet) 50%) right 1.2rem center / .4rem .4rem no-repeat, linear-gradient(135deg, var(--quiet) 50%, transparent 50%) right .8rem center / .4rem .4rem no-repeat, var(--panel); }
.hosted .choice { display: flex; align-items: flex-start; gap: .75rem; padding: .75rem .9rem; border: 1px solid var(--edge); border-radius: var(--radius); background: var(--panel); cursor: pointer; }
.hosted .choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--tint); }
.hosted .kyclone-form .choice input { width: 1.25rem; height: 1.25rem; min-height: 0; margin: .15rem 0 0; flex: none; accent-color: var(--accent); }
.hosted .choice span { min-width: 0; overflow-wrap: anywhere; }
.hosted .choice small { display: block; color: var(--quiet); font-size: .9rem; }
.hosted .choices { display: grid; gap: .6rem; }
.hosted-review { display: grid; gap: .25rem; margin: 0 0 1.5rem; }
.hosted-review > div { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; padding: .65rem 0; border-bottom: 1px solid var(--line); align-items: center; }
.hosted-review dt { color: var(--quiet); font-size: .9rem; grid-column: 1; }
.hosted-review dd { margin: 0; grid-column: 1; overflow-wrap: anywhere; text-align: left; }
.hosted-review dd.edit { grid-column: 2; grid-row: 1 / span 2; }
.hosted-review .edit .quiet { margin-right: -.5rem; }
.hosted-thumbs { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .4rem; }
.hosted-thumbs > * { display: grid; place-items: center; text-align: center; width: 5rem; height: 3.5rem; object-fit: cover; font-size: .8rem; color: var(--quiet); background: var(--code); border: 1px solid var(--line); border-radius: 6px; }
.hosted-preview { display: grid; place-items: center; height: 15rem; padding: .5rem; color: var(--quiet); font-size: .95rem; text-align: center; background: var(--code); border: 1px dashed var(--edge); border-radius: var(--radius); }
.hosted-preview img { display: block; width: 100%; height: 14rem; object-fit: contain; }
.hosted fieldset.hosted-owner { border: 1px solid var(--line); border-radius: var(--radius); padding: 1rem 1rem .5rem; }
.hosted .hosted-owner legend { font-size: 1.1rem; padding: 0 .4rem; margin: 0 0 0 -.4rem; }
.hosted .kyclone-form .quiet { justify-self: start; }
.hosted-bar { font-size: .9rem; background: var(--warn-soft); color: var(--warn); border-radius: var(--radius); padding: .6rem .9rem; margin: 0 0 1.25rem; }
.hosted-main:has(> .drawing) { text-align: center; padding-top: 1.5rem; }
.drawing { display: block; width: 12rem; margin: 0 auto 1.25rem; fill: none; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round; }
.drawing .soft { fill: color-mix(in srgb, var(--accent) 16%, var(--panel)); }
.drawing .card { fill: var(--panel); stroke: var(--accent); stroke-width: 3; }
.drawing .line { stroke: var(--line); }
.drawing .badge { fill: var(--accent); stroke: var(--page); }
.drawing.problem .badge, .drawing.waiting .badge { fill: var(--warn); }
.drawing .mark { stroke: var(--page); }
.hosted-pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.1rem .8rem; align-items: start; }
@media (max-width: 24rem) { main.hosted { padding: .75rem 1rem 1.5rem; } .hosted-pair { grid-template-columns: minmax(0, 1fr); } }
@media (min-width: 60rem) {
  main.hosted { flex-direction: row; max-width: 60rem; padding: 0; margin: 4rem auto; min-height: 40rem; background: var(--panel); border: 1px solid var(--line); border-radius: 18px; box-shadow: 0 1.5rem 4rem rgb(0 0 0 / .1); overflow: clip; }
  .framed main.hosted { margin: 1rem auto; min-height: 34rem; box-shadow: none; }
  .hosted-side { display: flex; flex-direction: column; flex: 0 0 19rem; padding: 2rem; background: var(--tint); border-right: 1px solid var(--line); }
  .hosted-brand { display: grid; grid-template-columns: auto minmax(0, 1fr); height: auto; margin-bottom: 2rem; }
  .hosted-brand .hosted-pill { grid-column: 1 / -1; justify-self: start; margin: .25rem 0 0; }
  .hosted-brand > span:not(.hosted-letter) { white-space: normal; overflow-wrap: anywhere; }
  .hosted-steps { display: grid; list-style: none; margin: 0; padding: 0; counter-reset: step; }
  .hosted-steps li { position: relative; display: flex; align-items: center; gap: .8rem; padding-bottom: 1.1rem; color: var(--quiet); counter-increment: step; }
  .hosted-steps li::before { content: counter(step); box-sizing: border-box; flex: none; width: 1.8rem; height: 1.8rem; display: grid; place-items: center; font-size: .8rem; font-weight: 650; border: 2px solid var(--edge); border-radius: 50%; background: var(--panel); }
  .hosted-steps li:not(:last-child)::after { content: ""; position: absolute; left: calc(.9rem - 1px); top: 1.8rem; bottom: 0; border-left: 2px solid var(--edge); }
  .hosted-steps .done::before { content: "\\2713"; color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
  .hosted-steps .done::after { border-color: var(--accent) !important; }
  .hosted-steps [aria-current] { color: var(--text); font-weight: 650; }
  .hosted-steps [aria-current]::before { border-color: var(--accent); }
  .hosted-note { margin-top: auto; }
  .hosted-main { padding: 1.25rem 3.5rem 2.5rem; }
  .hosted-main:has(> .drawing) { padding-top: 5rem; }
  .hosted-progress { margin: .5rem 0 1.25rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .hosted-progress i { transition: width .2s; }
  .drawing .mark { stroke-dasharray: 60; animation: hosted-mark .7s .1s ease-out backwards; }
  @keyframes hosted-mark { from { stroke-dashoffset: 60; } }
}
@media (prefers-reduced-motion: reduce) { .hosted [aria-busy=true]::after { animation: none; } }
`;
/** The theme chosen by the app, which overrides the browser's preference. */
const THEME_STYLE = `
:root[data-theme=light] { color-scheme: light; ${LIGHT_COLOURS} ${LIGHT_EDGES} }
:root[data-theme=dark] { color-scheme: dark; ${DARK_COLOURS} ${DARK_EDGES} }
`;
const PAGE_STYLE = BASE_STYLE + FORM_STYLE + THEME_STYLE + HOSTED_STYLE;
const LOOPBACK_ORIGINS = LOOPBACK_HOSTS.flatMap((host) => [`http://${host}:*`, `https://${host}:*`]);
/** A policy has no form for IPv6 addresses and underscores. Browsers report such a source and ignore it. */
const NAMED_BY_POLICY = /^https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?(?::(?:\d+|\*))?$/;

/**
 * Adds the allowed frame ancestors to a page's policy: the instance, and loopback and the origins of `cors.origins` as far
 * as a policy can name them.
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

/** The `content-security-policy` of the page. */
export function hostedPolicy(origins: readonly string[]): string {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
    "connect-src 'self'",
    'img-src data: blob:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return framedBy(policy, origins);
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
        ${new Markup(`<style>${PAGE_STYLE}</style>`)}
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
