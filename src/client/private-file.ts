import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isJsonObject, jsonOf } from '../kernel/text/json.ts';
import { causeOf } from '../kernel/system-failure.ts';
import { PrivateFileError } from './errors.ts';

const OTHERS_MAY_ACCESS = 0o077;

/**
 * The text of a file that holds secrets, or undefined if there is no file. Throws PrivateFileError unless the file is
 * private to this user: a file that others can write is not trustworthy, and one that others can read is not secret.
 * (On Windows, the user's folder is private already.)
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

/** Parses a private file as a JSON object; undefined if there is no file or it contains anything else. */
export function readPrivateJson(path: string): Record<string, unknown> | undefined {
  const text = readPrivateFile(path);
  return text === undefined ? undefined : jsonObject(text);
}

/** Undefined if the text is not a JSON object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  const value = jsonOf(text);
  return isJsonObject(value) ? value : undefined;
}
