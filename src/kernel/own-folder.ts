/**
 * Whether a folder is safe from other users of the machine, as ssh judges it: it belongs to this user, nobody else may
 * write in it, and nobody else may put another one in its place, which everything above it decides.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from './errors.ts';

const OTHERS_MAY_WRITE = 0o002;
const GROUP_MAY_WRITE = 0o020;
/** Who may write in such a folder can still not rename what belongs to others; /tmp is one. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Throws ServiceError `invalid_request`, which names the folder and what to do. Windows keeps the folders of a user
 * private by itself. As root, folders above may belong to others: containers often have such a home, and the folder
 * itself is judged whenever it is used. `mayBeOfRoot`: the system may have made it for this user, as it does for secrets
 * of a container.
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

/** The group that many systems make for each user and no other, and that of root. */
function isPrivateGroup(gid: number, user: number): boolean {
  return gid === user || gid === ROOT;
}

const OVERFLOW_UID = 65_534;

/** In a user namespace, as containers without root have, owners outside of it all look like this one. */
function isUnmapped(uid: number): boolean {
  if (uid !== OVERFLOW_UID) return false;
  try {
    return !/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    return false;
  }
}

function refused(path: string, folder: string, why: string, remedy = ''): ServiceError {
  const what =
    folder === realpathSync(path) ? `The folder ${path}` : `The folder ${folder}, in which ${path} is,`;
  return new ServiceError(
    'invalid_request',
    `${what} ${why}; ${remedy}set KYCLONE_HOME to a folder of your own`,
  );
}
