/**
 * What a machine can refuse, and what the real binary reports then. It never reports "Unexpected failure" or a stack,
 * but a sentence with the path and what to set, and it ends with the matching exit code. Cases that mount something or
 * need a second user run as root only, as in a pipeline's container, and are skipped elsewhere.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOBODY = '65534';
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const canMount = isRoot && succeeds(() => execFileSync('unshare', ['--mount', 'true']));
const hasSecondUser = isRoot && succeeds(() => execFileSync('setpriv', [...asNobody(), 'true']));

type Variables = Readonly<Record<string, string | undefined>>;
interface Setting {
  readonly environment: Variables;
  /** The command line that runs the binary. */
  readonly by?: readonly string[];
  readonly cwd?: string;
}
type Said = readonly [exitCode: number, says: RegExp];
interface Case {
  readonly what: string;
  readonly needs?: 'mount' | 'user';
  readonly prepare: (folder: string) => Setting;
  /** The expected message by command line. Any other command must only not fail unexpectedly. */
  readonly says: Readonly<Record<string, Said>>;
}

const START = 'start -d --port 0';
const SET = 'config set seed x';
/**
 * Lowers the limit of open files until Node lacks files. How many Node itself opens differs from machine to machine.
 */
const TOO_FEW_FILES = `for limit in 28 26 24 23 22 21 20 19 18 17 16; do
  said=$( (ulimit -n $limit && exec "$@") 2>&1); code=$?
  case $said in *EMFILE*) break ;; esac
done
echo "$said" >&2; exit $code`;

/** These commands run in every case, also without an expectation. */
const ALWAYS = ['status', 'doctor', 'config list'];

const PLAIN: readonly Case[] = [
  {
    what: 'KYCLONE_HOME is a file',
    prepare: (folder) => inHome(file(join(folder, 'home'))),
    says: {
      [START]: [1, /home is a file, not a folder \(ENOTDIR\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /home is a file, not a folder/],
      logs: [1, /daemon\.log cannot be opened: \S*home is a file/],
      doctor: [1, /fail +data folder .*home:? (?:it )?is a file/],
    },
  },
  {
    what: 'KYCLONE_HOME is a link to nothing',
    prepare: (folder) => {
      symlinkSync(join(folder, 'nowhere', 'at', 'all'), join(folder, 'home'));
      return inHome(join(folder, 'home'));
    },
    says: {
      [START]: [1, /home is a link to nothing \(EEXIST\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /home is a link to nothing/],
      'config get seed': [6, /seed is not set/],
      doctor: [1, /fail +data folder/],
    },
  },
  {
    what: 'KYCLONE_HOME has a name that is too long',
    prepare: (folder) => inHome(join(folder, 'a'.repeat(300))),
    says: {
      [START]: [1, /the path is too long \(ENAMETOOLONG\)[\s\S]*KYCLONE_HOME/],
      logs: [1, /the path is too long/],
      doctor: [1, /the path is too long/],
    },
  },
  {
    what: 'KYCLONE_HOME is a device',
    prepare: () => inHome('/dev/null'),
    says: { [START]: [1, /\/dev\/null is a file, not a folder/], [SET]: [1, /\/dev\/null is a file/] },
  },
  {
    what: 'TMPDIR is a file',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home'), TMPDIR: file(join(folder, 'tmp')) },
    }),
    says: {
      'exec -- true': [1, /No temporary folder can be created in \S+tmp: .*ENOTDIR[\s\S]*TMPDIR/],
      doctor: [1, /fail +temporary .*it is a file, not a folder; set TMPDIR/],
    },
  },
  {
    what: 'TMPDIR is missing',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home'), TMPDIR: join(folder, 'no', 'such') },
    }),
    says: {
      'exec -- true': [
        1,
        /No temporary folder can be created in \S+such: there is no such .*ENOENT[\s\S]*TMPDIR/,
      ],
      doctor: [1, /fail +temporary/],
    },
  },
  {
    what: 'the current folder was removed',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home') },
      by: [
        'sh',
        '-c',
        `mkdir ${folder}/gone && cd ${folder}/gone && rmdir ${folder}/gone && exec "$@"`,
        'sh',
      ],
    }),
    says: { init: [1, /The current folder cannot be used: it was removed[\s\S]*cd ~/] },
  },
  {
    what: 'too many files are open',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home') },
      by: ['sh', '-c', TOO_FEW_FILES, 'sh'],
    }),
    says: { status: [1, /too many files are open \(EMFILE\)/] },
  },
  {
    what: 'the output is full',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home') },
      by: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'],
    }),
    says: {
      'config list': [1, /The output cannot be written: the disk is full \(ENOSPC\)/],
      doctor: [1, /The output cannot be written/],
    },
  },
  {
    what: 'every stream is closed',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home') },
      by: ['sh', '-c', 'exec "$@" 0<&- 1>&- 2>&-', 'sh'],
    }),
    says: { status: [5, /^$/], 'config list': [0, /^$/], bogus: [2, /^$/] },
  },
  {
    what: 'the error output is full',
    prepare: (folder) => ({
      environment: { KYCLONE_HOME: join(folder, 'home') },
      by: ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh'],
    }),
    says: { status: [5, /^$/], 'config list': [0, /Nothing is kept/] },
  },
  ...['{"seed": ', '[1,2]', '"text"', ''].map((text) => ({
    what: `the preferences are ${JSON.stringify(text)}`,
    prepare: (folder: string) => withPreferences(folder, text),
    says: {
      [START]: damaged(),
      [SET]: damaged(),
      'config list': damaged(),
      'config delete seed': damaged(),
      'exec -- true': damaged(),
      doctor: [1, /fail +settings .*config\.json contains no JSON object; repair the file/] as Said,
    },
  })),
  {
    what: 'a preference that no daemon takes',
    prepare: (folder) => withPreferences(folder, '{"egress.policy": "wild", "seed": "s", "nope": 1}'),
    says: {
      [START]: [
        2,
        /egress\.policy is kept with a value that cannot be used: .*strict, local, open\n {2}file: \S+config\.json\nHint: kyclone config delete egress\.policy/,
      ],
      'exec -- true': [2, /kyclone config delete egress\.policy/],
      doctor: [1, /fail +settings .*egress\.policy .*config\.json.*kyclone config delete egress\.policy/],
      'config list': [0, /wild/],
      [SET]: [0, /seed is kept/],
      'config delete nope': [0, /nope is forgotten/],
      'config delete egress.policy': [0, /egress\.policy is forgotten/],
    },
  },
  ...(['config/config.json', 'state/default/daemon.json', 'state/default/daemon.log'] as const).map(
    (path) => ({
      what: `a folder stands where ${path} is kept`,
      prepare: (folder: string) => {
        mkdirSync(join(folder, 'home', path), { recursive: true });
        for (const part of ['', 'state', 'state/default', 'config']) {
          if (path.startsWith(part)) chmodSync(join(folder, 'home', part), 0o700);
        }
        return inHome(join(folder, 'home'));
      },
      says: {
        ...(path.endsWith('config.json') && { [SET]: isFolder(path), 'config get seed': isFolder(path) }),
        ...(path.endsWith('daemon.log') && { logs: isFolder(path), [START]: isFolder(path) }),
      },
    }),
  ),
  {
    what: 'the data folder is a file',
    prepare: (folder) => {
      mkdirSync(join(folder, 'home'), { mode: 0o700 });
      file(join(folder, 'home', 'data'));
      return inHome(join(folder, 'home'));
    },
    says: {
      [START]: [2, /home\/data is a file, not a folder[\s\S]*KYCLONE_HOME/],
      doctor: [1, /fail +data folder .*home\/data:? (?:it )?is a file/],
    },
  },
  {
    what: 'HOME is not absolute',
    prepare: () => ({ environment: { KYCLONE_HOME: undefined, HOME: 'here' } }),
    says: { status: [2, /HOME is not an absolute path[\s\S]*KYCLONE_HOME/], doctor: [1, /fail +instance/] },
  },
  {
    what: 'a project file that is a folder',
    prepare: (folder) => {
      mkdirSync(join(folder, 'project', 'kyclone.config.yaml'), { recursive: true });
      return { ...inHome(join(folder, 'home')), cwd: join(folder, 'project') };
    },
    says: {
      status: [2, /kyclone\.config\.yaml is not a file/],
      doctor: [1, /fail +project .*kyclone\.config\.yaml is not a file/],
    },
  },
  {
    what: 'a project file with a setting that no daemon takes',
    prepare: (folder) => {
      mkdirSync(join(folder, 'project'));
      writeFileSync(join(folder, 'project', 'kyclone.config.json'), '{"settings":{"egress.policy":"wild"}}');
      return { ...inHome(join(folder, 'home')), cwd: join(folder, 'project') };
    },
    says: {
      [START]: [2, /kyclone\.config\.json: Setting egress\.policy must be one of strict, local, open/],
      doctor: [1, /fail +project .*egress\.policy/],
    },
  },
];

const MOUNTED: readonly Case[] = [
  {
    what: 'HOME is on a read-only file system',
    needs: 'mount',
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
    needs: 'mount',
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
    needs: 'mount',
    prepare: (folder) => mounted(folder, 'nr_inodes=2', { KYCLONE_HOME: join(folder, 'mount', 'home') }),
    says: {
      [START]: [1, /cannot be created: the disk is full \(ENOSPC\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /cannot be created: the disk is full/],
    },
  },
  {
    what: 'the disk has no space for another byte',
    needs: 'mount',
    prepare: (folder) => ({
      ...mounted(folder, 'size=4k', { KYCLONE_HOME: join(folder, 'mount', 'home') }),
      by: mountedBy(folder, 'size=4k', 'head -c 9999 /dev/zero > "$MOUNT/filler" 2> /dev/null;'),
    }),
    says: {
      [SET]: [1, /config\.json cannot be written: the disk is full \(ENOSPC\)[\s\S]*KYCLONE_HOME/],
      doctor: [0, /warn +disk space +only 0 MiB free/],
    },
  },
];

const OTHERS: readonly Case[] = [
  {
    what: 'KYCLONE_HOME is closed to this user',
    needs: 'user',
    prepare: (folder) => {
      mkdirSync(join(folder, 'home'), { mode: 0o700 });
      return { ...inHome(join(folder, 'home')), by: ['setpriv', ...asNobody()] };
    },
    says: {
      status: [4, /daemon\.json cannot be read: permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      doctor: [1, /permission denied/],
    },
  },
  {
    what: 'KYCLONE_HOME may be read by this user and not written',
    needs: 'user',
    prepare: (folder) => {
      mkdirSync(join(folder, 'home'), { mode: 0o755 });
      return { ...inHome(join(folder, 'home')), by: ['setpriv', ...asNobody()] };
    },
    says: {
      [START]: [1, /home\/\w+ cannot be created: permission denied \(EACCES\)[\s\S]*KYCLONE_HOME/],
      [SET]: [1, /home\/config cannot be created: permission denied/],
      doctor: [1, /cannot be created: \S+home: permission denied/],
    },
  },
  {
    what: 'the preferences belong to another user',
    needs: 'user',
    prepare: (folder) => {
      const setting = withPreferences(folder, '{"seed":"x"}');
      for (const path of ['home', 'home/config'])
        chownSync(join(folder, path), Number(NOBODY), Number(NOBODY));
      return { ...setting, by: ['setpriv', ...asNobody()] };
    },
    says: {
      'config list': [1, /config\.json cannot be opened: permission denied/],
      [SET]: [1, /config\.json cannot be opened: permission denied/],
      doctor: [1, /fail +settings .*permission denied/],
    },
  },
  {
    what: 'there is no HOME and the system knows no such user',
    needs: 'user',
    prepare: (folder) => {
      mkdirSync(join(folder, 'tmp'));
      chmodSync(join(folder, 'tmp'), 0o1777);
      return {
        environment: { KYCLONE_HOME: undefined, HOME: undefined, TMPDIR: join(folder, 'tmp') },
        by: ['setpriv', ...asNobody('61234')],
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

const open: Disposable[] = [];
afterEach(() => {
  for (const folder of open.splice(0)) folder[Symbol.dispose]();
});

describe.each([...PLAIN, ...MOUNTED, ...OTHERS])('$what', ({ needs, prepare, says }) => {
  const isPossible = needs === undefined || (needs === 'mount' ? canMount : hasSecondUser);
  const commands = [...new Set([...Object.keys(says), ...ALWAYS])];
  test.skipIf(!isPossible)('every command reports it precisely, not as an unexpected failure', async () => {
    const folder = tempDir();
    open.push(folder);
    chmodSync(folder.path, 0o755);
    const setting = prepare(folder.path);
    for (const command of commands) {
      const { code, output } = await run(command, setting, folder.path);
      expect.soft(output, command).not.toMatch(/Unexpected failure|internal_error/);
      expect.soft(output, command).not.toMatch(/^\s+at .*:\d+:\d+|node:internal|SystemError|TypeError/m);
      const expected = says[command];
      if (expected !== undefined) {
        expect.soft(output, command).toMatch(expected[1]);
        expect.soft(code, command).toBe(expected[0]);
      }
    }
  });
});

async function run(command: string, { environment, by = [], cwd }: Setting, folder: string) {
  const argv = [...by, process.execPath, join(ROOT, 'bin', 'kyclone.js'), ...command.split(' ')];
  const merged: Record<string, string | undefined> = {
    ...cleanEnvironment(join(folder, 'home')),
    ...environment,
    MOUNT: join(folder, 'mount'),
  };
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)),
    cwd: cwd ?? folder,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) =>
      resolve(exit ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  return { code, output };
}

function inHome(path: string): Setting {
  return { environment: { KYCLONE_HOME: path } };
}

function withPreferences(folder: string, text: string): Setting {
  mkdirSync(join(folder, 'home', 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'home', 'config', 'config.json'), text, { mode: 0o600 });
  return inHome(join(folder, 'home'));
}

/** Mounts a file system of its own for each command; it disappears with the command. */
function mounted(folder: string, options: string, environment: Variables): Setting {
  return { environment, by: mountedBy(folder, options) };
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

function file(path: string): string {
  writeFileSync(path, 'a file\n');
  return path;
}

function damaged(): Said {
  return [1, /config\.json contains no JSON object\nHint: repair the file, or remove it/];
}

function isFolder(path: string): Said {
  return [
    1,
    new RegExp(`${path} cannot be \\w+: it is a folder, not a file \\(EISDIR\\)[\\s\\S]*KYCLONE_HOME`),
  ];
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
