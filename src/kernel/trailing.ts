/**
 * Removes trailing characters that are in `letters`. A pattern such as `/_+$/` would take time quadratic in the length
 * of the text.
 */
export function withoutTrailing(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
