/** How an app styles the page of a hosted flow (contract §14). */

/** The appearance of the page. The error for an invalid value names it. */
export interface Appearance {
  /** Your app's name, shown on the page; at most 60 characters. */
  readonly name?: string;
  /** Your app's logo: a picture as an address `data:image/…`, at most 8,000 characters. Nothing is loaded. */
  readonly logo?: string;
  /** Defaults to the browser's preference. */
  readonly theme?: 'light' | 'dark';
  /** Colours as `#rrggbb`. Text on the accent is black or white, whichever is more readable. */
  readonly accent?: string;
  readonly background?: string;
  readonly text?: string;
  /** Radius of the corners of fields and buttons, in pixels, 0 to 32. */
  readonly radius?: number;
  /** Names of installed fonts, such as `Georgia, serif`. No font is loaded. */
  readonly font?: string;
}
