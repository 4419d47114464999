/** The redirect at the end of a page (contract §14). Pure. */
/** The `redirect_url` with these parameters added; null without one. */
export function redirectTo(
  redirectUrl: string | undefined,
  added: Readonly<Record<string, string>>,
): string | null {
  if (redirectUrl === undefined) return null;
  const url = new URL(redirectUrl);
  for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value);
  return url.href;
}
