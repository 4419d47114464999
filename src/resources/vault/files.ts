/** Stored files in the form of the API: complete within JSON, or as a stream of bytes. */
import { jsonText } from '../../kernel/exact-number.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Held } from '../../kernel/byte-budget.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { StreamedText } from '../../kernel/streamed-text.ts';
import { MIB } from '../../kernel/units.ts';
import { StoredFile } from '../../vault/files/index.ts';
import type { TransformInput } from '../../vault/transforms/index.ts';
import type { StoredValue, Vault } from '../../vault/vault.ts';

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
  throw new ServiceError(
    'invalid_request',
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
