import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { PrivateFileError } from './errors.ts';

const OTHERS_MAY_ACCESS = 0o077;

/**
 * The text of a file that holds secrets, or undefined when there is none.
 * Throws PrivateFileError when it is not a file of this user alone: what others can write must not be trusted, and
 * what others can read is no secret any more. (Windows keeps the user's folder private by itself.)
 */
export function readPrivateFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PrivateFileError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
    );
  }
  try {
    const { uid, mode } = fstatSync(file);
    const user = process.getuid?.();
    if (user !== undefined && uid !== user) throw new PrivateFileError(`${path} belongs to another user`);
    if (user !== undefined && (mode & OTHERS_MAY_ACCESS) !== 0) {
      throw new PrivateFileError(
        `${path} is open to other users; chmod 600 it, or remove it and start again`,
      );
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** A JSON object out of such a file; undefined when there is no file or it holds something else. */
export function readPrivateJson(path: string): Record<string, unknown> | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
