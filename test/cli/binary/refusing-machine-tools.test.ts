/**
 * Like refusing-machine.test.ts, where a shell, a mount or a second user has to refuse. Cases that mount something or
 * need a second user run as root only, as in a pipeline's container, and are skipped elsewhere.
 */
import '../../support/tier-all.ts';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import {
  expectPreciseReports,
  inHome,
  SET,
  START,
  withPreferences,
  type Refusal,
  type Setting,
} from '../../support/refusals.ts';

const NOBODY = '65534';
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const canMount = isRoot && succeeds(() => execFileSync('unshare', ['--mount', 'true']));
const hasSecondUser = isRoot && succeeds(() => execFileSync('setpriv', [...asNobody(), 'true']));

/**
 * Lowers the limit of open files until Node lacks files. How many Node itself opens differs from machine to machine.
 */
const TOO_FEW_FILES = `for limit in 28 26 24 23 22 21 20 19 18 17 16; do
  said=$( (ulimit -n $limit && exec "$@") 2>&1); code=$?
  case $said in *EMFILE*) break ;; esac
done
echo "$said" >&2; exit $code`;

const BY_A_SHELL: readonly Refusal[] = [
  {
    what: 'too many files are open',
    prepare: () => ({ under: ['sh', '-c', TOO_FEW_FILES, 'sh'] }),
    says: { status: [1, /too many files are open \(EMFILE\)/] },
  },
  {
    what: 'every stream is closed',
    prepare: () => ({ under: ['sh', '-c', 'exec "$@" 0<&- 1>&- 2>&-', 'sh'] }),
    says: { status: [5, /^$/], 'config list': [0, /^$/], bogus: [2, /^$/] },
  },
];

const MOUNTED: readonly Refusal[] = [
  {
    what: 'HOME is on a read-only file system',
    prepare: (folder) => mounted(folder, 'ro', { KYCLONE_HOME: undefined, HOME: join(folder, 'mount') }),
    says: {
      [START]: [
        1,
        /mount\/\.local cannot be created: the file system is read-only \(EROFS\)[\s\S]*KYCLONE_HOME/,
      ],
      [SET]: [1, /mount\/\.config cannot be created: the file system is read-only/],
      'completion install --shell bash': [1, /the file system is read-only/],
      doctor: [1, /fail +state folder .*the file system is read-only/],
    },
  },
  {
    what: 'TMPDIR is on a read-only file system',
    prepare: (folder) =>
      mounted(folder, 'ro', { KYCLONE_HOME: join(folder, 'home'), TMPDIR: join(folder, 'mount') }),
    says: {
      'exec -- true': [
        1,
        /No temporary folder can be created in \S+mount: the file system is read-only[\s\S]*TMPDIR/,
      ],
    },
  },
  {
    what: 'the disk has no space for another file',
    prepare: (folder) => mounted(folder, 'nr_inodes=2', { KYCLONE_HOME: join(folder, 'mount', 'home') }),
    says: {
      [START]: [1, /cannot be created: the disk is full \(ENOSPC\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /cannot be created: the disk is full/],
    },
  },
  {
    what: 'the disk has no space for another byte',
    prepare: (folder) => ({
      ...mounted(folder, 'size=4k', { KYCLONE_HOME: join(folder, 'mount', 'home') }),
      under: mountedBy(folder, 'size=4k', 'head -c 9999 /dev/zero > "$MOUNT/filler" 2> /dev/null;'),
    }),
    says: {
      [SET]: [1, /config\.json cannot be written: the disk is full \(ENOSPC\)[\s\S]*KYCLONE_HOME/],
      doctor: [0, /warn +disk space +only 0 MiB free/],
    },
  },
];

const TO_ANOTHER_USER: readonly Refusal[] = [
  {
    what: 'KYCLONE_HOME is closed to this user',
    prepare: (folder) => {
      mkdirSync(join(folder, 'home'), { mode: 0o700 });
      return { ...inHome(join(folder, 'home')), under: ['setpriv', ...asNobody()] };
    },
    says: {
      status: [4, /daemon\.json cannot be read: permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      doctor: [1, /permission denied/],
    },
  },
  {
    what: 'KYCLONE_HOME may be read by this user and not written',
    prepare: (folder) => {
      mkdirSync(join(folder, 'home'), { mode: 0o755 });
      return { ...inHome(join(folder, 'home')), under: ['setpriv', ...asNobody()] };
    },
    says: {
      [START]: [1, /home\/\w+ cannot be created: permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /home\/config cannot be created: permission denied/],
      doctor: [1, /cannot be created: \S+home: permission denied/],
    },
  },
  {
    what: 'the preferences belong to another user',
    prepare: (folder) => {
      const setting = withPreferences(folder, '{"seed":"x"}');
      for (const path of ['home', 'home/config'])
        chownSync(join(folder, path), Number(NOBODY), Number(NOBODY));
      return { ...setting, under: ['setpriv', ...asNobody()] };
    },
    says: {
      'config list': [1, /config\.json cannot be opened: permission denied/],
      [SET]: [1, /config\.json cannot be opened: permission denied/],
      doctor: [1, /fail +settings .*permission denied/],
    },
  },
  {
    what: 'there is no HOME and the system knows no such user',
    prepare: (folder) => {
      mkdirSync(join(folder, 'tmp'));
      chmodSync(join(folder, 'tmp'), 0o1777);
      return {
        environment: { KYCLONE_HOME: undefined, HOME: undefined, TMPDIR: join(folder, 'tmp') },
        under: ['setpriv', ...asNobody('61234')],
      };
    },
    says: {
      status: [2, /HOME is not set, and the system knows no home folder of this user[\s\S]*KYCLONE_HOME/],
      [START]: [2, /HOME is not set/],
      doctor: [1, /fail +instance .*HOME is not set/],
      'exec -- true': [0, /^$/],
      '--help': [0, /USAGE/],
    },
  },
];

test.each(BY_A_SHELL)('$what: every command reports it precisely', (refusal) =>
  expectPreciseReports(refusal, runCli),
);

test.skipIf(!canMount).each(MOUNTED)('$what: every command reports it precisely', (refusal) =>
  expectPreciseReports(refusal, runCli),
);

test.skipIf(!hasSecondUser).each(TO_ANOTHER_USER)('$what: every command reports it precisely', (refusal) =>
  expectPreciseReports(refusal, runCli),
);

/** Mounts a file system of its own for each command; it disappears with the command. */
function mounted(folder: string, options: string, environment: Setting['environment'] = {}): Setting {
  return { environment: { ...environment, MOUNT: join(folder, 'mount') }, under: mountedBy(folder, options) };
}

function mountedBy(folder: string, options: string, before = ''): string[] {
  const mount = join(folder, 'mount');
  if (!readdirSync(folder).includes('mount')) mkdirSync(mount);
  const script = `mount -t tmpfs -o ${options} tmpfs "$MOUNT" && { ${before} exec "$@"; }`;
  return ['unshare', '--mount', 'sh', '-c', script, 'sh'];
}

function asNobody(user = NOBODY): string[] {
  return ['--reuid', user, '--regid', user, '--clear-groups'];
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
