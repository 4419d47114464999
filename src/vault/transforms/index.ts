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
import { atOnce, type Slices } from './slices.ts';
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

  constructor(transform: TransformName) {
    super('transform_failed', `transform ${transform} failed`);
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
  const running = runTransforms(transforms, input, (units) => budget.make(units));
  for (;;) {
    const slice = running.next();
    if (slice.done) return slice.value;
    const turn = budget.spend(slice.value);
    if (turn) await turn;
  }
}

/** The same without pauses and without a budget, for a process that serves no requests. */
export function applyTransformsAtOnce(
  transforms: readonly Transform[],
  input: TransformInput,
): JsonValue | Uint8Array {
  return atOnce(runTransforms(transforms, input, () => undefined));
}

const STEPS_PER_TRANSFORM = 256;

function* runTransforms(
  transforms: readonly Transform[],
  input: TransformInput,
  made: (units: number) => void,
): Slices<JsonValue | Uint8Array> {
  if (transforms.length === 0 || input === null) return input;
  let value = typeof input === 'string' || input instanceof Uint8Array ? input : JSON.stringify(input);
  for (const transform of transforms) {
    yield STEPS_PER_TRANSFORM;
    const result = yield* transform.apply(value);
    if (result === undefined || result.length > RESULT_LIMIT_UNITS) throw new TransformFailed(transform.name);
    made(result.length);
    value = result;
  }
  return value;
}
