/**
 * JSON numbers whose text JavaScript would change, such as 1e21, 1.0 and integers of twenty digits. A custom value
 * keeps them (contract §1.4). They pass as values that `JSON.stringify` writes as a mark, which `jsonText` removes.
 */
import { randomBytes } from 'node:crypto';
import { stringEnd } from './json-scan.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** Random, so that no text from outside can have it. */
const SECRET = randomBytes(18).toString('hex');
const MARK = `number ${SECRET} `;
const MARKED = /"?number ([\da-f]{36}) ([-+.\dEe]+)"?/g;

export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return MARK + this.text;
  }
}

/** A text without any of these has no such number. */
const MAY_CHANGE = /\d{16}|\d[.Ee]|-0/;
const STRING_OR_NUMBER = /"|-?\d[-+.\dEe]*/g;

/**
 * As `JSON.parse`, with each number that it would change as an ExactNumber; the numbers of a text that is nested too
 * deeply for that are as `JSON.parse` has them. Throws SyntaxError.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (!MAY_CHANGE.test(text)) return value;
  const pieces: string[] = [];
  let copied = 0;
  STRING_OR_NUMBER.lastIndex = 0;
  for (let found = STRING_OR_NUMBER.exec(text); found; found = STRING_OR_NUMBER.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') STRING_OR_NUMBER.lastIndex = stringEnd(text, index);
    else if (String(Number(token)) !== token) {
      pieces.push(text.slice(copied, index), `"${MARK}${token}"`);
      copied = index + token.length;
    }
  }
  if (copied === 0) return value;
  try {
    return JSON.parse(pieces.join('') + text.slice(copied), (_, member: unknown) =>
      typeof member === 'string' && member.startsWith(MARK)
        ? new ExactNumber(member.slice(MARK.length))
        : member,
    ) as JsonValue;
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
}

/** As `JSON.stringify`, with the text of each ExactNumber. The value must not be undefined. */
export function jsonText(value: unknown, indentation?: number): string {
  return withoutMarks(JSON.stringify(value, undefined, indentation));
}

/** The text, with numbers in place of what `JSON.stringify` wrote for each ExactNumber. */
export function withoutMarks(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (found, secret: string, number: string) =>
    secret === SECRET ? number : found,
  );
}

/** How deep in a body the identifiers of a vault may stand: `{"data": {"custom.x": 1}}`. */
const LEVELS = 3;

/** Names may be written with escapes. */
const MAY_NAME_CUSTOM = /"custom\.|\\u/;

/** The body that was parsed from `text`, with the custom values of a vault as they are written there. */
export function withExactCustomValues(body: unknown, text: string): unknown {
  if (MAY_NAME_CUSTOM.test(text) && MAY_CHANGE.test(text)) takeCustom(body, parseJson(text), LEVELS);
  return body;
}

function takeCustom(body: unknown, exact: unknown, levels: number): void {
  if (!isJsonObject(body) || !isJsonObject(exact)) return;
  for (const [name, value] of Object.entries(exact)) {
    if (name.startsWith('custom.')) body[name] = value;
    else if (levels > 1) takeCustom(body[name], value, levels - 1);
  }
}
