import { UsageError } from '../failure.ts';

/** The URLs of `--forward-to`, `http://` before those without a scheme. Throws UsageError; a URL is not repeated. */
export function forwardUrls(texts: readonly string[]): string[] {
  const urls = texts.map((text) => (/^https?:\/\//i.test(text) ? text : `http://${text}`));
  if (urls.some((url) => /^http:\/\/[a-z][a-z0-9+.-]*:\/\//i.test(url) || !URL.canParse(url))) {
    throw new UsageError('--forward-to takes an http or https URL', 'such as http://localhost:3000/hooks');
  }
  const distinct = new Set(urls.map((url) => new URL(url).href));
  if (distinct.size < urls.length) throw new UsageError('--forward-to has the same URL twice');
  return urls;
}
