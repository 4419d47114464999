/**
 * Explains a failed system call to the user: what could not be done, where, why, and the remedy. A system error names a
 * call and a path, never the content of a file, so its message may be shown.
 */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface SystemFailure {
  /** A sentence without a full stop, with the system's code at its end: `(ENOSPC)`. */
  readonly message: string;
  readonly remedy: string;
  readonly code: string;
  /** The path of the call, where the system reports it. */
  readonly path: string | undefined;
}

/** Undefined for an error that does not come from the system. `path` is used when the error itself names none. */
export function systemFailureOf(error: unknown, path?: string): SystemFailure | undefined {
  if (!isSystemError(error)) return undefined;
  const { code, syscall } = error;
  const at = error.path ?? path;
  if (syscall === 'uv_cwd' || syscall === 'chdir') {
    return {
      message: `The current folder cannot be used: it was removed, or may not be entered (${code})`,
      remedy: 'change to a folder that exists: cd ~',
      code,
      path: undefined,
    };
  }
  const subject = at ?? SUBJECTS[syscall] ?? 'The system call';
  return {
    message: `${subject} cannot be ${VERBS[syscall] ?? 'used'}: ${whyOf(error, at)}`,
    remedy: CAUSES[code]?.remedy ?? CHECK,
    code,
    // Another path would not help against these.
    path: OF_THE_PROCESS.has(code) ? undefined : at,
  };
}

/**
 * Only the system's reason, such as `the disk is full (ENOSPC)`; undefined for an error that does not come from the
 * system.
 */
export function causeOf(error: unknown): string | undefined {
  return isSystemError(error) ? whyOf(error, error.path) : undefined;
}

function whyOf({ code, syscall }: SystemError, path: string | undefined): string {
  if (code === 'ENOENT' && syscall === 'mkdir') return 'the file system makes no folder there (ENOENT)';
  const inTheWay =
    path !== undefined && (code === 'ENOTDIR' || code === 'EEXIST') ? whatBlocks(path) : undefined;
  return inTheWay === undefined ? whyRefused({ code }) : `${inTheWay} (${code})`;
}

/** The system's reason without the path, such as `there is no such file or folder (ENOENT)`. */
export function whyRefused(error: unknown): string {
  const { code = 'failed' } = error as { readonly code?: string };
  return `${CAUSES[code]?.why ?? 'the system refused it'} (${code})`;
}

/** The first existing part of the path that is not a folder where one is needed. */
function whatBlocks(path: string): string | undefined {
  for (let part = path; part !== dirname(part); part = dirname(part)) {
    try {
      const found = lstatSync(part, { throwIfNoEntry: false });
      if (found === undefined) continue;
      if (found.isSymbolicLink() && !existsSync(part)) return `${part} is a link to nothing`;
      return statSync(part).isDirectory() ? undefined : `${part} is a file, not a folder`;
    } catch {
      // Below a file, or in a folder without permission: check the parent next.
    }
  }
  return undefined;
}

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

/** Checks the members, not the class: in a test runner's sandbox, system errors belong to another realm. */
export function isSystemError(error: unknown): error is SystemError {
  const { code, syscall } = (error ?? {}) as Partial<SystemError>;
  return typeof code === 'string' && typeof syscall === 'string';
}

export const CHECK = 'check the path and who may use it';
const SPACE = 'free some space there';
const FOLDER = 'move away what is in its place';

/** Limits of the process or the machine, independent of the path. */
const OF_THE_PROCESS = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EPIPE']);

const CAUSES: Readonly<Record<string, { why: string; remedy: string }>> = {
  EACCES: { why: 'permission denied', remedy: CHECK },
  EPERM: { why: 'permission denied', remedy: CHECK },
  EROFS: { why: 'the file system is read-only', remedy: 'choose a folder that can be written to' },
  ENOSPC: { why: 'the disk is full', remedy: SPACE },
  EDQUOT: { why: "this user's share of the disk is used up", remedy: SPACE },
  EFBIG: { why: 'it would be larger than this user may make a file', remedy: 'raise the limit: ulimit -f' },
  ENOENT: { why: 'there is no such file or folder', remedy: CHECK },
  ENOTDIR: { why: 'a part of its path is a file, not a folder', remedy: FOLDER },
  EEXIST: { why: 'something else is in its place', remedy: FOLDER },
  EISDIR: { why: 'it is a folder, not a file', remedy: FOLDER },
  ENOTEMPTY: { why: 'the folder is not empty', remedy: FOLDER },
  ENAMETOOLONG: { why: 'the path is too long', remedy: 'choose a shorter path' },
  ELOOP: { why: 'its symbolic links go in a circle', remedy: 'mend the links' },
  EMFILE: { why: 'too many files are open', remedy: 'raise the limit: ulimit -n 1024' },
  ENFILE: {
    why: 'too many files are open on this machine',
    remedy: 'end other programs, or raise the limit',
  },
  ENOMEM: { why: 'there is not enough memory', remedy: 'end other programs' },
  EAGAIN: { why: 'the limit of processes or memory is reached', remedy: 'end other programs' },
  EIO: { why: 'the disk reports an error', remedy: 'check the disk' },
  EBUSY: { why: 'another program uses it', remedy: 'end the other program' },
  EXDEV: { why: 'it is on another file system', remedy: 'choose a path on the same file system' },
  ENODEV: { why: 'the file system does not support that', remedy: 'choose another folder' },
  ENOTSUP: { why: 'the file system does not support that', remedy: 'choose another folder' },
  EBADF: { why: 'it is not open for that', remedy: 'check where the output goes' },
  EPIPE: { why: 'its reader is gone', remedy: 'keep the reader open' },
};

const VERBS: Readonly<Record<string, string>> = {
  mkdir: 'created',
  mkdtemp: 'created',
  open: 'opened',
  read: 'read',
  stat: 'looked at',
  lstat: 'looked at',
  fstat: 'looked at',
  access: 'looked at',
  scandir: 'read',
  opendir: 'read',
  realpath: 'looked at',
  readlink: 'read',
  write: 'written',
  fsync: 'written',
  ftruncate: 'written',
  rename: 'written',
  link: 'written',
  symlink: 'written',
  chmod: 'written',
  fchmod: 'written',
  unlink: 'removed',
  rm: 'removed',
  rmdir: 'removed',
  copyfile: 'copied',
};

/** The subject of the message for a call that names no path. */
const SUBJECTS: Readonly<Record<string, string>> = {
  write: 'A file',
  fsync: 'A file',
  read: 'A file',
  fstat: 'A file',
  ftruncate: 'A file',
};
