/** Files in transit: counts their bytes as they pass and keeps none of them. */
import type { OutgoingFile } from './calls.ts';
import { FileChangedError } from './errors.ts';

/**
 * Passes the content on and calls `onProgress` after each piece. Throws FileChangedError when the content is longer
 * or shorter than announced: the server would otherwise wait for the rest, or take a part for the whole.
 */
export async function* measured(
  { content, bytes }: OutgoingFile,
  onProgress?: (sent: number) => void,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of bytes === undefined ? content : exactly(bytes, content)) {
    yield chunk;
    sent += chunk.length;
    onProgress?.(sent);
  }
}

/** Holds the last piece back until the end is known, so that no part of a changed file can be stored. */
async function* exactly(bytes: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of content) {
    read += chunk.length;
    if (read > bytes) throw new FileChangedError();
    if (held) yield held;
    held = chunk;
  }
  if (read < bytes) throw new FileChangedError();
  if (held) yield held;
}

/** Passes the content on and calls `onProgress` after each piece. */
export async function* counted(
  content: AsyncIterable<Uint8Array>,
  onProgress?: (received: number) => void,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  for await (const chunk of content) {
    received += chunk.length;
    onProgress?.(received);
    yield chunk;
  }
}

/** The name in `attachment; filename="…"`. */
export function nameOfAttachment(disposition: string | undefined): string | undefined {
  return /;\s*filename="([^"\\]*)"/.exec(disposition ?? '')?.[1];
}
