/** The style of the pages: system fonts, no images; colours meet WCAG AA in the light and the dark theme. */
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of both themes, for pages with selectable themes. */
export const LIGHT_COLOURS = `--page: #fbfbfa; --panel: #ffffff; --code: #f1f2f0; --line: #dcdfda; --text: #1b201d; --quiet: #566059;
    --accent: #0b6b57; --accent-soft: #e2f1ec; --warn: #8a4b00; --warn-soft: #fbeedb;
    --get: #0b5c8f; --post: #0b6b3a; --patch: #80500a; --put: #6a4a9c; --delete: #a32727;`;
export const DARK_COLOURS = `--page: #121614; --panel: #1a1f1c; --code: #232a26; --line: #333c37; --text: #e6ebe7; --quiet: #a2aea7;
    --accent: #6cd3b6; --accent-soft: #1c3a32; --warn: #f0b865; --warn-soft: #3a2c14;
    --get: #7cc4f5; --post: #7ad9a0; --patch: #f0bf6c; --put: #c3a7f2; --delete: #ff9a94;`;

/** Shared by the docs page and the form page. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  ${LIGHT_COLOURS}
}
@media (prefers-color-scheme: dark) {
  :root {
    ${DARK_COLOURS}
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre, kbd { font-family: ${MONO}; font-size: .875em; }
code { background: var(--code); border-radius: 4px; padding: .1em .35em; overflow-wrap: anywhere; }
pre { font-size: .8rem; background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .85rem 1rem; overflow-x: auto; margin: .5rem 0 1rem; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -.025em; margin: 0 0 .5rem; }
h2 { font-size: 1.45rem; letter-spacing: -.015em; margin: 0 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h3, h4 { margin: 0; }
.lead { font-size: 1.05rem; color: var(--quiet); margin: 0 0 1.5rem; }
.note { color: var(--quiet); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem; margin: .9rem 0 0; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; }
`;

const CONTENTS = `
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--panel); padding: .5rem 1rem; z-index: 3; }
.layout { display: grid; grid-template-columns: 22rem minmax(0, 1fr); }
.side { border-right: 1px solid var(--line); background: var(--panel); padding: 0 1rem 3rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; font-size: .85rem; scrollbar-width: thin; }
.side .name { font-size: 1.3rem; font-weight: 700; letter-spacing: -.02em; margin: 0; padding: 1.4rem .5rem .8rem; }
.side .name a { color: inherit; text-decoration: none; }
.side .version { color: var(--quiet); font: 400 .8rem ${MONO}; letter-spacing: 0; }
.search { position: sticky; top: 0; background: var(--panel); padding: .2rem 0 .6rem; z-index: 1; }
.search input { width: 100%; font: inherit; font-size: .9rem; color: inherit; background: var(--page); border: 1px solid #8a938c; border-radius: 8px; padding: .5rem 2rem .5rem .7rem; }
.search input:focus { outline: 3px solid var(--accent); outline-offset: 0; border-color: transparent; }
.search kbd { position: absolute; right: .6rem; top: .72rem; color: var(--quiet); border: 1px solid var(--line); border-radius: 4px; padding: 0 .4rem; line-height: 1.4; pointer-events: none; }
.search input:focus + kbd, .search input:not(:placeholder-shown) + kbd { display: none; }
#found { margin: 0; color: var(--quiet); padding: .25rem .5rem 0; }
#found:empty { display: none; }
nav .group { margin: 1.1rem 0 .25rem; padding: 0 .5rem; font-size: .75rem; font-weight: 700; text-transform: uppercase; letter-spacing: .07em; color: var(--quiet); }
nav .group a { color: inherit; text-decoration: none; }
nav .group a:hover { text-decoration: underline; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .17rem .5rem; border-radius: 5px; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { background: var(--accent-soft); }
.calls a { font: .75rem/1.5 ${MONO}; }
.calls b { flex: 0 0 3rem; font-size: .68rem; }
summary b { font: 700 .75rem/1.4 ${MONO}; letter-spacing: .02em; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .put { color: var(--put); } .delete { color: var(--delete); }
`;

const CONTENT = `
main { padding: 2.6rem 3rem 6rem; max-width: 66rem; min-width: 0; }
main > section { margin-bottom: 4rem; }
main h2, main h3, tr, .event { scroll-margin-top: 1rem; }
details > div { scroll-margin-top: 5.5rem; }
main h2::first-letter { text-transform: uppercase; }
main > section > h3 { font-size: 1.05rem; margin: 2rem 0 .6rem; }
h2.minor { font-size: 1.05rem; border: 0; padding: 0; margin: 2rem 0 .6rem; }
main > section > h3 .note { font-weight: 400; font-size: .875rem; margin-left: .4rem; }
h4 { font-size: .78rem; text-transform: uppercase; letter-spacing: .06em; color: var(--quiet); margin: 1.5rem 0 .4rem; }
.tag { font: 600 .72rem/1.5 system-ui, sans-serif; border: 1px solid var(--line); border-radius: 99px; padding: .02rem .5rem; color: var(--quiet); white-space: nowrap; }
.tag.stable { color: var(--accent); background: var(--accent-soft); border-color: transparent; }
.tag.deprecated, .tag.high, .tag.medium { color: var(--warn); background: var(--warn-soft); border-color: transparent; }
details { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 .55rem; }
summary { cursor: pointer; padding: .65rem 1rem; list-style: none; display: block; border-radius: 9px; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--accent-soft); }
details[open] { box-shadow: 0 2px 12px rgb(0 0 0 / .06); margin-bottom: 1.2rem; }
details[open] > summary { border-bottom: 1px solid var(--line); border-radius: 9px 9px 0 0; }
summary h3 { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr) auto; gap: .5rem; align-items: baseline; font-size: 1rem; font-weight: 600; }
summary h3 span { font-family: ${MONO}; font-size: .9rem; overflow-wrap: anywhere; }
summary p { margin: .1rem 0 0 4.1rem; color: var(--quiet); font-size: .92rem; }
details > div { padding: .4rem 1.25rem 1rem; font-size: .925rem; }
details .note { margin: .2rem 0 .4rem; }
details ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
details ul li { padding: .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
details li { color: var(--quiet); font-size: .875rem; }
details li > b:first-child { font: 500 .875em ${MONO}; background: var(--code); border-radius: 4px; padding: .1em .35em; overflow-wrap: anywhere; color: var(--text); margin-right: .3rem; }
details li i { font-size: .8rem; margin-left: .3rem; }
details ul p { margin: .1rem 0 0; color: var(--quiet); font-size: .875rem; }
.must { color: var(--warn); font-style: normal; font-weight: 600; font-size: .8rem; margin-left: .35rem; }
.own { margin: .2rem 0; }
.own::after { content: "and those that many endpoints may answer"; color: var(--quiet); }
.codes a, .own a, td a, .lead a { text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
.codes a, .own a { font: .85em ${MONO}; }
.steps { padding-left: 1.2rem; margin: .3rem 0; }
.steps li { margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .45rem .9rem .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { border-top: 0; border-bottom: 1px solid var(--line); color: var(--quiet); font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; }
tbody th { font-weight: 400; }
tr:target, .event:target { background: var(--accent-soft); }
td > code, pre > code { background: none; padding: 0; }
tr[id] th { font: 600 .8rem/1.7 ${MONO}; }
tr[id] th i { font: 400 .72rem system-ui, sans-serif; color: var(--accent); background: var(--accent-soft); border-radius: 99px; padding: .05rem .45rem; white-space: nowrap; }
.ids th:first-child { width: 31%; } .ids th:nth-child(3) { width: 20%; } .ids th:nth-child(4) { width: 19%; }
.trs th:first-child { width: 21%; }
.rcs th:first-child { width: 33%; } .rcs th:nth-child(2) { width: 6.5rem; } .rcs th:nth-child(4) { width: 17%; }
.asm th:first-child { width: 6rem; } .scs th:first-child { width: 31%; }
.ers th:first-child { width: 26%; } .ers th:nth-child(2) { width: 8rem; }
.event { margin: 0 0 1.6rem; } .event h3 { font-size: 1rem; } .event p { margin: .2rem 0 .4rem; }
`;

const NARROW = `
@media (max-width: 56rem) {
  .layout { display: block; }
  .side { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); padding: 0 1.1rem 1.2rem; overflow: visible; }
  .side .name { padding: 1rem 0 .6rem; }
  .search kbd { display: none; }
  .calls { display: none; }
  nav { display: flex; flex-wrap: wrap; gap: .1rem .9rem; }
  nav ul:first-of-type { display: flex; flex-wrap: wrap; gap: 0 .9rem; }
  nav li a { padding: .15rem 0; color: var(--accent); }
  nav .group { margin: .15rem 0; padding: 0; font-size: .85rem; font-weight: 400; text-transform: none; letter-spacing: 0; color: var(--accent); }
  nav .group:first-child { display: none; }
  nav ul:first-of-type { width: 100%; font-weight: 600; }
  main { padding: 1.6rem 1.1rem 4rem; }
  h1 { font-size: 1.7rem; }
  summary h3 { grid-template-columns: auto 1fr; }
  summary h3 span { grid-column: 1 / -1; grid-row: 2; }
  summary .tag { justify-self: end; }
  summary p { margin-left: 0; }
  details > div { padding: .2rem 1rem .8rem; }
  thead { position: absolute; left: -999rem; }
  table, tbody, tr, th, td { display: block; width: auto !important; }
  tr { border-top: 1px solid var(--line); padding: .55rem 0; }
  th, td { border: 0; padding: .08rem 0; }
  .ids td:nth-child(3)::before { content: "Example: "; color: var(--quiet); }
  .ids td:nth-child(4)::before { content: "Masked: "; color: var(--quiet); }
  .rcs td:nth-child(4)::before { content: "Scopes: "; color: var(--quiet); }
}
@media (max-width: 30rem) {
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin: 0 0 .5rem; }
}
@media print { .side { display: none; } .layout { display: block; } }
`;

/** The style of the docs page. */
export const DOCS_STYLE = BASE_STYLE + CONTENTS + CONTENT + NARROW;
