import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { UsageError } from './failure.ts';

/** A file that is to be sent, read as it goes. */
export interface FileSource {
  readonly content: Readable;
  /** Undefined for what has no length before it was read: stdin, a pipe. */
  readonly bytes: number | undefined;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** Nothing more is read; a stdin that others keep open doesn't keep this process. */
  readonly close: () => void;
}

/** Opens a file, or stdin for `-`. Throws UsageError, which doesn't repeat the path. */
export async function openSource(path: string): Promise<FileSource> {
  if (path === '-') return sourceOf(process.stdin, { bytes: undefined, path: undefined });
  try {
    const file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new UsageError('That is a folder; a file is to be named, or - for stdin');
    }
    // Files of /proc say 0 and hold something; what is really empty is for the daemon to refuse.
    const isMeasured = stats.isFile() && stats.size > 0;
    return sourceOf(file.createReadStream(), { bytes: isMeasured ? stats.size : undefined, path });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadable(error);
  }
}

/** What is said of a file that can't be opened, or read on. */
export function unreadable(error: unknown): UsageError {
  const code = (error as NodeJS.ErrnoException).code ?? 'failed';
  return new UsageError(`The file cannot be read (${code})`, '- reads stdin');
}

function sourceOf(content: Readable, of: Pick<FileSource, 'bytes' | 'path'>): FileSource {
  return { content, ...of, close: () => void content.destroy() };
}
