/**
 * Selects the caller's headers for the target (contract §3.3): those with the prefix, without it. Everything else is
 * not forwarded: the caller's credentials, cookies and content type, and all `x-fp-*` and `x-kyclone-*`. Names that
 * govern the connection or the length of the message, and those of the service itself, are refused even with the
 * prefix.
 */
import { isUtf8 } from 'node:buffer';
import { FORWARD_PREFIX } from '../../requests/facts.ts';
import { withoutCredentials } from '../../../kernel/ids/ids.ts';
import { defined } from '../../../kernel/defined.ts';
import { type ServiceError, invalid } from '../../../kernel/errors.ts';

const CONTENT_TYPE = 'content-type';

const REFUSED_NAMES: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);
const REFUSED_PREFIXES: readonly string[] = ['proxy-', 'x-fp-', 'x-kyclone-'];
/** An HTTP token in lower case. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Characters that are invalid in a header value; tabs are valid. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** The start of a content type: type and subtype, and parameters only after a semicolon. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+[\t ]*(?:;|$)/;

/** Sent unless a forwarded header has the same name. */
const DEFAULTS = {
  accept: '*/*',
  'accept-encoding': 'identity',
  'user-agent': 'service-vault-proxy/1',
} as const;

/**
 * By lower-case name without the prefix, with unchanged values. Repeated headers are joined as in HTTP. The content
 * type determines the escaping of vaulted values, so it must be valid and not repeated.
 */
export function readForwarded(lines: HeaderLines): Record<string, string> {
  const forwarded: [string, string][] = [];
  for (const [header, values] of lines) {
    if (!header.startsWith(FORWARD_PREFIX)) continue;
    const name = header.slice(FORWARD_PREFIX.length);
    refuseName(header, name);
    forwarded.push([name, joined(header, name, values)]);
  }
  return Object.fromEntries(forwarded);
}

/** Reads `x-fp-proxy-fwd-content-type` as `readForwarded` does. */
export function readForwardedContentType(lines: HeaderLines): string | undefined {
  const header = `${FORWARD_PREFIX}${CONTENT_TYPE}`;
  const values = lines.get(header);
  return values === undefined ? undefined : joined(header, CONTENT_TYPE, values);
}

function refuseName(header: string, name: string): void {
  if (name === '') throw headerRefusal(FORWARD_PREFIX, 'has no name after its prefix');
  if (!NAME.test(name)) throw headerRefusal(`${FORWARD_PREFIX}<NAME>`, 'has a name that HTTP does not allow');
  if (!mayForward(name)) throw headerRefusal(header, 'has a name that may not be forwarded');
}

function mayForward(name: string): boolean {
  return (
    NAME.test(name) && !REFUSED_NAMES.has(name) && !REFUSED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

function joined(header: string, name: string, values: readonly string[]): string {
  if (values.some((value) => NOT_IN_VALUE.test(value))) {
    throw headerRefusal(header, 'holds a character that may not be in a header');
  }
  if (name !== CONTENT_TYPE) return values.join(name === 'cookie' ? '; ' : ', ');
  const [contentType = '', ...others] = values;
  if (others.length > 0) throw headerRefusal(header, 'is given more than once');
  if (!MEDIA_TYPE.test(contentType)) throw headerRefusal(header, 'must be a media type, as application/json');
  return contentType;
}

/**
 * Names for an explanation, without duplicates; never throws. `forwarded`: the caller's headers sent to the target.
 * `refused`: must not be forwarded. `stripped`: the caller's own headers that are not forwarded.
 */
export function headerNotes(rawHeaders: readonly string[]): {
  forwarded: string[];
  refused: string[];
  stripped: string[];
} {
  const notes = { forwarded: [] as string[], refused: [] as string[], stripped: [] as string[] };
  for (const header of headerLines(rawHeaders).keys()) {
    const name = header.slice(FORWARD_PREFIX.length);
    if (!header.startsWith(FORWARD_PREFIX)) notes.stripped.push(withoutCredentials(header));
    else if (mayForward(name)) notes.forwarded.push(withoutCredentials(name));
    else notes.refused.push(withoutCredentials(name === '' ? header : name));
  }
  return notes;
}

/**
 * All headers for the target except host, content-length and connection, which `outbound` sets. The given content type
 * overrides `forwarded`; undefined sends none.
 */
export function outgoingHeaders(
  forwarded: Readonly<Record<string, string>>,
  contentType: string | undefined,
): Record<string, string> {
  const others = Object.entries(forwarded).filter(([name]) => name !== CONTENT_TYPE);
  return { ...DEFAULTS, ...Object.fromEntries(others), ...defined({ [CONTENT_TYPE]: contentType }) };
}

// The raw headers of a request by lower-case name, with the rules for reading them: a header with a single value must
// not be repeated, and a control character in a used value is refused. A refusal names its header and never contains a
// value or a cause.

/** The values of each header in order; names in lower case. */
export type HeaderLines = ReadonlyMap<string, readonly string[]>;

/** `rawHeaders`: alternating names and values, as Node provides them; values are the bytes on the wire as latin1. */
export function headerLines(rawHeaders: readonly string[]): HeaderLines {
  const lines = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    const values = lines.get(key);
    if (values === undefined) lines.set(key, [value]);
    else values.push(value);
  }
  return lines;
}

/** `invalid_request` naming the header. */
export function headerRefusal(name: string, what: string): ServiceError {
  return invalid(`Header ${withoutCredentials(name)} ${what}`);
}

const CONTROL = /\p{Cc}/u;
const BEYOND_LATIN1 = /[^\0-\xff]/;

/** The texts of a header that may be repeated. */
export function texts(lines: HeaderLines, name: string): string[] {
  return (lines.get(name) ?? []).map((value) => {
    const text = asText(value);
    if (CONTROL.test(text)) throw headerRefusal(name, 'holds a control character');
    return text;
  });
}

/** The text of a header that may occur once. */
export function singleText(lines: HeaderLines, name: string): string | undefined {
  const [text, ...others] = texts(lines, name);
  if (others.length > 0) throw headerRefusal(name, 'is given more than once');
  return text;
}

/** Decoded as UTF-8 if it is valid, otherwise unchanged. */
function asText(value: string): string {
  if (BEYOND_LATIN1.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
