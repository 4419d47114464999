/** What all kinds need of the options: the address, the language, the element for them, and their look. */
import { appearanceQuery, readableOn } from '../hosted/appearance.ts';
import type { Appearance as PageAppearance } from '../hosted/embed-appearance.ts';
import { languageOf, wordsIn } from '../hosted/embed-words.ts';
import { currentBaseUrl } from './base-url.ts';
import type { CommonOptions, Appearance } from './options.ts';

/** Read at each `render`, so that `configure` may come after `init`. */
export function settingOf({ appearance = {}, l10n = {} }: CommonOptions) {
  return {
    baseUrl: currentBaseUrl(),
    appearance: pageAppearance(appearance),
    l10n,
    words: wordsIn(languageOf(l10n)),
  };
}

/** Throws for a page without the element. */
export function containerOf({ containerId }: CommonOptions): HTMLElement {
  if (containerId === undefined)
    throw new TypeError('containerId is missing: the id of an element of the page');
  const found = document.getElementById(containerId);
  if (!found) throw new TypeError(`containerId: the page has no element with the id ${containerId}`);
  return found;
}

// Translates the settings that apps give the service's own components to those of kyclone's pages. An app must not break
// because of a colour, so what has no counterpart is ignored with one warning.

type SettingName = keyof PageAppearance;

const VARIABLES: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ['accent', 'accent'],
  ['colorAccent', 'accent'],
  ['buttonPrimaryBg', 'accent'],
  ['background', 'background'],
  ['dialogBg', 'background'],
  ['text', 'text'],
  ['labelColor', 'text'],
  ['radius', 'radius'],
  ['borderRadius', 'radius'],
  ['buttonBorderRadius', 'radius'],
  ['inputBorderRadius', 'radius'],
  ['font', 'font'],
  ['fontFamily', 'font'],
]);

/** Declarations of `rules`, as `selector.property`. */
const RULES: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ['button.backgroundColor', 'accent'],
  ['button.background', 'accent'],
  ['button.borderRadius', 'radius'],
  ['input.borderRadius', 'radius'],
  ['label.color', 'text'],
]);

/** The settings of the page. Warns once of all that are ignored. */
function pageAppearance({
  theme,
  name,
  logo,
  variables = {},
  rules = {},
  ...more
}: Appearance): PageAppearance {
  const given: [name: string, setting: SettingName | undefined, value: unknown][] = [
    ['theme', 'theme', theme],
    ['name', 'name', name],
    ['logo', 'logo', logo],
    ...Object.entries(variables).map(([name, value]): (typeof given)[number] => [
      `variables.${name}`,
      VARIABLES.get(name),
      value,
    ]),
    ...Object.entries(rules).flatMap(([selector, declarations = {}]) =>
      Object.entries(declarations).map(([property, value]): (typeof given)[number] => [
        `rules.${selector}.${property}`,
        RULES.get(`${selector}.${property}`),
        value,
      ]),
    ),
    ...Object.entries(more).map(([name, value]): (typeof given)[number] => [name, undefined, value]),
  ];
  const found = new Map<SettingName, unknown>();
  const ignored: string[] = [];
  for (const [name, setting, value] of given) {
    if (value === undefined) continue;
    const converted = setting && convert(setting, value);
    if (setting === undefined || !isFit(setting, converted)) ignored.push(name);
    else if (!found.has(setting)) found.set(setting, converted);
  }
  // eslint-disable-next-line no-console -- for the developer of the app; nothing of the person is in it
  if (ignored.length > 0) console.warn(`kyclone: the appearance has no effect for ${ignored.join(', ')}`);
  return Object.fromEntries(found);
}

function convert(setting: SettingName, value: unknown): string | number | undefined {
  switch (setting) {
    case 'theme':
    case 'name':
    case 'logo':
      return String(value);
    case 'radius':
      return pixels(value);
    case 'font':
      return String(value).replace(/[^A-Za-z0-9 ,'"-]/g, '');
    default:
      return colour(String(value));
  }
}

function pixels(value: unknown): number | undefined {
  const [, number, unit = 'px'] = /^(\d+(?:\.\d+)?)(px|rem|em)?$/.exec(String(value)) ?? [];
  if (number === undefined) return undefined;
  return Math.min(32, Math.round(Number(number) * (unit === 'px' ? 1 : 16)));
}

/** As `#rrggbb`; undefined for what is no opaque colour. The browser knows names and functions of colours. */
function colour(value: string): string | undefined {
  const context = document.createElement('canvas').getContext('2d');
  if (!context || !CSS.supports('color', value)) return undefined;
  context.fillStyle = value;
  return /^#[0-9a-f]{6}$/.test(context.fillStyle) ? context.fillStyle : undefined;
}

function isFit(name: SettingName, value: unknown): boolean {
  try {
    return appearanceQuery({ [name]: value }).length > 0;
  } catch {
    return false;
  }
}

// The look of what is drawn into an app's page. A constructed style sheet works under every content security policy, and
// without weight in its selectors each rule of the app precedes it.

const STYLE_RULES = `
:where(.kyclone-part) { box-sizing: border-box; color: var(--kyclone-text, inherit); font-family: var(--kyclone-font, inherit); overflow-wrap: anywhere; }
:where(.kyclone-part) :where(*) { box-sizing: border-box; }
:where(.kyclone-panel) { overflow: auto; padding: 1.25rem; color: var(--kyclone-text, #1b201d); background: var(--kyclone-background, #ffffff); outline: none; }
:where(.kyclone-part h2) { margin: 0 0 1rem; font-size: 1.4rem; }
:where(.kyclone-part form, .kyclone-part .kyclone-form) { display: grid; gap: 1rem; }
:where(.kyclone-part .kyclone-label) { display: block; font-weight: 600; }
:where(.kyclone-part .kyclone-hint) { margin: .2rem 0; font-size: .9rem; }
:where(.kyclone-part .kyclone-error, .kyclone-part .kyclone-alert) { margin: .3rem 0 0; color: #a01c1c; }
:where(.kyclone-part .kyclone-status) { margin: .5rem 0 0; }
:where(.kyclone-part input, .kyclone-part textarea, .kyclone-part select) { width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .7rem; font: inherit; color: inherit; background: inherit; border: 1px solid #70807a; border-radius: var(--kyclone-radius, 8px); }
:where(.kyclone-part .kyclone-actions) { display: flex; flex-wrap: wrap; gap: .75rem; }
:where(.kyclone-part button) { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: var(--kyclone-radius, 8px); cursor: pointer; overflow-wrap: normal; }
:where(.kyclone-part .kyclone-primary) { color: var(--kyclone-on-accent, #ffffff); background: var(--kyclone-accent, #0b6b57); border-color: transparent; font-weight: 600; }
:where(.kyclone-part :focus-visible) { outline: 3px solid var(--kyclone-accent, #0b6b57); outline-offset: 2px; }
:where(.kyclone-shown) { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
:where(.kyclone-shown .kyclone-text) { min-width: 0; }
`;

let sheet: CSSStyleSheet | undefined;

/** Makes the element a part of kyclone: with the rules above, and the colours of the app. */
export function dress(part: HTMLElement, appearance: PageAppearance): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE_RULES);
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
