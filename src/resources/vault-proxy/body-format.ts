/**
 * What a value may not contain where the proxy inserts it unescaped (contract §3.3, Escaping). The author of the
 * template is responsible there; the explanation of the call says which values hold such characters. Pure.
 */
import { jsonText } from '../../kernel/exact-number.ts';
import { isJson, type JsonValue } from '../../kernel/json.ts';
import { StreamedText } from '../../kernel/streamed-text.ts';
import type { TokenContext } from './escaping.ts';

interface BodyFormat {
  readonly name: string;
  readonly type: RegExp;
  /** A body of this format that is sent as plain text; undefined when the beginning doesn't show it. */
  readonly look?: RegExp;
  /** Characters with a meaning in it. */
  readonly syntax: RegExp;
  readonly remedy: string;
}

const PLAIN = /^(?:$|text\/plain|application\/octet-stream)/;
const REPLACE = "escape them in the token, as with replace('&', '&amp;')";

/** The first that fits counts. */
const FORMATS: readonly BodyFormat[] = [
  {
    name: 'XML or HTML',
    type: /xml|html|soap/,
    look: /^\s*</,
    syntax: /[<>"']|&(?!(?:[a-z]{1,8}|#[0-9a-f]{1,8}|#x[0-9a-f]{1,8});)/i,
    remedy: "escape them in the token, as with | replace('&', '&amp;') | replace('<', '&lt;')",
  },
  {
    name: 'JSON',
    type: /json/,
    // JSON never begins with the braces of a token.
    look: /^\s*(?:\[|\{(?!\{))/,
    syntax: /["\\\u0000-\u001f]/,
    remedy: 'x-fp-proxy-fwd-content-type with application/json or a +json type escapes them',
  },
  {
    name: 'CSV',
    type: /csv|tab-separated/,
    syntax: /[",;\t\r\n]/,
    remedy: `double the quotes and wrap the value, as with | replace('"', '""') | wrap_quotes`,
  },
  { name: 'YAML', type: /yaml/, syntax: /[:#"'\\{}[\],&*!|>%@`\r\n]/, remedy: REPLACE },
  { name: 'multipart', type: /^multipart\//, look: /^--\S/, syntax: /[\r\n]/, remedy: REPLACE },
  {
    name: 'a form',
    type: /^$/,
    look: /^[\w.[\]%+-]+=/,
    syntax: /[&=+%#]/,
    remedy: 'x-fp-proxy-fwd-content-type: application/x-www-form-urlencoded escapes them',
  },
];
const OTHER: Omit<BodyFormat, 'type'> = {
  name: 'this content type',
  syntax: /["'\\<>&\r\n]/,
  remedy: REPLACE,
};

/** In UTF-8, read as latin1. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** The format of a body by its type, or by its beginning if it is sent as plain text; undefined for plain text. */
export function formatOf(
  contentType: string | undefined,
  template: string,
): Omit<BodyFormat, 'type'> | undefined {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const beginning = template.replace(BYTE_ORDER_MARK, '');
  if (PLAIN.test(mediaType)) return FORMATS.find(({ look }) => look?.test(beginning));
  return FORMATS.find(({ type }) => type.test(mediaType)) ?? OTHER;
}

/**
 * Whether a value at this place is inserted unescaped and could be read as more than a value. `isWrapped`: its last
 * transform was `wrap_quotes`, so its outer quotes are meant.
 */
export function breaksOut(
  value: JsonValue | StreamedText,
  place: TokenContext,
  { format, isWrapped }: { format: Pick<BodyFormat, 'name' | 'syntax'> | undefined; isWrapped: boolean },
): boolean {
  if (value instanceof StreamedText) return false;
  // Between the strings of a JSON body, anything but one JSON value breaks the body.
  if (place === 'json') return typeof value === 'string' && !isWrapped && !isJson(value);
  if (place !== 'none' || !format) return false;
  if (typeof value !== 'string') return format.name !== 'JSON' && format.syntax.test(jsonText(value));
  if (!isWrapped) return format.syntax.test(value);
  const inner = value.slice(1, -1);
  return format.name === 'CSV' ? inner.replaceAll('""', '').includes('"') : format.syntax.test(inner);
}
