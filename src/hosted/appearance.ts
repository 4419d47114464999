/**
 * The appearance that an app chooses for the page (contract §14). It is part of the query of the address and is checked
 * on both sides: the app's module refuses invalid values, and the page ignores them.
 */
import type { Appearance } from './embed-appearance.ts';

const COLOUR = /^#[0-9a-fA-F]{6}$/;
/** Letters, digits, blanks, commas, hyphens and quotes: nothing that could end a declaration or load a resource. */
const FONT = /^[A-Za-z0-9 ,'"-]{1,200}$/;
const WIDEST_RADIUS_PX = 32;
const LONGEST_NAME = 60;
/** A query is a part of the head of a request, which must not be long. */
const LONGEST_LOGO = 8000;
const LOGO = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/;

const isColour = (value: unknown): boolean => typeof value === 'string' && COLOUR.test(value);

type Rule = readonly [isFit: (value: unknown) => boolean, words: string];

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longest;

const COLOUR_RULE: Rule = [isColour, 'must be a colour such as #0b6b57'];

const RULES: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    name: [(value) => isText(value, LONGEST_NAME), `must be a text of 1 to ${LONGEST_NAME} characters`],
    logo: [
      (value) => isText(value, LONGEST_LOGO) && LOGO.test(value),
      `must be a picture as data:image/… of at most ${LONGEST_LOGO} characters`,
    ],
    theme: [(value) => value === 'light' || value === 'dark', 'must be light or dark'],
    accent: COLOUR_RULE,
    background: COLOUR_RULE,
    text: COLOUR_RULE,
    radius: [
      (value) =>
        typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= WIDEST_RADIUS_PX,
      `must be a whole number of pixels from 0 to ${WIDEST_RADIUS_PX}`,
    ],
    font: [
      (value) => typeof value === 'string' && FONT.test(value),
      'must be names of fonts, such as Georgia, serif',
    ],
  } satisfies Record<keyof Appearance, Rule>),
);

/** The appearance as query parameters. Throws TypeError for an unknown member or an invalid value. */
export function appearanceQuery(appearance: Appearance): [string, string][] {
  return Object.entries(appearance)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const rule = RULES.get(name);
      if (!rule) throw new TypeError(`appearance has no ${name}: it has ${[...RULES.keys()].join(', ')}`);
      const [isFit, words] = rule;
      if (!isFit(value)) throw new TypeError(`appearance.${name} ${words}`);
      return [name, String(value)];
    });
}

/** The valid part of an appearance in a query. */
export function appearanceOf(query: URLSearchParams): Appearance {
  const found = [...RULES].flatMap(([name, [isFit]]) => {
    const text = query.get(name);
    const value = name === 'radius' && text !== null && /^\d{1,2}$/.test(text) ? Number(text) : text;
    return text !== null && isFit(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The part of the root element that is set. */
export interface PaintedAppearance {
  readonly dataset: Record<string, string | undefined>;
  readonly style: { setProperty(name: string, value: string): void };
}

/** Sets the CSS properties that the page's style uses. */
export function applyAppearance(root: PaintedAppearance, appearance: Appearance): void {
  const { theme, accent, background, text, radius, font } = appearance;
  if (theme !== undefined) root.dataset['theme'] = theme;
  const properties: Readonly<Record<string, string | undefined>> = {
    '--accent': accent,
    '--on-accent': accent === undefined ? undefined : readableOn(accent),
    '--page': background,
    '--panel': background,
    '--text': text,
    '--quiet': text,
    '--radius': radius === undefined ? undefined : `${radius}px`,
    '--font': font,
  };
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) root.style.setProperty(name, value);
  }
}

/** Black or white, whichever has more contrast on a colour `#rrggbb` (WCAG 2.2, relative luminance). */
export function readableOn(colour: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff';
}
