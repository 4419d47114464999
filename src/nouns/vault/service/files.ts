/** Values in the form of the API: stored files complete within JSON or as a stream of bytes, and transformed values. */
import { isUint8Array } from 'node:util/types';
import { attempt } from '../../../kernel/attempt.ts';
import { jsonText, jsonTextOf, type JsonValue, parseJson } from '../../../kernel/text/json.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import type { Held } from '../../../kernel/numbers/byte-budget.ts';
import { StreamedText } from '../../../kernel/text/streamed-text.ts';
import { MIB } from '../../../kernel/numbers/units.ts';
import { StoredFile } from '../../../vault/files/index.ts';
import {
  applyTransforms,
  TransformFailed,
  type Transform,
  type TransformBudget,
  type TransformInput,
} from '../../../vault/transforms/index.ts';
import type { StoredValue, Vault } from '../../../vault/vault.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import type { Database } from '../../../storage/database.ts';
import { storedText } from '../../../vault/reader.ts';
import { type IdentifierReference, REFUSED, vaultDataNotValid } from '../../../vault/identifiers/index.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import { VAULT_BODY_LIMIT_BYTES } from '../../../contract/facts/limits.ts';
import type { Upload } from '../../../contract/shapes.ts';

/**
 * The value of an upload under an identifier that is no file: its bytes as UTF-8 text or, for a list identifier, parsed
 * as JSON (contract §2.7). More than the largest value is `T120` LEN, and the rest is discarded.
 */
export async function uploadedValue(
  upload: Upload,
  { identifier, as }: { identifier: string; as: 'text' | 'json' },
): Promise<JsonValue> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of upload.content) {
    bytes += chunk.length;
    if (bytes <= VAULT_BODY_LIMIT_BYTES) kept.push(Buffer.from(chunk));
  }
  if (bytes > VAULT_BODY_LIMIT_BYTES) throw vaultDataNotValid(new Map([[identifier, REFUSED.LEN]]));
  const body = Buffer.concat(kept);
  const text = jsonTextOf(body);
  if (text === undefined) throw vaultDataNotValid(new Map([[identifier, REFUSED.STR]]));
  // The text stays as it is where it is no JSON, or null, which would be a deletion.
  return as === 'json' ? (attempt(() => parseJson(text)) ?? text) : text;
}

/** One datum for a response. A caller that doesn't read `content` must close it. */
export interface FileDownload {
  readonly content: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly bytes: number;
  close(): Promise<void>;
}

/** The limit for all files in one JSON response, which are in memory, unlike a download. */
const FILES_IN_ANSWER_BYTES = 64 * MIB;

/** The memory for a file that is read completely: its bytes, and the text made from them. */
const COPIES_OF_FILE = 3;

/**
 * Files as streamed text if `isStreamed`, otherwise as bytes; other values unchanged. The memory for files is counted.
 */
export async function readFiles(
  vault: Vault,
  values: ReadonlyMap<string, StoredValue | undefined>,
  { held, isStreamed }: { held: Held; isStreamed: (reference: string) => boolean },
): Promise<Map<string, TransformInput | StreamedText | undefined>> {
  const files = filesOf(values);
  requireFitting(files);
  const whole = files.filter(([reference]) => !isStreamed(reference));
  const bytes = COPIES_OF_FILE * whole.reduce((sum, [, file]) => sum + file.bytes, 0);
  if (bytes > 0) await held.reserve(bytes);
  try {
    const read = new Map<string, TransformInput | StreamedText | undefined>();
    for (const [reference, value] of values) {
      read.set(
        reference,
        !(value instanceof StoredFile)
          ? value
          : isStreamed(reference)
            ? await StreamedText.of(() => chunksOf(vault, value))
            : await bytesOf(vault, value),
      );
    }
    return read;
  } catch (error) {
    held.give(bytes);
    throw error;
  }
}

async function* chunksOf(vault: Vault, file: StoredFile): AsyncGenerator<Uint8Array> {
  yield* (await vault.openFile(file)).chunks();
}

/** Whether no value is a file, as in most answers. */
export function holdsNoFile(
  values: ReadonlyMap<string, StoredValue | undefined>,
): values is ReadonlyMap<string, JsonValue | undefined> {
  for (const value of values.values()) if (value instanceof StoredFile) return false;
  return true;
}

function filesOf(values: ReadonlyMap<string, StoredValue | undefined>): [string, StoredFile][] {
  return [...values].filter(([, value]) => value instanceof StoredFile) as [string, StoredFile][];
}

function requireFitting(files: readonly [string, StoredFile][]): void {
  const bytes = files.reduce((sum, [, file]) => sum + file.bytes, 0);
  if (bytes <= FILES_IN_ANSWER_BYTES) return;
  throw invalid(
    `The files are over ${FILES_IN_ANSWER_BYTES / MIB} MiB together; ask for fewer or download them`,
  );
}

async function bytesOf(vault: Vault, file: StoredFile): Promise<Uint8Array> {
  const open = await vault.openFile(file);
  const chunks: Uint8Array[] = [];
  for await (const chunk of open.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A file with its own content type, a text as text, any other value as JSON (contract §2.6). */
export async function downloadOf(vault: Vault, value: StoredValue): Promise<FileDownload> {
  if (value instanceof StoredFile) {
    const open = await vault.openFile(value);
    return {
      content: open.chunks(),
      contentType: value.contentType,
      bytes: open.bytes,
      close: () => open.close(),
    };
  }
  const isText = typeof value === 'string';
  const bytes = Buffer.from(isText ? value : jsonText(value), 'utf8');
  return {
    content: once(bytes),
    contentType: isText ? 'text/plain; charset=utf-8' : 'application/json',
    bytes: bytes.length,
    close: () => Promise.resolve(),
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an async iterable is what a download is made of
async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

// Reads values of a vault in small batches, so that other work continues while a request reads a thousand.

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;
/** Its bytes, its text, that text within the response, and uncollected garbage of these. */
const COPIES_OF_VALUE = 5;

type Values = ReadonlyMap<string, StoredValue | undefined>;

/**
 * `Vault.reveal` in batches, in one version. A value whose history is destroyed in the meantime is absent;
 * `requireEntity` is called after each batch and throws when the entity is gone. Values are counted as they are opened,
 * files when they are read: throws `overloaded` when there is no room for them.
 */
export function revealInTurns(
  vault: Vault,
  database: Database,
  request: {
    readonly entity: EntityRow;
    readonly references: readonly IdentifierReference[];
    readonly version: number;
    readonly requireEntity: () => void;
    readonly held: Held;
  },
): Values | Promise<Values> {
  const { entity, references, version } = request;
  // Most requests read a few: in one turn, and without a promise.
  if (references.length > REFERENCES_PER_TURN) return revealMany(vault, database, request);
  return counted(vault.reveal(database, entity, { references, version }), request.held);
}

async function revealMany(...[vault, database, request]: Parameters<typeof revealInTurns>): Promise<Values> {
  const { entity, references, version, requireEntity, held } = request;
  const values = new Map<string, StoredValue | undefined>();
  for (let start = 0; start < references.length; start += REFERENCES_PER_TURN) {
    if (start > 0) {
      await nextTurn();
      requireEntity();
    }
    const some = references.slice(start, start + REFERENCES_PER_TURN);
    const read = counted(vault.reveal(database, entity, { references: some, version }), held);
    for (const [text, value] of read) values.set(text, value);
  }
  return values;
}

function counted(values: Values, held: Held): Values {
  for (const value of values.values()) held.take(COPIES_OF_VALUE * sizeOf(value));
  return values;
}

/** Characters, which approximate the bytes. */
function sizeOf(value: StoredValue | undefined): number {
  return value === undefined || value instanceof StoredFile ? 0 : storedText(value).length;
}

/**
 * Every value unchanged. A streamed text represents a text, and is written as one. A reference contains a dot, so it
 * can't be a special property name such as __proto__.
 */
export function untransformed(revealed: Revealed): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = {};
  for (const [reference, value] of revealed) values[reference] = (value ?? null) as JsonValue;
  return values;
}

export type Revealed = ReadonlyMap<string, TransformInput | StreamedText | undefined>;

/** A streamed text stays as it is. */
interface Transformable {
  readonly name: string;
  readonly input: TransformInput | StreamedText | undefined;
  readonly transforms: readonly Transform[];
}

/**
 * Applies each chain to its value; reports all failures at once, by name (contract §2.5). Files become base64. `count`
 * is called with each result, and throws when there are too many.
 */
export async function transformed(
  values: readonly Transformable[],
  budget: TransformBudget,
  count: (value: JsonValue | StreamedText) => void,
): Promise<(JsonValue | StreamedText)[]> {
  const results: (JsonValue | StreamedText)[] = [];
  const failures = new Map<string, string>();
  for (const { name, input = null, transforms } of values) {
    try {
      const made = input instanceof StreamedText ? input : await applyTransforms(transforms, input, budget);
      const result = isUint8Array(made) ? Buffer.from(made).toString('base64') : made;
      count(result);
      results.push(result);
    } catch (error) {
      if (!(error instanceof TransformFailed)) throw error;
      failures.set(name, error.message);
    }
  }
  if (failures.size === 0) return results;
  const names = [...failures.keys()].slice(0, 20).join(', ');
  throw new ServiceError('transform_failed', `A transform does not fit the value of ${names}`, {
    context: Object.fromEntries(failures),
  });
}
