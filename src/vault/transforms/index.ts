/**
 * Transforms of decrypted values (contract §3.1, §3.2). A chain is parsed and checked once, before anything is read,
 * and then applied to each value. Messages of this folder never repeat a value, or an argument, which may be a key.
 */
import { ServiceError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { bindTransform } from './bind.ts';
import type { Transform } from './bind.ts';
import type { TransformName } from './catalogue.ts';
import { ChainSyntaxError, scanChain } from './chain.ts';
import type { TransformCall } from './chain.ts';
import { TransformBudget } from './budget.ts';
import { atOnce, type Made, type Slices } from './slices.ts';
import { RESULT_LIMIT_UNITS } from './text.ts';

export { isTransformName, TRANSFORM_NAMES, TRANSFORMS } from './catalogue.ts';
export type { ArgumentDescription, TransformDescription, TransformName } from './catalogue.ts';
export { ChainSyntaxError, scanChain, scanInteger, skipSpace } from './chain.ts';
export type { Argument, Scanned, TransformCall } from './chain.ts';
export type { Transform } from './bind.ts';
export { BudgetSpent, TransformBudget } from './budget.ts';
export { piecesOf } from './slices.ts';

/** The input of a chain: a JSON value, or the raw bytes of a file. */
export type TransformInput = JsonValue | Uint8Array;

export const TRANSFORMS_PER_DATUM = 16;

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
  let value = typeof input === 'string' || input instanceof Uint8Array ? input : JSON.stringify(input);
  for (const transform of transforms) {
    yield STEPS_PER_TRANSFORM;
    // The content of a file is shown as hexadecimal digits, which is twice as long.
    const length = typeof value === 'string' ? value.length : Infinity;
    const result = yield* grown(transform.apply(value), length);
    if (result === undefined || result.length > RESULT_LIMIT_UNITS) throw new TransformFailed(transform.name);
    if (transform.name === 'to_ascii' && result.trim() === '' && isFilledText(value)) {
      throw new TransformFailed(transform.name, 'the text would be empty, since ASCII can write none of it');
    }
    value = result;
  }
  return value;
}

function isFilledText(value: string | Uint8Array): boolean {
  return typeof value === 'string' && value.trim() !== '';
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
