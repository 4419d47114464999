/**
 * What a machine can refuse, and what the CLI reports then. It never reports "Unexpected failure" or a stack, but a
 * sentence with the path and what to set, and it ends with the matching exit code. What needs more than Node to refuse is
 * in refusing-machine-tools.test.ts.
 */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import {
  expectPreciseReports,
  inHome,
  SET,
  START,
  withPreferences,
  type Refusal,
  type ExpectedFailure,
} from '../../support/refusals.ts';
import '../../support/tier-all.ts';

const PLAIN: readonly Refusal[] = [
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
    // A start went on for ever here.
    what: 'KYCLONE_HOME is where the system makes no folder',
    prepare: () => inHome('/proc/kyclone'),
    says: {
      [START]: [1, /\/proc\/kyclone .*ENOENT[\s\S]*KYCLONE_HOME/],
      'start --port 0': [2, /\/proc\/kyclone\/\S+ .*ENOENT.*KYCLONE_HOME/],
      [SET]: [1, /\/proc\/kyclone .*ENOENT[\s\S]*KYCLONE_HOME/],
    },
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
  ...['{"seed": ', '[1,2]', '"text"', ''].map((text) => ({
    what: `the preferences are ${JSON.stringify(text)}`,
    prepare: (folder: string) => withPreferences(folder, text),
    says: {
      [START]: damaged(),
      [SET]: damaged(),
      'config list': damaged(),
      'config delete seed': damaged(),
      'exec -- true': damaged(),
      doctor: [
        1,
        /fail +settings .*config\.json contains no JSON object; repair the file/,
      ] as ExpectedFailure,
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

/** Runs the CLI as the child of a program that does something before, with these streams. */
const under = (before: string, streams: string) => [
  process.execPath,
  '-e',
  `const fs = require('node:fs');
  ${before}
  const [, program, ...argv] = process.argv;
  process.exitCode = require('node:child_process').spawnSync(program, argv, { stdio: ${streams} }).status;`,
];
const FULL = `fs.openSync('/dev/full', 'w')`;

/** These are about the process itself. */
const OF_THE_PROCESS: readonly Refusal[] = [
  {
    what: 'the current folder was removed',
    prepare: () => ({
      under: under(`fs.mkdirSync('gone'); process.chdir('gone'); fs.rmdirSync('../gone');`, `'inherit'`),
    }),
    says: { init: [1, /The current folder cannot be used: it was removed[\s\S]*cd ~/] },
  },
  {
    what: 'the output is full',
    prepare: () => ({ under: under('', `['ignore', ${FULL}, 'inherit']`) }),
    says: {
      'config list': [1, /The output cannot be written: the disk is full \(ENOSPC\)/],
      doctor: [1, /The output cannot be written/],
    },
  },
  {
    what: 'the error output is full',
    prepare: () => ({ under: under('', `['ignore', 'inherit', ${FULL}]`) }),
    says: { status: [5, /^$/], 'config list': [0, /Nothing is kept/] },
  },
];

test.each(PLAIN)('$what: every command reports it precisely, not as an unexpected failure', (refusal) =>
  expectPreciseReports(refusal, runInProcess),
);

test.runIf(existsSync('/dev/full')).each(OF_THE_PROCESS)(
  '$what: every command reports it precisely',
  (refusal) => expectPreciseReports(refusal, runCli),
);

function file(path: string): string {
  writeFileSync(path, 'a file\n');
  return path;
}

function damaged(): ExpectedFailure {
  return [1, /config\.json contains no JSON object\nHint: repair the file, or remove it/];
}

function isFolder(path: string): ExpectedFailure {
  return [
    1,
    new RegExp(`${path} cannot be \\w+: it is a folder, not a file \\(EISDIR\\)[\\s\\S]*KYCLONE_HOME`),
  ];
}
