/** Where the page goes at its end (contract §14). Pure. */
import type { StoredRequest } from '../onboardings/index.ts';

/** The `redirect_url` of the session with these in its query; null without one. */
export function redirectTo(request: StoredRequest, added: Readonly<Record<string, string>>): string | null {
  if (request.flow !== undefined || request.redirect_url === undefined) return null;
  const url = new URL(request.redirect_url);
  for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value);
  return url.href;
}
