/** A word that the user can type, with its meaning. */
export interface Word {
  readonly word: string;
  readonly summary: string;
}
