/** Saves a file of a vault on this machine: never over another file, and readable by its owner only. */
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { requireFree, saveWhole } from '../../client/whole-file.ts';
import { bareType } from './images.ts';
import { abandon, type VaultFile } from './vault-files.ts';

export interface Saved {
  readonly path: string;
  readonly bytes: number;
  readonly contentType: string;
}

/** An absolute path; `~` is the user's home. */
export function absolutePath(text: string): string {
  return resolve(/^~(?=\/|$)/.test(text) ? `${homedir()}${text.slice(1)}` : text);
}

/** Whether the file gets the extension of its type. */
export function isOwnName(path: string, ownName: string): boolean {
  return basename(path) === ownName;
}

/** Who can read the file, and what becomes of one of this name: sentences of the question. */
export function savedWhere(path: string): readonly string[] {
  return [
    `It is saved in the clear as ${path}. Only you can read it (0600).`,
    'An existing file of this name is not replaced.',
  ];
}

/**
 * Undefined if there is nothing to save. Throws FileRefusedError: before anything is decrypted, unless the name
 * depends on the type. Also throws what `open` and the content throw. Never leaves an incomplete file.
 */
export async function savePrivately(
  text: string,
  ownName: string,
  open: () => Promise<VaultFile | undefined>,
): Promise<Saved | undefined> {
  const path = absolutePath(text);
  const { default: mime } = await import('mime');
  const finalPath = (contentType: string) =>
    isOwnName(path, ownName) ? `${path}.${mime.getExtension(bareType(contentType)) ?? 'bin'}` : path;
  if (!isOwnName(path, ownName)) requireFree(path, false);
  let bytes = 0;
  try {
    const { contentType } = await saveWhole(
      async () => {
        const file = await open();
        if (file === undefined) throw new Nothing();
        try {
          requireFree(finalPath(file.contentType), false);
        } catch (error) {
          await abandon(file);
          throw error;
        }
        return { ...file, content: counted(file.content, (more) => (bytes += more)) };
      },
      { path, mayReplace: false, named: (file) => finalPath(file.contentType) },
    );
    return { path: finalPath(contentType), bytes, contentType };
  } catch (error) {
    if (error instanceof Nothing) return undefined;
    throw error;
  }
}

class Nothing extends Error {}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    count(chunk.length);
    yield chunk;
  }
}
