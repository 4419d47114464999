/**
 * Reads and checks the headers of the vault proxy together (contract §3.3). A missing or malformed header is
 * `invalid_request` naming it; values never occur in a message or a cause.
 */
import {
  FORWARD_PREFIX,
  HTTP_METHODS,
  type HttpMethod,
  PROXY_HEADERS,
  REASON_HEADER,
} from '../../requests/facts.ts';
import { givenReason } from '../../../kernel/text/text.ts';
import {
  headerLines,
  type HeaderLines,
  headerRefusal,
  readForwarded,
  readForwardedContentType,
  singleText,
  texts,
} from './forwarded-headers.ts';
import { readClientIdentity, readPins } from './pem-header.ts';
import { defined } from '../../../kernel/defined.ts';
import { REASON_LIMIT } from '../../access-log/facts.ts';

const { targetUrl: TARGET_HEADER, pathAndQuery: PATH_HEADER } = PROXY_HEADERS;

export type ProxyRequest = ReturnType<typeof readProxyHeaders>;

/** `rawHeaders`: alternating names and values, as Node provides them. Throws `invalid_request`. */
export function readProxyHeaders(rawHeaders: readonly string[]) {
  const lines = headerLines(rawHeaders);
  const url = readTarget(singleText(lines, TARGET_HEADER), singleText(lines, PATH_HEADER));
  const client = readClientIdentity(lines, url);
  const method = readMethod(lines);
  return {
    /** The target with path and query, without user info and fragment. The egress policy checks its scheme. */
    url,
    method,
    sendsBody: method !== 'GET' && method !== 'HEAD',
    /** As sent; its existence is checked elsewhere. */
    fpId: readEntity(lines),
    /** Empty when none is given, or only blanks. */
    reason: readReason(lines, PROXY_HEADERS.accessReason),
    /** By lower-case name without the prefix; unchanged values, bytes as latin1. */
    forwarded: readForwarded(lines),
    tls: { pins: readPins(lines, url), ...defined({ client }) },
    /** Header lines as sent, each with one or more rules. */
    ingressRules: readIngressRules(lines),
  };
}

/** For `POST /vault_proxy/reflect`, which reads no other headers. Throws `invalid_request`. */
export function readReflectHeaders(rawHeaders: readonly string[]) {
  const lines = headerLines(rawHeaders);
  return {
    fpId: readEntity(lines),
    reason: readReason(lines, REASON_HEADER),
    contentType: readForwardedContentType(lines),
  };
}

function readMethod(lines: HeaderLines): HttpMethod {
  const given = singleText(lines, PROXY_HEADERS.method)?.toUpperCase();
  if (given === undefined) return 'POST';
  const method = HTTP_METHODS.find((known) => known === given);
  if (method === undefined)
    throw headerRefusal(PROXY_HEADERS.method, `must be one of ${HTTP_METHODS.join(', ')}`);
  return method;
}

const ENTITY = /^fp_[A-Za-z0-9_]+$/;

function readEntity(lines: HeaderLines): string | undefined {
  const fpId = singleText(lines, PROXY_HEADERS.entity);
  if (fpId !== undefined && !ENTITY.test(fpId)) {
    throw headerRefusal(PROXY_HEADERS.entity, 'must be fp_ and letters, digits or _');
  }
  return fpId;
}

function readReason(lines: HeaderLines, header: string): string {
  const reason = givenReason(singleText(lines, header)) ?? '';
  if (Array.from(reason).length > REASON_LIMIT) {
    throw headerRefusal(header, `is longer than ${REASON_LIMIT} characters`);
  }
  return reason;
}

const INGRESS_TYPE = /^(?:application\/)?json(?: *; *charset=(?:[\w-]+|"[\w-]+"))?$/i;

function readIngressRules(lines: HeaderLines): string[] {
  const rules = texts(lines, PROXY_HEADERS.ingressRule);
  const contentType = singleText(lines, PROXY_HEADERS.ingressContentType);
  if (contentType === undefined && rules.length > 0) {
    throw headerRefusal(
      PROXY_HEADERS.ingressContentType,
      `is missing: ${PROXY_HEADERS.ingressRule} needs it`,
    );
  }
  if (contentType !== undefined && !INGRESS_TYPE.test(contentType)) {
    throw headerRefusal(PROXY_HEADERS.ingressContentType, 'must be json');
  }
  return rules;
}

// The API key of a call must not reach its target. A request that would forward it, by mistake or on purpose, is
// refused (contract §3.3, Content type sent).

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

// The URL of a proxied request (contract §3.3): the target, with path and query appended. Input that the URL standard
// would silently drop or convert (tabs, backslashes, dot segments, empty user info) is refused, so that the checked and
// called URL is the written one. The egress policy decides on schemes and hosts, not this module.

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
