/**
 * JSON as a text whose numbers, texts and members stay as they were written: parsing it and writing it again would round
 * 12345678901234567890, make 1.10 of 1.1 and leave out members that come twice.
 */

/** Deeper indentation helps nobody, and grows with the square of a text of brackets alone. */
const DEEPEST = 64;

/** Indented for people; as it came when it isn't JSON. */
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

/** What JSON.parse makes of a text, when nothing is lost by it: written again, it is the same text but for blanks. */
export function losslessJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return JSON.stringify(value) === compact(text) ? { value } : undefined;
  } catch {
    // No JSON, or nested too deep to be written.
    return undefined;
  }
}

/** Without blanks. An escape in a string means the same however it is written. */
function compact(text: string): string {
  const parts: string[] = [];
  for (const token of tokensOf(text)) {
    parts.push(token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token);
  }
  return parts.join('');
}

/** Brackets, commas, colons, and whole strings, numbers and names, as they are written; of a text that is JSON. */
function* tokensOf(text: string): Generator<string> {
  const other = /[^\s{}[\],:"]+/y;
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    let end = at + 1;
    if (character === '"') end = endOfString(text, at);
    else if (!'{}[],:'.includes(character)) {
      other.lastIndex = at;
      end = other.test(text) ? other.lastIndex : end;
    }
    yield text.slice(at, end);
    at = end;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
