/**
 * The scanner of the chain grammar (contract §3.1): one pass over the characters, without regular expressions. It
 * checks the form only; `bind.ts` checks names and arguments.
 *
 * Each `scan…` function starts at a position in a longer text and returns the position after what it read, so that
 * proxy tokens and ingress rules can contain chains. Messages give positions and never repeat the text.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { nextTurn } from '../../kernel/time/turns.ts';
import { MIB } from '../../kernel/numbers/units.ts';

/**
 * Work in slices. Before each slice the generator yields its steps (budget.ts), so that its runner can refuse it or let
 * other work go first. Before it keeps a part of a result that may be longer than its input, it yields the length.
 */
export type Slices<Result> = Generator<number | Made, Result, void>;

/** Characters of a result. */
export interface Made {
  readonly made: number;
}

/** Characters or bytes in a slice: the most expensive work on a character takes 64 steps. */
export const SLICE_UNITS = 16 * 1024;

/** A text in pieces of about a slice, without splitting a surrogate pair. */
export function* piecesOf(text: string, most = SLICE_UNITS): Generator<string, void, void> {
  for (let start = 0; start < text.length;) {
    const end = cutAt(text, start + most);
    yield text.slice(start, end);
    start = end;
  }
}

/** The first position at or after `at` that splits no surrogate pair. */
export function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return isPairAround(text, at) ? at + 1 : at;
}

function isPairAround(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** Bytes in pieces of a slice. */
export function* byteSlices(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let start = 0; start < bytes.length; start += SLICE_UNITS) {
    yield bytes.subarray(start, start + SLICE_UNITS);
  }
}

// The total cost allowed for the transforms of one request: its fields, their versions, every chain, the tokens and the
// ingress rules of a proxied call. A step is the work on one character of plain text, about two nanoseconds.

interface BudgetLimits {
  /** The sum over all transforms. */
  readonly steps: number;
  /** After this number of steps other work gets a turn. */
  readonly stepsPerTurn: number;
  /** Characters of all results together that are longer than what they were made of, including intermediate results. */
  readonly made: number;
  /** Characters in the final results of all chains together. */
  readonly answered: number;
  /** Distinct public keys of `encrypt`: each is checked before anything is read, without a pause. */
  readonly publicKeys: number;
}

const BUDGET_LIMITS: BudgetLimits = {
  steps: 2 ** 30,
  stepsPerTurn: 2 ** 20,
  made: MIB,
  answered: 64 * MIB,
  publicKeys: 16,
};

/** The transforms of a request cost too much: 400 `transform_failed`, as for a value that does not fit. */
export class BudgetSpent extends ServiceError {
  constructor() {
    super(
      'transform_failed',
      `The transforms of this request take more work, or make more than the ${BUDGET_LIMITS.made / MIB} MiB of longer values, than one request may ask for; ask for fewer fields or shorter chains`,
    );
  }
}

export class TransformBudget {
  readonly limits: BudgetLimits;
  readonly #turn: () => Promise<void>;
  readonly #keys = new Map<string, unknown>();
  #steps = 0;
  #stepsOfTurn = 0;
  #made = 0;
  #answered = 0;

  /** `turn` resolves when the work may continue: at the next turn of the event loop. */
  constructor(limits: Partial<BudgetLimits> = {}, turn: () => Promise<void> = nextTurn) {
    this.limits = { ...BUDGET_LIMITS, ...limits };
    this.#turn = turn;
  }

  /** Call it before work of this many steps: returns undefined, or a turn to wait for. Throws BudgetSpent. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps > this.limits.steps) throw new BudgetSpent();
    this.#stepsOfTurn += steps;
    if (this.#stepsOfTurn <= this.limits.stepsPerTurn) return undefined;
    this.#stepsOfTurn = steps;
    return this.#turn();
  }

  /** Counts the result of a whole chain. Throws BudgetSpent. */
  answer(units: number): void {
    this.#answered += units;
    if (this.#answered > this.limits.answered) throw new BudgetSpent();
  }

  /** Call it before this many characters of a longer result are made. Throws BudgetSpent. */
  make(units: number): void {
    this.#made += units;
    if (this.#made > this.limits.made) throw new BudgetSpent();
  }

  /**
   * Returns the result of `judge` for a public key, which is called once for each key. Throws `transform_invalid` for
   * one key too many.
   */
  publicKey<T>(name: string, judge: () => T): T {
    if (!this.#keys.has(name)) {
      if (this.#keys.size === this.limits.publicKeys) {
        throw new ServiceError(
          'transform_invalid',
          `Transform encrypt: one request takes at most ${this.limits.publicKeys} different public keys`,
        );
      }
      this.#keys.set(name, judge());
    }
    return this.#keys.get(name) as T;
  }
}

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
