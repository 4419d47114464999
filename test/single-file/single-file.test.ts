/** The single executable where no Node is: it does what the package does, and writes nothing of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { startKeychain } from '../support/keychain.ts';
import { singleFile } from '../support/single-file.ts';
import { tempDir } from '../support/temp-dir.ts';
import { Tmux } from '../support/tmux.ts';

type Words = readonly string[];

/** `PATH` leads nowhere, so that only the executable can run. */
function run(program: string, words: Words, home: string, more: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    input: '',
    cwd: home,
    env: cleanEnvironment(home, { PATH: '/nonexistent', ...more }),
  });
  return { status, stdout, stderr };
}

/** The executable as another user has put it somewhere, read-only and in a path with blanks, and a link to it. */
function installed() {
  const folder = tempDir();
  const place = join(folder.path, 'put by another');
  const home = join(folder.path, 'home');
  for (const each of [place, home]) mkdirSync(each);
  const file = join(place, 'kyclone 1');
  copyFileSync(singleFile(), file);
  chmodSync(file, 0o555);
  chmodSync(place, 0o555);
  const links = ['kyclone', 'kycloned'].map((name) => join(folder.path, name));
  for (const link of links) symlinkSync(file, link);
  const [kyclone = '', kycloned = ''] = links;
  return {
    home,
    file,
    kyclone,
    kycloned,
    place,
    [Symbol.dispose]() {
      run(kyclone, ['stop'], home);
      chmodSync(place, 0o755);
      folder[Symbol.dispose]();
    },
  };
}

const SAME: readonly Words[] = [
  ['--version'],
  [],
  ['help'],
  ['status'],
  ['nonsense'],
  ['users', '--help'],
  ['users', 'create', '-h'],
  [':nonsense'],
  ['users', 'lst'],
  ['start', '--port', 'x'],
  ['inspect', '--help'],
  ['errors', 'T120'],
  ['capabilities', '--json'],
  ['completion', 'print', 'fish'],
  ['completion', 'print', 'zsh'],
  ['vault', 'identifiers'],
  ['transform', 'list'],
  ['fake', 'user', '--seed', 'x'],
  ['config', 'list'],
];

test.each(SAME.map((words) => [words.join(' '), words] as const))(
  'single file: kyclone %s prints what the package prints, with the same exit code',
  (_line, words) => {
    using home = tempDir();
    const neutral = ({ status, stdout, stderr }: ReturnType<typeof run>) => ({
      status,
      text: `${stdout}${stderr}`.replaceAll(/node-v\S+/g, 'node'),
    });
    const ofPackage = run(process.execPath, [join(ROOT, 'bin', 'kyclone.js'), ...words], home.path);
    expect(neutral(run(singleFile(), words, home.path))).toEqual(neutral(ofPackage));
  },
);

test('single file: read-only, by a link and in a path with blanks, it is CLI and daemon and asks for no Node', async () => {
  using own = installed();
  const kyclone = (...words: Words) => {
    const { status, stdout, stderr } = run(own.kyclone, words, own.home);
    expect(status, `${words.join(' ')}: ${stderr}`).toBe(0);
    expect(stderr).not.toMatch(/warning/i);
    return stdout;
  };
  expect(run(own.kycloned, ['--version'], own.home)).toMatchObject({ status: 0, stderr: '' });
  expect(run(own.kycloned, ['--version'], own.home).stdout).toBe(
    run(own.kyclone, [':kycloned', '--version'], own.home).stdout,
  );
  const { base_url: url, pid } = JSON.parse(kyclone('start', '-d', '--port', '0', '--json')) as {
    base_url: string;
    pid: number;
  };
  expect(readlinkSync(`/proc/${pid}/exe`)).toBe(own.file);
  const id = kyclone('users', 'create', 'id.first_name=Jane', '--output', 'id').trim();
  kyclone('snapshot', 'save', 'one');
  kyclone('users', 'delete', id, '--yes');
  kyclone('snapshot', 'load', 'one', '--yes');
  expect(kyclone('vault', 'decrypt', id, 'id.first_name', '--reason', 'test', '--json')).toContain('Jane');
  for (const path of ['/_kyclone/form.js', '/_kyclone/docs', '/hosted/flow.js', '/hosted/browser.js']) {
    expect((await fetch(`${url}${path}`)).status, path).toBe(200);
  }
  const checks = kyclone('doctor', '--deep');
  expect(checks).toMatch(/^ok +SQLite +node:sqlite/m);
  expect(checks).toMatch(/^ok +store +every page is whole/m);
  kyclone('stop');
  expect(kyclone('doctor', '--deep')).toMatch(/^ok +store +every page is whole/m);
  kyclone('demo');
  expect(run(own.kyclone, ['exec', '--', '/bin/sh', '-c', 'exit 7'], own.home).status).toBe(7);
  expect(readdirSync(own.place)).toEqual(['kyclone 1']);
  expect(existing(own.home).filter((name) => /cache|\.node$/.test(name))).toEqual([]);
});

const existing = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' });

test('single file: NODE_OPTIONS and NODE_PATH of a project are for its own Node', () => {
  using home = tempDir();
  const code = join(home.path, 'code.cjs');
  writeFileSync(code, "require('node:fs').writeFileSync(__dirname + '/ran', '')");
  const foreign = { NODE_OPTIONS: `--require ${code} --inspect=0`, NODE_PATH: home.path };
  expect(run(singleFile(), ['exec', '--', '/bin/true'], home.path, foreign)).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
  expect(existing(home.path)).not.toContain('ran');
});

test('single file: the inspector opens', async () => {
  using home = tempDir();
  run(singleFile(), ['start', '-d', '--ephemeral', '--port', '0'], home.path);
  using terminal = new Tmux(home.path);
  terminal.run(`PATH=/nonexistent '${singleFile()}' inspect`);
  expect(await terminal.until(/connected/)).toMatch(/Users/);
  terminal.press('q');
  run(singleFile(), ['stop'], home.path);
});

test('single file: the library of the keychain is written once, for this user alone, and replaced when it differs', async () => {
  const session = await startKeychain();
  try {
    using own = installed();
    const environment = { ...session.environment, KYCLONE_NO_KEYCHAIN: '' };
    const kyclone = (...words: Words) => run(own.kyclone, words, own.home, environment);
    expect(kyclone('start', '-d', '--port', '0', '--require-keychain')).toMatchObject({ status: 0 });
    const folder = join(own.home, 'config', 'native');
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    const library = join(folder, name);
    const { mode, ino } = lstatSync(library);
    expect([mode & 0o777, lstatSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    kyclone('stop');
    expect(kyclone('doctor').stdout).toMatch(/^ok +keychain +loads$/m);
    expect(lstatSync(library).ino).toBe(ino);
    const content = readFileSync(library);
    writeFileSync(library, 'of somebody else');
    expect(kyclone('start', '-d', '--port', '0')).toMatchObject({ status: 0 });
    expect(readFileSync(library).equals(content)).toBe(true);
    kyclone('stop');
    chmodSync(folder, 0o777);
    expect(kyclone('start', '-d', '--port', '0').status).not.toBe(0);
  } finally {
    await session.stop();
  }
});

test('single file: it has the code caches, and no path of the folder that it was made in', () => {
  const text = execFileSync('strings', ['-n', '8', singleFile()], { encoding: 'utf8', maxBuffer: 2 ** 29 });
  expect(text).toContain('dist/daemon.cjs.cache');
  expect(text.includes(ROOT)).toBe(false);
});
