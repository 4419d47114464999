/** How an app styles the page of a hosted flow (contract §14). */

/** The appearance of the page. The error for an invalid value names it. */
export interface Appearance {
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
