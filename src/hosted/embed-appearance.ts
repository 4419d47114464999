/** How an app has the page of a hosted flow look (contract §14). */

/** How the page looks. A value that isn't of its form is refused by name. */
export interface Appearance {
  /** What the browser prefers when left out. */
  readonly theme?: 'light' | 'dark';
  /** Colours as `#rrggbb`. Text on the accent is black or white, whichever can be read. */
  readonly accent?: string;
  readonly background?: string;
  readonly text?: string;
  /** Radius of the corners of fields and buttons, in pixels, 0 to 32. */
  readonly radius?: number;
  /** Names of fonts that the person's machine has, such as `Georgia, serif`. No font is loaded. */
  readonly font?: string;
}
