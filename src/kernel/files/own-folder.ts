/**
 * Checks whether other users of the machine can tamper with a folder, by the rules of ssh: it belongs to this user,
 * nobody else may write in it, and no parent folder lets anybody else replace it.
 */
import { attempt } from '../attempt.ts';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ServiceError, invalid } from '../errors.ts';

const OTHERS_MAY_WRITE = 0o002;
const GROUP_MAY_WRITE = 0o020;
/** In a sticky folder such as /tmp, a user with write permission can't rename the files of others. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Throws ServiceError `invalid_request`, which names the folder and the remedy. Windows protects the folders of a user
 * by itself. For root, parent folders may belong to others: the home in a container often does, and the folder itself
 * is checked at each use. `mayBeOfRoot`: root may own the folder, as it does for a container's secrets.
 */
export function requireOwnFolder(path: string, { mayBeOfRoot = false } = {}): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const own = realpathSync(path);
  for (let folder = own; ; folder = dirname(folder)) {
    const { uid, gid, mode } = lstatSync(folder);
    const isAbove = folder !== own;
    const isOwner =
      uid === user ||
      ((isAbove || mayBeOfRoot) && (uid === ROOT || isUnmapped(uid))) ||
      (isAbove && user === ROOT);
    if (!isOwner) throw refused(path, folder, 'belongs to another user');
    const isOpen =
      (mode & OTHERS_MAY_WRITE) !== 0 || ((mode & GROUP_MAY_WRITE) !== 0 && !isPrivateGroup(gid, user));
    if (isOpen && (!isAbove || (mode & STICKY) === 0)) {
      throw refused(path, folder, 'can be written to by other users', `chmod go-w ${folder}, or `);
    }
    if (folder === dirname(folder)) return;
  }
}

/** Whether `requireOwnFolder` lets the folder pass; false where it can't be looked at. */
export function isOwnFolder(path: string): boolean {
  const passes = attempt(() => {
    requireOwnFolder(path);
    return true;
  });
  return passes ?? false;
}

/** Whether a link belongs neither to this user nor to root. False on Windows. */
export function isOfOthers(uid: number): boolean {
  return process.getuid !== undefined && uid !== process.getuid() && uid !== ROOT && !isUnmapped(uid);
}

/** The user's own private group, which many systems create, or the group of root. */
function isPrivateGroup(gid: number, user: number): boolean {
  return gid === user || gid === ROOT;
}

const OVERFLOW_UID = 65_534;

/** In a user namespace, as in rootless containers, all owners outside of it have this uid. */
function isUnmapped(uid: number): boolean {
  if (uid !== OVERFLOW_UID) return false;
  const map = attempt(() => readFileSync('/proc/self/uid_map', 'utf8'));
  return map !== undefined && !/^\s*0\s+0\s+4294967295\s*$/.test(map);
}

function refused(path: string, folder: string, why: string, remedy = ''): ServiceError {
  const what =
    folder === realpathSync(path) ? `The folder ${path}` : `The folder ${folder}, in which ${path} is,`;
  return invalid(`${what} ${why}; ${remedy}set KYCLONE_HOME to a folder of your own`);
}
