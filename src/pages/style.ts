/** The style of the pages: system fonts, no images; colours meet WCAG AA in the light and the dark theme. */
import { createHash } from 'node:crypto';
import { pageFile } from './page-file.ts';

const LIGHT = `--page: #fbfbfa; --panel: #ffffff; --code: #f1f2f0; --line: #dcdfda; --text: #1b201d; --quiet: #566059;
    --accent: #0b6b57; --accent-soft: #e2f1ec; --warn: #8a4b00; --warn-soft: #fbeedb;
    --get: #0b5c8f; --post: #0b6b3a; --patch: #80500a; --put: #6a4a9c; --delete: #a32727;`;
const DARK = `--page: #121614; --panel: #1a1f1c; --code: #232a26; --line: #333c37; --text: #e6ebe7; --quiet: #a2aea7;
    --accent: #6cd3b6; --accent-soft: #1c3a32; --warn: #f0b865; --warn-soft: #3a2c14;
    --get: #7cc4f5; --post: #7ad9a0; --patch: #f0bf6c; --put: #c3a7f2; --delete: #ff9a94;`;
/** In addition, for pages with fields. */
const LIGHT_EDGES = '--edge: #8a938c; --refused: #fbeaea;';
const DARK_EDGES = '--edge: #75827b; --refused: #3b1f1f;';

/** Shared by all pages. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  ${LIGHT}
}
@media (prefers-color-scheme: dark) {
  :root {
    ${DARK}
  }
}
${pageFile('base.css')}`;

/** Shared by the pages that have the fields of `kyclone/form`. */
export const FORM_STYLE = `
:root { ${LIGHT_EDGES} }
@media (prefers-color-scheme: dark) { :root { ${DARK_EDGES} } }
${pageFile('form.css')}`;

/** The theme that an app chooses, which overrides the browser's preference. */
export const THEME_STYLE = `
:root[data-theme=light] { color-scheme: light; ${LIGHT} ${LIGHT_EDGES} }
:root[data-theme=dark] { color-scheme: dark; ${DARK} ${DARK_EDGES} }
`;

/** A source of a content security policy that admits this style or script, and no other. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
