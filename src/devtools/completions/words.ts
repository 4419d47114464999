/** What can be typed, and what it means. */
export interface Word {
  readonly word: string;
  readonly summary: string;
}
