/**
 * Choices whose values carry words for the question that comes after them: an id, a blank, and what it is called. The
 * question is asked without the daemon, from the values alone.
 */
export function worded(id: string, words: string): string {
  return `${id} ${words}`;
}

export function idOf(value: string): string {
  return value.split(' ', 1)[0] ?? '';
}

export function wordsOf(value: string): string {
  const blank = value.indexOf(' ');
  return blank < 0 ? '' : value.slice(blank + 1);
}
