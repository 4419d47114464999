/** A base URL without its trailing slashes, so that a path can be appended. */
export function withoutLastSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end -= 1;
  return url.slice(0, end);
}
