/**
 * The API key of a call must not reach its target. A request that would forward it, by mistake or on purpose, is
 * refused (contract §3.3, Content type sent).
 */
import { FORWARD_PREFIX } from '../../contract/facts/requests.ts';
import { headerLines, headerRefusal } from './header-lines.ts';
import { PATH_HEADER, TARGET_HEADER } from './proxy-target.ts';
import type { ProxyRequest } from './proxy-headers.ts';

/** Throws `invalid_request` naming the header. `secretKeyHeader`: the header for keys in the vocabulary. */
export function requireOwnKeyStays(
  { url, forwarded }: Pick<ProxyRequest, 'url' | 'forwarded'>,
  { rawHeaders, secretKeyHeader }: { rawHeaders: readonly string[]; secretKeyHeader: string },
): void {
  const lines = headerLines(rawHeaders);
  const keys = [
    ...(lines.get(secretKeyHeader) ?? []),
    ...(lines.get('authorization') ?? []).map(userNameOf),
  ].filter((key) => key !== '');
  const holdsKey = (text: string): boolean => keys.some((key) => text.includes(key));
  for (const [name, value] of Object.entries(forwarded)) {
    const header = FORWARD_PREFIX + name;
    if (name === secretKeyHeader) throw headerRefusal(header, 'has a name that may not be forwarded');
    if (holdsKey(value) || holdsKey(userNameOf(value))) throw headerRefusal(header, OWN_KEY);
  }
  if (holdsKey(url.href)) throw headerRefusal(`${TARGET_HEADER} or ${PATH_HEADER}`, OWN_KEY);
}

const OWN_KEY = 'holds the API key of this call, which is never forwarded';

/** The user name of Basic authentication; empty for any other text. */
function userNameOf(authorization: string): string {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  const decoded = Buffer.from(encoded ?? '', 'base64').toString('latin1');
  const colon = decoded.indexOf(':');
  return colon === -1 ? decoded : decoded.slice(0, colon);
}
