/**
 * Formats JSON text without parsing it, so that numbers, strings and members stay as written. Parsing and printing
 * would round 12345678901234567890, turn 1.10 into 1.1 and drop repeated members.
 */
import { attempt } from '../../kernel/attempt.ts';
import { isJson, jsonOf, stringEnd } from '../../kernel/text/json.ts';

/**
 * Deeper indentation is unreadable. For a text of brackets alone, its size would grow with the square of the depth.
 */
const DEEPEST = 64;

/** Indented for people; unchanged if it isn't JSON. */
export function indentedJson(text: string): string {
  if (!isJson(text)) return text;
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  for (const token of tokensOf(text)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth--;
    if (startsLine(before, token)) parts.push(`\n${'  '.repeat(depth)}`);
    parts.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth++;
    if (depth > DEEPEST) return text;
    before = token;
  }
  return parts.join('');
}

function startsLine(before: string, token: string): boolean {
  if (before === '{') return token !== '}';
  if (before === '[') return token !== ']';
  return before === ',' || (before !== '' && (token === '}' || token === ']'));
}

/** The parsed value of a text, if parsing loses nothing: printed again, it is the same text except for whitespace. */
export function losslessJson(text: string): { readonly value: unknown } | undefined {
  const value = jsonOf(text);
  // What is nested too deeply cannot be printed.
  const printed = value === undefined ? undefined : attempt(() => JSON.stringify(value));
  return printed !== undefined && printed === compact(text) ? { value } : undefined;
}

/** Removes whitespace. Different escapes of a string are treated as equal. */
function compact(text: string): string {
  const parts: string[] = [];
  for (const token of tokensOf(text)) {
    parts.push(token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token);
  }
  return parts.join('');
}

/** Yields brackets, commas, colons, and whole strings, numbers and names as written. The text must be JSON. */
function* tokensOf(text: string): Generator<string> {
  const other = /[^\s{}[\],:"]+/y;
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    let end = at + 1;
    if (character === '"') end = stringEnd(text, at);
    else if (!'{}[],:'.includes(character)) {
      other.lastIndex = at;
      end = other.test(text) ? other.lastIndex : end;
    }
    yield text.slice(at, end);
    at = end;
  }
}
