/**
 * The scanner of the chain grammar (contract §3.1): one pass over the characters, without regular expressions. It
 * checks the form only; `bind.ts` checks names and arguments.
 *
 * Each `scan…` function starts at a position in a longer text and returns the position after what it read, so that
 * proxy tokens and ingress rules can contain chains. Messages give positions and never repeat the text.
 */
import { ServiceError } from '../../kernel/errors.ts';

/** An argument as written, quotes and escapes resolved. */
export interface Argument {
  readonly kind: 'integer' | 'string';
  readonly text: string;
}

/** One `name(arg, …)` of a chain, not yet checked against the catalogue. */
export interface TransformCall {
  readonly name: string;
  readonly args: readonly Argument[];
}

export interface Scanned<Value> {
  readonly value: Value;
  readonly end: number;
}

/** The text doesn't follow the chain grammar. A class of its own, because proxy tokens report it with another code. */
export class ChainSyntaxError extends ServiceError {
  constructor(expected: string, position: number) {
    super('transform_invalid', `Transforms: ${expected} at character ${position + 1}`);
  }
}

/** The position of the first character at or after `at` that is not a blank, tab, carriage return or line feed. */
export function skipSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end])) end++;
  return end;
}

/** Reads `integer`; undefined when there is no digit at `at`. */
export function scanInteger(text: string, at: number): Scanned<string> | undefined {
  let end = at;
  while (isDigit(text[end])) end++;
  return end === at ? undefined : { value: text.slice(at, end), end };
}

/**
 * Reads a chain, including surrounding blanks. Throws ChainSyntaxError when the text at `start` is no chain; the caller
 * handles the text after `end`.
 */
export function scanChain(text: string, start: number): { chain: TransformCall[]; end: number } {
  const chain: TransformCall[] = [];
  for (let at = start; ; at++) {
    const call = scanCall(text, skipSpace(text, at));
    chain.push(call.value);
    at = skipSpace(text, call.end);
    if (text[at] !== '|') return { chain, end: at };
  }
}

function scanCall(text: string, at: number): Scanned<TransformCall> {
  if (!isLower(text[at])) throw new ChainSyntaxError('a transform name is expected', at);
  let end = at + 1;
  while (isLower(text[end]) || isDigit(text[end]) || text[end] === '_') end++;
  const name = text.slice(at, end);
  const open = skipSpace(text, end);
  if (text[open] !== '(') return { value: { name, args: [] }, end };
  const args = scanArguments(text, open + 1);
  return { value: { name, args: args.value }, end: args.end };
}

/** Reads from after the opening parenthesis to after the closing one. */
function scanArguments(text: string, start: number): Scanned<Argument[]> {
  const args: Argument[] = [];
  let at = skipSpace(text, start);
  if (text[at] === ')') return { value: args, end: at + 1 };
  for (;;) {
    const argument = scanArgument(text, at);
    args.push(argument.value);
    at = skipSpace(text, argument.end);
    if (text[at] === ')') return { value: args, end: at + 1 };
    if (text[at] !== ',') throw new ChainSyntaxError('a comma or a closing parenthesis is expected', at);
    at = skipSpace(text, at + 1);
  }
}

function scanArgument(text: string, at: number): Scanned<Argument> {
  const first = text[at];
  if (first === "'" || first === '"') {
    const quoted = scanQuoted(text, at, first);
    return { value: { kind: 'string', text: quoted.value }, end: quoted.end };
  }
  const integer = scanInteger(text, at);
  if (integer === undefined) throw new ChainSyntaxError('an integer or a quoted argument is expected', at);
  return { value: { kind: 'integer', text: integer.value }, end: integer.end };
}

function scanQuoted(text: string, start: number, quote: "'" | '"'): Scanned<string> {
  let value = '';
  let copied = start + 1;
  for (let at = copied; at < text.length; at++) {
    const character = text[at];
    if (character === quote) return { value: value + text.slice(copied, at), end: at + 1 };
    if (character !== '\\') continue;
    if (!isEscapable(text[at + 1]))
      throw new ChainSyntaxError('only \\\\, \\\' and \\" may follow a backslash, which is not so', at);
    value += text.slice(copied, at);
    copied = ++at;
  }
  throw new ChainSyntaxError('a quote is not closed; it opens', start);
}

type Character = string | undefined;

const isSpace = (character: Character): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r';
const isDigit = (character: Character): boolean =>
  character !== undefined && character >= '0' && character <= '9';
const isLower = (character: Character): boolean =>
  character !== undefined && character >= 'a' && character <= 'z';
const isEscapable = (character: Character): boolean =>
  character === '\\' || character === "'" || character === '"';
