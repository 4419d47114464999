/**
 * Properties of a JSON text that `JSON.parse` does not report: its nesting depth, and whether an object repeats a
 * member. The scan makes one pass without recursion, so that deep nesting can't overflow the stack.
 */
export interface JsonShape {
  /** Levels of nested lists and objects; 0 for a text without either. */
  readonly depth: number;
  /** The first repeated member. */
  readonly repeated: string | undefined;
  /** The index at which its name occurs for the second time. */
  readonly repeatedAt: number | undefined;
}

/** The text must be valid JSON, already accepted by `JSON.parse`. */
export function shapeOfJson(text: string): JsonShape {
  /** The member names of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let depth = 0;
  let repeated: string | undefined;
  let repeatedAt: number | undefined;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = stringEnd(text, at);
        const names = isName ? open.at(-1) : undefined;
        if (names && repeated === undefined) {
          const name = nameOf(text.slice(at, end));
          if (names.has(name)) [repeated, repeatedAt] = [name, at];
          names.add(name);
        }
        isName = false;
        at = end - 1;
        break;
      }
      case OPENING_BRACE:
      case OPENING_BRACKET:
        isName = text.charCodeAt(at) === OPENING_BRACE;
        open.push(isName ? new Set() : undefined);
        depth = Math.max(depth, open.length);
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = open.at(-1) !== undefined;
        break;
    }
  }
  return { depth, repeated, repeatedAt };
}

const JSON_TOKEN =
  /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[{}[\],:])[ \t\n\r]*/iy;
const STARTS_OF_VALUES = '"{[';

/**
 * The line and column, from 1, at which a text stops being JSON: at the end if something is missing there. Undefined for
 * JSON. Unlike the messages of `JSON.parse`, it contains nothing of the text.
 */
export function jsonFault(text: string): { readonly line: number; readonly column: number } | undefined {
  /** The closing bracket of each open list and object. */
  const open: string[] = [];
  /** The first characters that may follow; `v` for a name such as `true`, or a number. */
  let allowed = `v${STARTS_OF_VALUES}`;
  for (let at = /^[ \t\n\r]*/.exec(text)?.[0].length ?? 0; ; at = JSON_TOKEN.lastIndex) {
    const isDone = open.length === 0 && allowed === '';
    if (at === text.length && isDone) return undefined;
    JSON_TOKEN.lastIndex = at;
    const found = JSON_TOKEN.exec(text)?.[1] ?? '';
    const first = '"{}[],:'.includes(found.charAt(0)) ? found.charAt(0) : 'v';
    if (
      found === '' ||
      !allowed.includes(first) ||
      (first === 'v' && !/^[-\d]|^(?:true|false|null)$/.test(found))
    )
      return placeOf(text, at);
    const isName = first === '"' && !allowed.includes('v');
    if (first === '{' || first === '[') open.push(first === '{' ? '}' : ']');
    if (first === '}' || first === ']') open.pop();
    const closing = open.at(-1);
    if (first === '{') allowed = '"}';
    else if (first === '[') allowed = `v${STARTS_OF_VALUES}]`;
    else if (first === ':') allowed = `v${STARTS_OF_VALUES}`;
    else if (first === ',') allowed = closing === '}' ? '"' : `v${STARTS_OF_VALUES}`;
    else if (isName) allowed = ':';
    else allowed = closing === undefined ? '' : `,${closing}`;
  }
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/**
 * The index after the closing quote. Each run of backslashes is scanned once, because the search continues behind it.
 */
/** The index behind the string that begins at `start`. */
export function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
