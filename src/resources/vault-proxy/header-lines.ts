/**
 * The raw headers of a request by lower-case name, with the rules for reading them: a header with a single value must
 * not be repeated, and a control character in a used value is refused. A refusal names its header and never contains a
 * value or a cause.
 */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/ids.ts';

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
  return new ServiceError('invalid_request', `Header ${withoutCredentials(name)} ${what}`);
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
