/**
 * Transforms of decrypted values (contract §3.1, §3.2). A chain is parsed and checked once, before anything is read,
 * and then applied to each value. Messages of this folder never repeat a value, or an argument, which may be a key.
 */
import { isUint8Array } from 'node:util/types';
import { createHmac } from 'node:crypto';
import { jsonText, type JsonValue } from '../../kernel/text/json.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { atOnce } from '../../kernel/time/turns.ts';
import { isTransformName, type TransformName, TRANSFORMS } from './catalogue.ts';
import {
  ChainSyntaxError,
  scanChain,
  TransformBudget,
  type TransformCall,
  byteSlices,
  type Made,
  piecesOf,
  type Slices,
} from './chain.ts';
import { readDatePattern } from './date-pattern.ts';
import { ENCRYPT_ALGORITHMS, encryptTo } from './encrypt.ts';
import {
  firstCodePoints,
  lastCodePoints,
  replacing,
  RESULT_LIMIT_UNITS,
  toAscii,
  toLowerCase,
  toUpperCase,
} from './text.ts';

/** One parsed transform with checked arguments: only the value can still make it fail. */
export interface Transform {
  readonly name: TransformName;
  /** In slices: the result, or undefined when the value doesn't fit. Bytes are the content of a file. */
  apply(value: string | Uint8Array): Slices<string | undefined>;
}

const ARGUMENT_LIMIT_CHARACTERS = 8_192;
const ECHOED_NAME_CHARACTERS = 24;
const STEPS_PER_PATTERN_CHARACTER = 64;
const STEPS_PER_HMAC = 1000;
const STEPS_PER_HASHED_BYTE = 2;
const HEX_DIGITS_PER_BYTE = 2;

/** Checks a scanned call against contract §3.2. Throws ServiceError `transform_invalid`, which repeats no argument. */
function bindTransform({ name, args }: TransformCall, budget: TransformBudget): Transform {
  if (!isTransformName(name)) {
    // A key without quotes looks like a name, so a long one isn't repeated.
    const shown = name.length <= ECHOED_NAME_CHARACTERS ? ` ${name}` : '';
    throw new ServiceError('transform_invalid', `Unknown transform${shown}`);
  }
  const expected = TRANSFORMS[name].arguments;
  if (args.length !== expected.length) {
    throw invalid(name, `takes ${expected.length} arguments, not ${args.length}`);
  }
  expected.forEach((description, index) => {
    const argument = args[index];
    if (argument?.kind !== description.kind) {
      const form = description.kind === 'integer' ? 'an unquoted integer' : 'quoted';
      throw invalid(name, `${description.name} must be ${form}`);
    }
    if (isTooLong(argument.text)) {
      throw invalid(name, `${description.name} has more than ${ARGUMENT_LIMIT_CHARACTERS} characters`);
    }
  });
  return {
    name,
    apply: BUILDERS[name](
      args.map((argument) => argument.text),
      budget,
    ),
  };
}

/** Takes the arguments as texts, after their number and kinds were checked against the catalogue. */
type Builder = (args: readonly string[], budget: TransformBudget) => Transform['apply'];

const BUILDERS: Readonly<Record<TransformName, Builder>> = {
  to_lowercase: () => onText(toLowerCase),
  to_uppercase: () => onText(toUpperCase),
  to_ascii: () => onText(toAscii),
  prefix: ([n = '']) => {
    const count = positive('prefix', n);
    return onText((text) => firstCodePoints(text, count));
  },
  suffix: ([n = '']) => {
    const count = positive('suffix', n);
    return onText((text) => lastCodePoints(text, count));
  },
  replace: ([from = '', to = '']) => {
    if (from === '') throw invalid('replace', 'from must not be empty');
    return onText(replacing(from, to));
  },
  date_format: ([from = '', to = '']) => {
    // A pattern of another language, such as YYYY-MM-DD, would print itself.
    for (const [name, pattern] of Object.entries({ from, to })) {
      if (!pattern.includes('%'))
        throw invalid('date_format', `${name} has no %: its parts are written as in %Y-%m-%d`);
    }
    const read = readDatePattern(from);
    if (read === undefined) throw invalid('date_format', 'from has an unknown specifier');
    const print = readDatePattern(to);
    if (print === undefined) throw invalid('date_format', 'to has an unknown specifier');
    const steps = (from.length + to.length) * STEPS_PER_PATTERN_CHARACTER;
    return onText(function* (text) {
      yield steps;
      const moment = read.parse(text);
      return moment && print.format(moment);
    });
  },
  hmac_sha256: ([key = '']) => {
    const keyBytes = hexBytes(key);
    if (keyBytes === undefined) throw invalid('hmac_sha256', 'key must be hex of even length, not empty');
    return function* (value) {
      const hmac = createHmac('sha256', keyBytes);
      for (const piece of bytesIn(value)) {
        yield STEPS_PER_HMAC + piece.length * STEPS_PER_HASHED_BYTE;
        hmac.update(piece);
      }
      return hmac.digest('hex');
    };
  },
  encrypt: ([algorithm = '', publicKey = ''], budget) => {
    if (!ENCRYPT_ALGORITHMS.includes(algorithm)) {
      throw invalid('encrypt', `algorithm must be one of ${ENCRYPT_ALGORITHMS.join(', ')}`);
    }
    const key = hexBytes(publicKey);
    if (key === undefined) throw invalid('encrypt', 'public_key must be hex of even length, not empty');
    const name = `${algorithm}:${key.toString('hex')}`;
    const encrypt = budget.publicKey(name, () => encryptTo(algorithm, key));
    if (encrypt === undefined) throw invalid('encrypt', `public_key is not a usable key for ${algorithm}`);
    return function* (value) {
      const plaintext = bytesOf(value);
      yield { made: plaintext.length * HEX_DIGITS_PER_BYTE };
      const ciphertext = yield* encrypt(plaintext);
      return ciphertext && (yield* hexOf(ciphertext));
    };
  },
  wrap_quotes: () =>
    onText(function* (text) {
      yield { made: text.length + 2 };
      yield text.length;
      return `"${text}"`;
    }),
};

function invalid(name: TransformName, problem: string): ServiceError {
  return new ServiceError('transform_invalid', `Transform ${name}: ${problem}`);
}

function positive(name: TransformName, digits: string): number {
  const count = Number(digits);
  if (count < 1) throw invalid(name, 'n must be at least 1');
  return count;
}

/** Characters are code points here as everywhere in §3.2. */
function isTooLong(text: string): boolean {
  return atOnce(firstCodePoints(text, ARGUMENT_LIMIT_CHARACTERS)).length < text.length;
}

/** A transform for text that refuses the bytes of a file. */
function onText(change: (text: string) => Slices<string | undefined>): Transform['apply'] {
  return function* (value) {
    return typeof value === 'string' ? yield* change(value) : undefined;
  };
}

/** The bytes of a value in pieces of about a slice. */
function* bytesIn(value: string | Uint8Array): Generator<Uint8Array, void, void> {
  if (typeof value === 'string') for (const piece of piecesOf(value)) yield Buffer.from(piece, 'utf8');
  else yield* byteSlices(value);
}

function* hexOf(bytes: Uint8Array): Slices<string> {
  let hex = '';
  for (const piece of byteSlices(bytes)) {
    yield piece.length;
    hex += Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('hex');
  }
  return hex;
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
}

const HEX = /^(?:[0-9A-Fa-f]{2})+$/;

/**
 * The bytes of a hex text of even length, not empty, in either letter case; undefined for anything else.
 * `Buffer.from` alone would silently stop at the first pair that isn't hex.
 */
function hexBytes(text: string): Buffer | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}

export { isTransformName, TRANSFORM_NAMES, TRANSFORMS } from './catalogue.ts';
export type { ArgumentDescription, TransformDescription, TransformName } from './catalogue.ts';
export { ChainSyntaxError, scanChain, scanInteger, skipSpace } from './chain.ts';
export type { Argument, Scanned, TransformCall } from './chain.ts';
export { BudgetSpent, TransformBudget } from './chain.ts';
export { piecesOf } from './chain.ts';

/** The input of a chain: a JSON value, or the raw bytes of a file. */
export type TransformInput = JsonValue | Uint8Array;

const TRANSFORMS_PER_DATUM = 16;

/** A value doesn't fit the transform: 400 `transform_failed`. */
export class TransformFailed extends ServiceError {
  readonly transform: TransformName;

  constructor(transform: TransformName, why?: string) {
    super('transform_failed', `transform ${transform} failed${why === undefined ? '' : `: ${why}`}`);
    this.transform = transform;
  }
}

/** Parses one chain, `to_ascii | prefix(3)`. Throws ServiceError `transform_invalid`. */
export function parseChain(text: string, budget = new TransformBudget()): Transform[] {
  return bindTransforms(scanWholeChain(text), budget);
}

/**
 * Parses the member `transforms`: the chains of the list, in order, at most 16 transforms in total. Throws ServiceError
 * `transform_invalid`.
 */
export function parseTransforms(list: readonly string[], budget = new TransformBudget()): Transform[] {
  return bindTransforms(list.flatMap(scanWholeChain), budget);
}

/** Checks scanned calls against the catalogue. Throws ServiceError `transform_invalid`. */
export function bindTransforms(calls: readonly TransformCall[], budget: TransformBudget): Transform[] {
  if (calls.length > TRANSFORMS_PER_DATUM) {
    throw new ServiceError('transform_invalid', `More than ${TRANSFORMS_PER_DATUM} transforms`);
  }
  return calls.map((call) => bindTransform(call, budget));
}

function scanWholeChain(text: string): TransformCall[] {
  const { chain, end } = scanChain(text, 0);
  if (end < text.length) throw new ChainSyntaxError('a | or the end is expected', end);
  return chain;
}

/**
 * Applies `transforms` from left to right. Null stays null; other JSON that isn't text becomes compact JSON text; only
 * `hmac_sha256` and `encrypt` accept the bytes of a file. Without transforms the input is returned unchanged. The cost
 * is taken from the `budget` of the whole request; other work gets its turns meanwhile. Throws TransformFailed, and
 * BudgetSpent when the budget is used up.
 */
export async function applyTransforms(
  transforms: readonly Transform[],
  input: TransformInput,
  budget: TransformBudget,
): Promise<JsonValue | Uint8Array> {
  const running = runTransforms(transforms, input);
  for (;;) {
    const slice = running.next();
    if (slice.done) return slice.value;
    if (typeof slice.value === 'number') {
      const turn = budget.spend(slice.value);
      if (turn) await turn;
    } else budget.make(slice.value.made);
  }
}

/** The same without pauses and without a budget, for a process that serves no requests. */
export function applyTransformsAtOnce(
  transforms: readonly Transform[],
  input: TransformInput,
): JsonValue | Uint8Array {
  return atOnce(runTransforms(transforms, input));
}

const STEPS_PER_TRANSFORM = 256;

function* runTransforms(
  transforms: readonly Transform[],
  input: TransformInput,
): Slices<JsonValue | Uint8Array> {
  if (transforms.length === 0 || input === null) return input;
  let value = typeof input === 'string' || isUint8Array(input) ? input : jsonText(input);
  for (const transform of transforms) {
    yield STEPS_PER_TRANSFORM;
    // The content of a file is shown as hexadecimal digits, which is twice as long.
    const length = typeof value === 'string' ? value.length : Infinity;
    const result = yield* grown(transform.apply(value), length);
    if (result === undefined || result.length > RESULT_LIMIT_UNITS) throw new TransformFailed(transform.name);
    const isEmptied = transform.name === 'to_ascii' && result.trim() === '';
    if (isEmptied && typeof value === 'string' && value.trim() !== '') {
      throw new TransformFailed(transform.name, 'the text would be empty, since ASCII can write none of it');
    }
    value = result;
  }
  return value;
}

/**
 * Passes on what a transform makes once it is longer than `from`: then all of it counts. The size of a shorter result
 * is limited by its input.
 */
function* grown(slices: Slices<string | undefined>, from: number): Slices<string | undefined> {
  let made = 0;
  const growth = function* (more: number): Generator<Made, void, void> {
    const counted = made > from ? made : 0;
    made += more;
    if (made > from) yield { made: made - counted };
  };
  for (;;) {
    const slice = slices.next();
    if (slice.done) {
      yield* growth(Math.max(0, (slice.value?.length ?? 0) - made));
      return slice.value;
    }
    if (typeof slice.value === 'number') yield slice.value;
    else yield* growth(slice.value.made);
  }
}
