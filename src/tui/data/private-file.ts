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

/** The default file name: the entity and the identifier. The extension is added with the type. */
export function ownName({
  fp_id,
  identifier,
}: {
  readonly fp_id: string;
  readonly identifier: string;
}): string {
  return `${fp_id}.${identifier.replace(':', '.v')}`;
}

/** An absolute path; `~` is the user's home. */
export function absolutePath(text: string): string {
  return resolve(/^~(?=\/|$)/.test(text) ? `${homedir()}${text.slice(1)}` : text);
}

/** Whether the file gets the extension of its type. */
export function isOwnName(path: string, ownName: string): boolean {
  return basename(path) === ownName;
}

/** The problem with a path, as far as the path alone shows it. */
export function pathProblem(text: string): string | undefined {
  if (/[/\\]$/.test(text)) return 'Name a file, not a folder';
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'A name has no control characters';
  return undefined;
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
