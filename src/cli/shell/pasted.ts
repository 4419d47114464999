/** A character that comes with a pasted id and is no part of it. */
const AROUND = /^[\s"'`“”„‘’‚«»,;()[\]{}<>\u200b\ufeff]$/u;

/** The text without quotes, commas, brackets and blanks around it. */
export function unwrapped(text: string): string {
  const isAround = (at: number) => AROUND.test(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isAround(start)) start += 1;
  while (start < end && isAround(end - 1)) end -= 1;
  return text.slice(start, end);
}
