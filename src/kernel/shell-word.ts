/** One word of sh that stands for `text`, bare where nothing in it is special to sh, bash or zsh. */
export function shWord(text: string): string {
  // zsh would take =ls for where ls is.
  return /^(?!=)[\w:/.@%+=,-]+$/.test(text) ? text : shQuoted(text);
}

export function shQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
