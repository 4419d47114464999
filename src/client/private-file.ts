import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { causeOf } from '../kernel/system-failure.ts';
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
    throw unreadable(path, error);
  }
  try {
    const stats = fstatSync(file);
    const { uid, mode } = stats;
    if (!stats.isFile()) throw new PrivateFileError(`${path} is not a file`);
    const user = process.getuid?.();
    if (user !== undefined && uid !== user) throw new PrivateFileError(`${path} belongs to another user`);
    if (user !== undefined && (mode & OTHERS_MAY_ACCESS) !== 0) {
      throw new PrivateFileError(
        `${path} is open to other users; chmod 600 it, or remove it and start again`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw error instanceof PrivateFileError ? error : unreadable(path, error);
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, error: unknown): PrivateFileError {
  return new PrivateFileError(`${path} cannot be read: ${causeOf(error) ?? 'failed'}`, path);
}

/** A JSON object out of such a file; undefined when there is no file or it holds something else. */
export function readPrivateJson(path: string): Record<string, unknown> | undefined {
  const text = readPrivateFile(path);
  return text === undefined ? undefined : jsonObject(text);
}

/** Undefined for what is no JSON object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
