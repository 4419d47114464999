/** `text` as one word of sh; unquoted when no character in it is special to sh, bash or zsh. */
export function shWord(text: string): string {
  // zsh expands =ls to the path of ls.
  return /^(?!=)[\w:/.@%+=,-]+$/.test(text) ? text : shQuoted(text);
}

/** In single quotes: any text becomes one word of sh, bash and zsh. */
export function shQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `text` as one word of fish. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** `text` as one word of PowerShell, where typographic quotes also end a string. */
export function powershellQuoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
