import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readKeyFile, readOrCreateKeyFile } from '../../../src/vault/keyring/key-file.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';
import { A_KEY, writeKeyFile } from './keyring-fixture.ts';

const isRoot = process.getuid?.() === 0;

function aLocation() {
  const root = tempDir();
  const dataDirectory = join(root, 'data');
  mkdirSync(dataDirectory);
  return { path: join(root, 'vault.key'), dataDirectory };
}

function refusedWith(message: string | RegExp) {
  const text: unknown =
    message instanceof RegExp ? expect.stringMatching(message) : expect.stringContaining(message);
  return expect.objectContaining({ code: 'key_file_refused', message: text }) as Error;
}

test('key file: a new one is for the owner only, in directories for the owner only, and nothing else is left', () => {
  const { dataDirectory, path } = aLocation();
  const location = { dataDirectory, path: join(dirname(path), 'new', 'deep', 'vault.key') };
  const { key, isNew } = readOrCreateKeyFile(location);
  expect(isNew).toBe(true);
  expect(readFileSync(location.path, 'utf8')).toMatch(/^# kyclone vault key[^\n]*\n[0-9a-f]{64}\n$/);
  expect(readFileSync(location.path, 'utf8')).toContain(Buffer.from(key).toString('hex'));
  expect(statSync(location.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(location.path)).mode & 0o777).toBe(0o700);
  expect(statSync(dirname(dirname(location.path))).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(location.path))).toEqual(['vault.key']);
});

test('key file: the mode does not depend on the umask', () => {
  const location = aLocation();
  const umask = process.umask(0o277);
  try {
    readOrCreateKeyFile(location);
  } finally {
    process.umask(umask);
  }
  expect(statSync(location.path).mode & 0o777).toBe(0o600);
});

test('key file: an existing one is read and not written', () => {
  const location = aLocation();
  writeKeyFile(location.path, A_KEY);
  const before = readFileSync(location.path);
  const { key, isNew } = readOrCreateKeyFile(location);
  expect(isNew).toBe(false);
  expect(Buffer.from(key).toString('hex')).toBe(A_KEY);
  expect(readFileSync(location.path)).toEqual(before);
});

test('key file: absent is undefined for a reader, who makes none', () => {
  const location = aLocation();
  expect(readKeyFile(location)).toBeUndefined();
  expect(existsSync(location.path)).toBe(false);
});

test.each(['0644', '0640', '0604', '0660', '0601'])(
  'key file: mode %s is refused with the command that mends it',
  (mode) => {
    const location = aLocation();
    writeKeyFile(location.path, A_KEY);
    chmodSync(location.path, parseInt(mode, 8));
    expect(() => readKeyFile(location)).toThrow(
      refusedWith(`${location.path} is open to other users (mode ${mode}): chmod 600 ${location.path}`),
    );
  },
);

test.each(['0600', '0400'])('key file: mode %s is accepted', (mode) => {
  const location = aLocation();
  writeKeyFile(location.path, A_KEY);
  chmodSync(location.path, parseInt(mode, 8));
  expect(readKeyFile(location)).toHaveLength(32);
});

test('key file: a symbolic link in its place is refused, even to a good file', () => {
  const { path, dataDirectory } = aLocation();
  writeKeyFile(`${path}.real`, A_KEY);
  symlinkSync(`${path}.real`, path);
  expect(() => readKeyFile({ path, dataDirectory })).toThrow(refusedWith('is a symbolic link'));
  expect(() => readOrCreateKeyFile({ path, dataDirectory })).toThrow(refusedWith('is a symbolic link'));
});

test('key file: a dangling symbolic link is refused, and nothing is written through it', () => {
  const { path, dataDirectory } = aLocation();
  symlinkSync(`${path}.nowhere`, path);
  expect(() => readOrCreateKeyFile({ path, dataDirectory })).toThrow(refusedWith('is a symbolic link'));
  expect(existsSync(`${path}.nowhere`)).toBe(false);
});

test('key file: a directory in its place is refused', () => {
  const location = aLocation();
  mkdirSync(location.path, { mode: 0o700 });
  expect(() => readKeyFile(location)).toThrow(refusedWith('is not a regular file'));
});

test("key file: another user's file is refused", () => {
  const location = aLocation();
  // Root can change the owner of a file. Any other user takes a file that root owns.
  const path = isRoot ? location.path : '/etc/hostname';
  if (isRoot) {
    writeKeyFile(path, A_KEY);
    chownSync(path, 65534, 65534);
  }
  expect(() => readKeyFile({ ...location, path })).toThrow(refusedWith('belongs to another user: chown'));
});

test.each([
  ['empty', ''],
  ['a key without the comment line', `${A_KEY}\n`],
  ['a key of 63 characters', `# key\n${A_KEY.slice(1)}\n`],
  ['a key of 65 characters', `# key\n${A_KEY}0\n`],
  ['a key that is not hexadecimal', `# key\n${A_KEY.slice(1)}g\n`],
  ['a key with blanks', `# key\n ${A_KEY}\n`],
  ['a second key', `# key\n${A_KEY}\n${A_KEY}\n`],
  ['a comment only', '# key\n'],
  ['Windows line ends', `# key\r\n${A_KEY}\r\n`],
  ['a long file', `# ${'x'.repeat(20_000)}\n${A_KEY}\n`],
])('key file: malformed (%s) is refused and stays as it is', (_name, text) => {
  const location = aLocation();
  writeFileSync(location.path, text, { mode: 0o600 });
  expect(() => readOrCreateKeyFile(location)).toThrow(refusedWith(/is not a vault key|is too long/));
  expect(readFileSync(location.path, 'utf8')).toBe(text);
});

test('key file: the refusal never shows what is in the file', () => {
  const location = aLocation();
  writeFileSync(location.path, `${A_KEY}\n`, { mode: 0o600 });
  expect(() => readKeyFile(location)).toThrow(refusedWith(new RegExp(`^((?!${A_KEY}).)*$`)));
});

test('key file: a place in the data directory is refused, also by way of links and dots', () => {
  const { path, dataDirectory } = aLocation();
  const root = dirname(path);
  symlinkSync(dataDirectory, join(root, 'link'));
  const inside = [
    join(dataDirectory, 'vault.key'),
    join(dataDirectory, '..vault.key'),
    join(dataDirectory, 'not', 'yet', 'vault.key'),
    join(root, 'link', 'vault.key'),
    `${root}/other/../data/vault.key`,
  ];
  for (const each of inside) {
    expect(() => readOrCreateKeyFile({ path: each, dataDirectory }), each).toThrow(
      refusedWith('is inside the data directory'),
    );
  }
  expect(readdirSync(dataDirectory)).toEqual([]);
});

test('key file: a place beside the data directory is fine, whatever its name begins with', () => {
  const { dataDirectory } = aLocation();
  expect(readOrCreateKeyFile({ path: `${dataDirectory}.key`, dataDirectory }).isNew).toBe(true);
});

test('key file: a place that cannot be written is refused with the reason', () => {
  const { path, dataDirectory } = aLocation();
  writeFileSync(path, '');
  const under = join(path, 'vault.key');
  expect(() => readOrCreateKeyFile({ path: under, dataDirectory })).toThrow(refusedWith('ENOTDIR'));
});
