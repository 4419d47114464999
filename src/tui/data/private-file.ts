/** Where a file of a vault is saved to on this machine: never over another, and for its owner alone. */
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

/**
 * The name that a file has unless the user gives another: whose it is and what. The extension comes with its type.
 */
export function ownName({
  fp_id,
  identifier,
}: {
  readonly fp_id: string;
  readonly identifier: string;
}): string {
  return `${fp_id}.${identifier.replace(':', '.v')}`;
}

/** Absolute; `~` is the user's home. */
export function absolutePath(text: string): string {
  return resolve(/^~(?=\/|$)/.test(text) ? `${homedir()}${text.slice(1)}` : text);
}

/** Whether the extension of its type is added to the name. */
export function isOwnName(path: string, ownName: string): boolean {
  return basename(path) === ownName;
}

/** What is wrong with a path, as far as the path alone shows it. */
export function pathProblem(text: string): string | undefined {
  if (/[/\\]$/.test(text)) return 'A file is to be named, not a folder';
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'A name has no control characters';
  return undefined;
}

/**
 * Undefined when there is nothing to save. Throws FileRefusedError, before anything is decrypted unless the name waits for
 * the type, and what `open` and the content throw; nothing is left of a file that isn't whole.
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
