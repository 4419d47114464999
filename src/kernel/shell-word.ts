/** One word of sh that stands for `text`, bare where nothing in it is special to sh, bash or zsh. */
export function shWord(text: string): string {
  // zsh would take =ls for where ls is.
  return /^(?!=)[\w:/.@%+=,-]+$/.test(text) ? text : shQuoted(text);
}

/** In single quotes: any text is one word of sh, bash and zsh. */
export function shQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** One word of fish that stands for `text`. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** One word of PowerShell that stands for `text`; the typographic quotes end a text there, too. */
export function powershellQuoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
