/**
 * The URL of a proxied request (contract §3.3): the target, with path and query appended. Input that the URL standard
 * would silently drop or convert (tabs, backslashes, dot segments, empty user info) is refused, so that the checked and
 * called URL is the written one. The egress policy decides on schemes and hosts, not this module.
 */
import { PROXY_HEADERS } from '../../contract/facts/requests.ts';
import { headerRefusal } from './header-lines.ts';

export const TARGET_HEADER = PROXY_HEADERS.targetUrl;
export const PATH_HEADER = PROXY_HEADERS.pathAndQuery;

/** The limit of the whole URL, in its final form. */
const MAX_URL_CHARACTERS = 8192;
const OUTER_BLANK = /^\s|\s$/;
/** `.` or `..` between slashes, also percent-encoded, which the URL standard removes. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const WEB_SCHEME = /^https?:$/;
const WEB_AUTHORITY = /^https?:\/\/[^/?#]/i;
const AUTHORITY = /^[^/?#]*:\/\/([^/?#]*)/;

/**
 * Returns a URL with the target's origin, without user info and fragment. An empty `pathAndQuery` counts as none.
 * Throws `invalid_request` naming the invalid header.
 */
export function readTarget(target: string | undefined, pathAndQuery: string | undefined): URL {
  if (target === undefined || target === '') throw headerRefusal(TARGET_HEADER, 'is missing');
  const url = parseTarget(target);
  return pathAndQuery === undefined || pathAndQuery === ''
    ? withinLimit(url, TARGET_HEADER)
    : withinLimit(appended(target, url, pathAndQuery), PATH_HEADER);
}

function parseTarget(target: string): URL {
  refuseUnclear(TARGET_HEADER, target);
  if (AUTHORITY.exec(target)?.[1]?.includes('@')) throw headerRefusal(TARGET_HEADER, 'holds user info');
  const url = parse(target);
  if (url === undefined || (WEB_SCHEME.test(url.protocol) && !WEB_AUTHORITY.test(target))) {
    throw headerRefusal(TARGET_HEADER, 'is not an absolute URL');
  }
  return url;
}

function appended(target: string, url: URL, pathAndQuery: string): URL {
  refuseUnclear(PATH_HEADER, pathAndQuery);
  if (target.includes('?')) throw headerRefusal(TARGET_HEADER, `holds a query, beside ${PATH_HEADER}`);
  const base = target.endsWith('/') ? target.slice(0, -1) : target;
  const separator = /^[/?]/.test(pathAndQuery) ? '' : '/';
  const whole = parse(`${base}${separator}${pathAndQuery}`);
  if (whole === undefined || !isSameServer(whole, url)) {
    throw headerRefusal(PATH_HEADER, 'cannot be appended to the target');
  }
  return whole;
}

function refuseUnclear(header: string, text: string): void {
  if (OUTER_BLANK.test(text)) throw headerRefusal(header, 'begins or ends with a blank');
  if (text.includes('\\')) throw headerRefusal(header, 'holds a backslash');
  if (text.includes('#')) throw headerRefusal(header, 'holds a fragment');
  const [path = ''] = text.split('?', 1);
  if (DOT_SEGMENT.test(path)) throw headerRefusal(header, 'holds a dot segment, which would leave the path');
}

/** `origin` alone is not enough, since it is `null` for every non-web scheme. */
function isSameServer(one: URL, other: URL): boolean {
  return (
    one.protocol === other.protocol &&
    one.host === other.host &&
    one.username === other.username &&
    one.password === other.password
  );
}

function withinLimit(url: URL, header: string): URL {
  if (url.href.length <= MAX_URL_CHARACTERS) return url;
  throw headerRefusal(header, `makes a URL of more than ${MAX_URL_CHARACTERS} characters`);
}

/** Drops Node's error, which contains the text. */
function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
