/** What all kinds need of the options: the address, the language, and the element for them. */
import type { Appearance as PageAppearance } from '../hosted/embed-appearance.ts';
import type { L10n } from '../hosted/embed-language.ts';
import { languageOf, wordsIn, type Words } from '../hosted/embed-words.ts';
import { pageAppearance } from './appearance.ts';
import { currentBaseUrl } from './base-url.ts';
import type { CommonOptions } from './options.ts';

export interface Setting {
  readonly baseUrl: string;
  readonly appearance: PageAppearance;
  readonly l10n: L10n;
  readonly words: Words;
}

/** Read at each `render`, so that `configure` may come after `init`. */
export function settingOf({ appearance = {}, l10n = {} }: CommonOptions): Setting {
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
