/**
 * Where a proxied request goes (contract §3.3): the target, with path and query appended. What the URL standard would
 * drop or turn into something else without a word (tabs, backslashes, dot segments, empty user info) is refused, so
 * that the URL that is judged and called is the one that was written. Which schemes and hosts may be called is for the
 * egress policy to say, not for this.
 */
import { PROXY_HEADERS } from '../../contract/facts/requests.ts';
import { headerRefusal } from './header-lines.ts';

export const TARGET_HEADER = PROXY_HEADERS.targetUrl;
export const PATH_HEADER = PROXY_HEADERS.pathAndQuery;

/** The limit of the whole URL, in the form it is called by. */
const MAX_URL_CHARACTERS = 8192;
const OUTER_BLANK = /^\s|\s$/;
/** `.` or `..` between slashes, percent-encoded too: the URL standard folds them away. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const WEB_SCHEME = /^https?:$/;
const WEB_AUTHORITY = /^https?:\/\/[^/?#]/i;
const AUTHORITY = /^[^/?#]*:\/\/([^/?#]*)/;

/**
 * Promises a URL of the target's origin, without user info and fragment. An empty `pathAndQuery` is as none.
 * Throws `invalid_request`, naming the header that is at fault.
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

/** Not by `origin` alone, which is `null` for every scheme that isn't of the web. */
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

/** Node's failure isn't kept: it holds the text. */
function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
