/**
 * The headers of a request as they came, by lower-case name, and the rules that hold for reading any of them: one that
 * has a single value may not be given twice, and a control character in a value that is used is refused. A refusal
 * names its header and never holds a value, nor a cause.
 */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/redaction.ts';

/** The values of each header in the order they came; names in lower case. */
export type HeaderLines = ReadonlyMap<string, readonly string[]>;

/** `rawHeaders`: names and values in turn, as Node gives them; values are the bytes of the wire as latin1. */
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

/** `invalid_request` that names the header. */
export function headerRefusal(name: string, what: string): ServiceError {
  return new ServiceError('invalid_request', `Header ${withoutCredentials(name)} ${what}`);
}

const CONTROL = /\p{Cc}/u;
const BEYOND_LATIN1 = /[^\0-\xff]/;

/** The texts of a header that may be given several times. */
export function texts(lines: HeaderLines, name: string): string[] {
  return (lines.get(name) ?? []).map((value) => {
    const text = asText(value);
    if (CONTROL.test(text)) throw headerRefusal(name, 'holds a control character');
    return text;
  });
}

/** The text of a header that is given at most once. */
export function singleText(lines: HeaderLines, name: string): string | undefined {
  const [text, ...others] = texts(lines, name);
  if (others.length > 0) throw headerRefusal(name, 'is given more than once');
  return text;
}

/** UTF-8 when its bytes are that, else as it came. */
function asText(value: string): string {
  if (BEYOND_LATIN1.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
