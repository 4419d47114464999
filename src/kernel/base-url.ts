/** A base URL as paths are put behind it: without the slashes it ends with. */
export function withoutLastSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end -= 1;
  return url.slice(0, end);
}
