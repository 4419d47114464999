/**
 * A small private file beside the store. It is replaced atomically: even after a power cut it has the old content or
 * the new.
 */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writePrivateFile } from '../kernel/files/private-write.ts';

const MAX_BYTES = 4096;
const OWNER_ONLY = 0o600;

/** Undefined for a missing file; an empty text for one that is unreadable or not a regular file. Follows no link. */
export function readAnchorFile(path: string): string | undefined {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
  try {
    if (!fstatSync(file).isFile()) return '';
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_BYTES, 0));
  } catch {
    return '';
  } finally {
    closeSync(file);
  }
}

/** Writes the first file. Its directory entry is on disk before this returns, so that no store exists without it. */
export function writeFirstAnchorFile(path: string, content: string): void {
  writePrivateFile(path, content);
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Syncs the new file before it replaces the old one. */
export async function replaceAnchorFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', OWNER_ONLY);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
