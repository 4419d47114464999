/**
 * The text without what stands at its end and is one of `letters`. A pattern such as `/_+$/` takes a time that grows
 * with the square of the text.
 */
export function withoutTrailing(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
