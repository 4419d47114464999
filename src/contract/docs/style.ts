/** The page's whole look: system fonts, no image, no script; colours meet WCAG AA in light and in dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fbfbfa; --panel: #ffffff; --code: #f1f2f0; --line: #dcdfda; --text: #1b201d; --quiet: #566059;
  --accent: #0b6b57; --accent-soft: #e2f1ec; --warn: #8a4b00; --warn-soft: #fbeedb;
  --get: #0b5c8f; --post: #0b6b3a; --patch: #80500a; --put: #6a4a9c; --delete: #a32727;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121614; --panel: #1a1f1c; --code: #232a26; --line: #333c37; --text: #e6ebe7; --quiet: #a2aea7;
    --accent: #6cd3b6; --accent-soft: #1c3a32; --warn: #f0b865; --warn-soft: #3a2c14;
    --get: #7cc4f5; --post: #7ad9a0; --patch: #f0bf6c; --put: #c3a7f2; --delete: #ff9a94;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
code { background: var(--code); border-radius: 4px; padding: .1em .35em; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .85rem 1rem; overflow-x: auto; margin: .5rem 0 1rem; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--panel); padding: .5rem 1rem; z-index: 2; }
.layout { display: grid; grid-template-columns: 22rem minmax(0, 1fr); min-height: 100vh; }
.side { border-right: 1px solid var(--line); background: var(--panel); padding: 1.5rem 1rem 3rem 1.5rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; font-size: .875rem; }
.side .name { font-size: 1.35rem; font-weight: 700; letter-spacing: -.02em; margin: 0; }
.side .version { color: var(--quiet); margin: 0 0 1.25rem; }
.side .group { margin: 1.4rem 0 .35rem; }
.side .group a { font-size: .75rem; font-weight: 700; text-transform: uppercase; letter-spacing: .08em; color: var(--quiet); }
.side ul { list-style: none; margin: 0; padding: 0; }
.side a { display: flex; gap: .5rem; align-items: baseline; padding: .16rem .4rem; border-radius: 5px; color: var(--text); text-decoration: none; }
.side a:hover { background: var(--accent-soft); }
.side .path { overflow-wrap: anywhere; }
main { padding: 2.5rem 3rem 6rem; max-width: 68rem; }
main > section { margin-bottom: 3.5rem; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -.025em; margin: 0 0 .5rem; }
h2 { font-size: 1.45rem; letter-spacing: -.015em; margin: 0 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
main h2::first-letter { text-transform: uppercase; }
h3, h4 { margin: 0; }
h4 { font-size: .95rem; margin: 1.4rem 0 .4rem; }
h2.minor { font-size: 1.05rem; border: 0; padding: 0; margin: 1.75rem 0 .6rem; }
.lead { font-size: 1.1rem; color: var(--quiet); margin: 0 0 1.5rem; }
.note { color: var(--quiet); }
.method { font: 700 .72rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; flex: 0 0 3.4rem; letter-spacing: .02em; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .put { color: var(--put); } .delete { color: var(--delete); }
details.endpoint, details.shape { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 .6rem; }
details.endpoint > summary, details.shape > summary { cursor: pointer; padding: .7rem 1rem; list-style: none; display: block; }
details.endpoint > summary::-webkit-details-marker, details.shape > summary::-webkit-details-marker { display: none; }
details.endpoint > summary:hover { background: var(--accent-soft); border-radius: 10px; }
details.endpoint[open] > summary { border-bottom: 1px solid var(--line); border-radius: 10px 10px 0 0; }
summary h3 { display: flex; gap: .75rem; align-items: baseline; font-size: 1rem; font-weight: 600; }
summary h3 .method { font-size: .8rem; flex-basis: 3.8rem; }
summary .path { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92rem; overflow-wrap: anywhere; }
summary p { margin: .15rem 0 0 4.55rem; color: var(--quiet); font-size: .93rem; }
.body { padding: .4rem 1.25rem 1.25rem; scroll-margin-top: 6rem; }
.badge { font: 600 .72rem/1.4 system-ui, sans-serif; border: 1px solid var(--line); border-radius: 99px; padding: .05rem .55rem; color: var(--quiet); white-space: nowrap; margin-left: auto; }
.badge.deprecated { color: var(--warn); background: var(--warn-soft); border-color: transparent; }
.badge.stable { color: var(--accent); background: var(--accent-soft); border-color: transparent; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem; margin: .9rem 0 0; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; background: var(--code); white-space: nowrap; }
tbody th { font-weight: 400; }
td code, tbody th code { white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 5.5rem; }
td:last-child { min-width: 12rem; width: 40%; }
.must { color: var(--warn); font-weight: 600; white-space: nowrap; }
ul.assumed { padding-left: 1.2rem; margin: .3rem 0; }
@media (max-width: 60rem) {
  .layout { display: block; }
  .side nav .group + ul { display: none; }
  .side nav .group { margin: 0; }
  .side { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1.25rem; }
  main { padding: 1.5rem 1.25rem 4rem; }
  summary p { margin-left: 0; }
}
@media print { .side { display: none; } .layout { display: block; } }
`;
