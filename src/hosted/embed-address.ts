/** Builds the address of a page of hosted flows, which an app opens in a frame or in its own window (contract §14). */
import { appearanceQuery } from './appearance.ts';
import type { Appearance } from './embed-appearance.ts';
import type { L10n } from './embed-language.ts';
import { languageOf, type Words } from './embed-words.ts';

export interface Opened {
  readonly page: string;
  readonly title: keyof Words;
  /** The pattern of its tokens, and their description for the error message. */
  readonly tokens: { readonly pattern: RegExp; readonly words: string };
  readonly isWithCamera: boolean;
}

export const ONBOARDING_PAGE: Opened = {
  page: '/hosted/onboarding',
  title: 'identity',
  tokens: { pattern: /^obtok_[0-9A-Za-z_]+$/, words: 'an obtok_…' },
  isWithCamera: true,
};

export const BANK_PAGE: Opened = {
  page: '/hosted/bank_link',
  title: 'bank',
  tokens: { pattern: /^(?:blit|obtok)_[0-9A-Za-z_]+$/, words: 'a blit_… or obtok_…' },
  isWithCamera: false,
};

export interface Addressed {
  readonly token: string;
  readonly baseUrl: string;
  readonly appearance?: Appearance | undefined;
  readonly l10n?: L10n | undefined;
}

/**
 * The token is in the fragment, so that it reaches no log; `query` precedes the appearance. Throws TypeError for an
 * invalid token, address or appearance.
 */
export function addressOf(
  { page, tokens }: Opened,
  { token, baseUrl, appearance = {}, l10n = {} }: Addressed,
  query: readonly [name: string, value: string][] = [],
): URL {
  if (!tokens.pattern.test(token)) throw new TypeError(`token must be ${tokens.words} of your server`);
  if (!/^https?:\/\//i.test(baseUrl)) throw new TypeError('baseUrl must be an address of http or https');
  const address = new URL(baseUrl);
  let path = address.pathname;
  while (path.endsWith('/')) path = path.slice(0, -1);
  address.pathname = path + page;
  const language = languageOf(l10n);
  address.search = new URLSearchParams([
    ...query,
    ...(language === 'en' ? [] : [['language', language] as [string, string]]),
    ...appearanceQuery(appearance),
  ]).toString();
  address.hash = token;
  return address;
}
