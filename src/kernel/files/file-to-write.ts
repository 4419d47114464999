/**
 * Paths that a file is written to. Another user of the machine may plant a link in a shared folder such as /tmp, so that
 * a write there changes a file elsewhere. So a link is followed only if it belongs to this user or to root.
 */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { type ServiceError, invalid } from '../errors.ts';
import { isOfOthers, isOwnFolder } from './own-folder.ts';

const OWNER_ONLY = 0o600;
/** As many as Linux follows. */
const MOST_LINKS = 40;
/** The links below this folder, such as `/proc/self/fd/1`, are open files and not paths. */
const OPEN_FILES = `${sep}proc${sep}`;

/**
 * The absolute path without links; its last parts need not exist. Throws ServiceError `invalid_request`, which names
 * the path and the link, if a link on the way belongs to another user than this one and root. Windows creates links for
 * administrators only, so nothing is checked there.
 */
export function placeToWrite(path: string): string {
  const whole = resolve(path);
  if (process.getuid === undefined) return whole;
  let { root: place } = parse(whole);
  const parts = whole.split(sep);
  for (let links = 0; ;) {
    const part = parts.shift();
    if (part === undefined) return place;
    const next = join(place, part);
    const stats = lstatSync(next, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() !== true) {
      place = next;
      continue;
    }
    if (isOfOthers(stats.uid)) throw refused(path, `${next} is a link of another user`);
    if (next.startsWith(OPEN_FILES)) {
      place = next;
      continue;
    }
    if (++links > MOST_LINKS) throw refused(path, `${next} is one of too many links`);
    const target = readlinkSync(next);
    if (isAbsolute(target)) place = parse(target).root;
    parts.unshift(...target.split(sep));
  }
}

/**
 * Opens a file to append to it, after removing its content if `isEmptied`; creates it for this user alone. Returns the
 * descriptor. Follows no link at the end of the path if `followsOwn` is false. In a folder where others can write, it
 * opens no file that has another name elsewhere. Throws as `placeToWrite`, and the system's own errors.
 */
export function openToWrite(path: string, { isEmptied = false, followsOwn = true } = {}): number {
  const placeOf = () => (followsOwn ? placeToWrite(path) : join(placeToWrite(dirname(path)), basename(path)));
  const place = placeOf();
  const isOpenFile = place.startsWith(OPEN_FILES);
  // The types say that this always exists, but Windows lacks it.
  const { O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  const file = openSync(place, isOpenFile ? flags : flags | O_NOFOLLOW, OWNER_ONLY);
  try {
    const opened = fstatSync(file);
    if (!isOpenFile && opened.isFile()) {
      // Somebody may have replaced a folder since the links were checked.
      const found = lstatSync(placeOf(), { throwIfNoEntry: false });
      if (found?.ino !== opened.ino || found.dev !== opened.dev) {
        throw refused(path, 'it was replaced while it was opened');
      }
      if (opened.nlink > 1 && !isOwnFolder(dirname(place))) {
        throw refused(path, 'it has a second name, which another user may have made');
      }
      if (isEmptied) ftruncateSync(file);
    }
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function refused(path: string, why: string): ServiceError {
  return invalid(`The file ${path} is not written: ${why}; name a file in a folder of your own`);
}
