/**
 * The look of what is drawn into an app's page. A constructed style sheet works under every content security policy, and
 * without weight in its selectors each rule of the app precedes it.
 */
import { readableOn } from '../hosted/appearance.ts';
import type { Appearance } from '../hosted/embed-appearance.ts';

const RULES = `
:where(.kyclone-part) { box-sizing: border-box; color: var(--kyclone-text, inherit); font-family: var(--kyclone-font, inherit); }
:where(.kyclone-part) :where(*) { box-sizing: border-box; }
:where(.kyclone-panel) { overflow: auto; padding: 1.25rem; color: var(--kyclone-text, #1b201d); background: var(--kyclone-background, #ffffff); outline: none; }
:where(.kyclone-part h2) { margin: 0 0 1rem; font-size: 1.4rem; }
:where(.kyclone-part form, .kyclone-part .kyclone-form) { display: grid; gap: 1rem; }
:where(.kyclone-part .kyclone-label) { display: block; font-weight: 600; }
:where(.kyclone-part .kyclone-hint) { margin: .2rem 0; font-size: .9rem; }
:where(.kyclone-part .kyclone-error, .kyclone-part .kyclone-alert) { margin: .3rem 0 0; color: #a01c1c; overflow-wrap: anywhere; }
:where(.kyclone-part .kyclone-status) { margin: .5rem 0 0; }
:where(.kyclone-part input, .kyclone-part textarea, .kyclone-part select) { width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .7rem; font: inherit; color: inherit; background: inherit; border: 1px solid #70807a; border-radius: var(--kyclone-radius, 8px); }
:where(.kyclone-part .kyclone-actions) { display: flex; flex-wrap: wrap; gap: .75rem; }
:where(.kyclone-part button) { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: var(--kyclone-radius, 8px); cursor: pointer; }
:where(.kyclone-part .kyclone-primary) { color: var(--kyclone-on-accent, #ffffff); background: var(--kyclone-accent, #0b6b57); border-color: transparent; font-weight: 600; }
:where(.kyclone-part :focus-visible) { outline: 3px solid var(--kyclone-accent, #0b6b57); outline-offset: 2px; }
:where(.kyclone-shown) { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
:where(.kyclone-shown .kyclone-text) { overflow-wrap: anywhere; min-width: 0; }
`;

let sheet: CSSStyleSheet | undefined;

/** Makes the element a part of kyclone: with the rules above, and the colours of the app. */
export function dress(part: HTMLElement, appearance: Appearance): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  part.classList.add('kyclone-part');
  const { accent, background, text, radius, font } = appearance;
  const properties = {
    accent,
    'on-accent': accent === undefined ? undefined : readableOn(accent),
    background,
    text,
    radius: radius === undefined ? undefined : `${radius}px`,
    font,
  };
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) part.style.setProperty(`--kyclone-${name}`, value);
  }
}
