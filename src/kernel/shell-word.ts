/** One word of sh that stands for `text`, bare where nothing in it is special. */
export function shWord(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
