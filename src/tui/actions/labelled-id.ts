/**
 * Choices whose values also carry their words: an id, a space and the name. The question after the form is built from
 * the values alone, without the daemon.
 */
export function labelledId(id: string, words: string): string {
  return `${id} ${words}`;
}

export function idOf(value: string): string {
  return value.split(' ', 1)[0] ?? '';
}

export function wordsOf(value: string): string {
  const blank = value.indexOf(' ');
  return blank < 0 ? '' : value.slice(blank + 1);
}
