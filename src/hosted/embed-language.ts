/** How an app chooses the language of the page and of the module (contract §14). */

/** The languages of the page. */
export type Language = 'en' | 'es';

export interface L10n {
  /** Such as `en-US` or `es-MX`; `language` precedes it. */
  readonly locale?: string;
  readonly language?: Language;
}
