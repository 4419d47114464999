/**
 * The vault's key in a file of its own. It protects the data directory as long as the two are kept apart: a copied,
 * backed-up or synchronised data directory doesn't open without it. It does not protect against anyone who can read
 * files as this user.
 *
 * A key file is never overwritten, never followed through a symbolic link and never used when someone else could have
 * read it. It appears under its name complete or not at all (written to a temporary file, synced, then linked), so an
 * interrupted start leaves either nothing or a key that the next start uses.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  type Stats,
} from 'node:fs';
import { mkdirSync, openSync, readdirSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, isAbsolute } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { placeToWrite } from '../../kernel/files/file-to-write.ts';
import { hasEnded, ownMark } from '../../kernel/program/processes.ts';
import { secretBytes } from '../../kernel/ids/random.ts';
import { whyRefused } from '../../kernel/system-failure.ts';
import { KIB } from '../../kernel/numbers/units.ts';
import { KEY_BYTES } from '../envelope.ts';

const CONTENT = /^#[^\r\n]*\n([0-9a-fA-F]{64})\n?$/;
const VAULT_KEY = 'vault key';
const MAX_BYTES = KIB;
const OWNER_ONLY = 0o600;
const HAS_POSIX_MODES = process.platform !== 'win32';

export interface KeyFileLocation {
  path: string;
  /** The directory that must not contain the file; undefined for an instance without one. */
  dataDirectory: string | undefined;
  /** The kind of key on its first line; a vault key by default. */
  what?: string | undefined;
}

/**
 * The key in the file; undefined when there is no such file. Throws `key_file_refused` when the file is in the data
 * directory, a link, no regular file, someone else's, accessible to others, unreadable or malformed.
 */
export function readKeyFile({ path, dataDirectory, what }: KeyFileLocation): Uint8Array | undefined {
  assertApart(path, dataDirectory);
  const text = readPrivately(path, { what: what ?? VAULT_KEY, maxBytes: MAX_BYTES });
  if (text === undefined) return undefined;
  const hex = CONTENT.exec(text)?.[1];
  if (hex === undefined) {
    throw refused(
      path,
      `is not a ${what ?? VAULT_KEY}: it needs a comment line and a line of 64 hexadecimal characters`,
    );
  }
  return Buffer.from(hex, 'hex');
}

/**
 * The text of a file with `what` in less than `maxBytes`; undefined when there is no such file. Throws `key_file_refused`
 * when it is a link, no regular file, someone else's, accessible to others, unreadable or longer.
 */
export function readPrivately(
  path: string,
  { what, maxBytes }: { what: string; maxBytes: number },
): string | undefined {
  requireOwnLinks(path);
  const descriptor = openExisting(path);
  if (descriptor === undefined) return undefined;
  try {
    const { size } = assertPrivate(path, descriptor);
    if (size >= maxBytes) throw refused(path, `is not a ${what}: it is too long`);
    const buffer = Buffer.alloc(maxBytes);
    const text = buffer.toString('utf8', 0, readSync(descriptor, buffer));
    buffer.fill(0);
    return text;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The key in the file if it exists, otherwise a new key in a new file, which is on disk when this returns. Creates
 * missing directories for the owner only. Throws `key_file_refused` as `readKeyFile` and when it can't write.
 */
export function readOrCreateKeyFile(location: KeyFileLocation): { key: Uint8Array; isNew: boolean } {
  const { path } = location;
  sweepDrafts(path);
  const existing = readKeyFile(location);
  if (existing) return { key: existing, isNew: false };
  const key = secretBytes(KEY_BYTES);
  try {
    makeDirectories(dirname(path));
    const header = `# kyclone ${location.what ?? VAULT_KEY}: keep it apart from the data directory, readable by you only`;
    writeOnce(path, `${header}\n${Buffer.from(key).toString('hex')}\n`);
  } catch (error) {
    throw refused(
      path,
      `cannot be created: ${whyRefused(error)}; choose a place that you can write to`,
      error,
    );
  }
  return { key, isNew: true };
}

function draftPrefix(path: string): string {
  return `.${basename(path)}.`;
}

/** Removes the drafts of processes that were killed while they made the file. */
function sweepDrafts(path: string): void {
  const [folder, prefix] = [dirname(path), draftPrefix(path)];
  try {
    for (const name of readdirSync(folder)) {
      const mark = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      if (/^\d+-\d+-\d+$/.test(mark) && hasEnded(mark)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that is missing or can't be read has none; making the file says why.
  }
}

/**
 * Without mkdir's `recursive`, which never returns where a folder can't be created because its parent is missing, as in
 * /proc.
 */
function makeDirectories(path: string): void {
  if (existsSync(path)) return;
  makeDirectories(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Unlike `rename`, `link` is atomic and refuses an existing name. */
function writeOnce(path: string, text: string): void {
  const aside = join(dirname(path), `${draftPrefix(path)}${ownMark()}`);
  const descriptor = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY);
  try {
    try {
      fchmodSync(descriptor, OWNER_ONLY);
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
  syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  if (!HAS_POSIX_MODES) return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function requireOwnLinks(path: string): void {
  try {
    placeToWrite(dirname(path));
  } catch (error) {
    throw refused(path, 'is reached through a link of another user: give a path without it', error);
  }
}

/** Non-blocking, so that a named pipe at the path doesn't block the start. */
function openExisting(path: string): number | undefined {
  // The types say that these always exist, but Windows has neither.
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  try {
    return openSync(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw refused(path, 'is a symbolic link: give the path of the file itself', error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw refused(path, 'cannot be read by this user: chown it to the user that runs kyclone', error);
    }
    throw refused(path, `cannot be opened: ${whyRefused(error)}`, error);
  }
}

function assertPrivate(path: string, descriptor: number): Stats {
  const stats = fstatSync(descriptor);
  const { mode, uid } = stats;
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw refused(path, 'is not a regular file');
  if (HAS_POSIX_MODES && uid !== process.getuid?.()) {
    throw refused(path, 'belongs to another user: chown it to the user that runs kyclone');
  }
  if (HAS_POSIX_MODES && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    throw refused(path, `is open to other users (mode ${octal}): chmod 600 ${path}`);
  }
  return stats;
}

/** Compares the real paths, so that a symbolic link can't hide that the key is beside the data. */
function assertApart(path: string, dataDirectory: string | undefined): void {
  if (dataDirectory === undefined) return;
  const way = relative(realPlace(dataDirectory), join(realPlace(dirname(path)), basename(path)));
  if (way === '' || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== '..')) {
    throw refused(
      path,
      'is inside the data directory, where it would protect nothing: choose a place outside',
    );
  }
}

/** The path with links resolved in its existing part. */
function realPlace(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch (error) {
    const parent = dirname(absolute);
    if (systemCode(error) !== 'ENOENT' || parent === absolute) return absolute;
    return join(realPlace(parent), basename(absolute));
  }
}

function refused(path: string, problem: string, cause?: unknown): ServiceError {
  return new ServiceError('key_file_refused', `The key file ${path} ${problem}`, { cause });
}

function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
