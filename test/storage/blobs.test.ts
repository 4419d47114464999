import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBlobStore, isDiskFull } from '../../src/storage/blobs.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';
import { openHandles } from '../support/open-handles.ts';

const NAME = /^[0-9a-f]{32}$/;
const A_NAME = '00112233445566778899aabbccddeeff';
const damaged = { code: 'vault_damaged' };

function aBlobStore({ isDurable = true } = {}) {
  const home = tempDir();
  const folder = join(home, 'files');
  const blobs = createBlobStore({ folder, isDurable });
  const entries = () => readdirSync(folder).sort();

  async function store(...parts: string[]): Promise<string> {
    const writer = await blobs.create();
    for (const part of parts) await writer.write(Buffer.from(part));
    return writer.commit();
  }

  async function read(name: string, position = 0, length = 100): Promise<string> {
    const reader = await blobs.open(name);
    try {
      return Buffer.from(await reader.read(position, length)).toString();
    } finally {
      await reader.close();
    }
  }

  return { home, folder, blobs, entries, store, read, openHandles: () => openHandles(folder) };
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([true, false])('commit: the written bytes are under the name, durable %s', async (isDurable) => {
  const { store, read, entries, openHandles } = aBlobStore({ isDurable });
  const name = await store('one ', 'two');
  expect(openHandles()).toBe(0);
  expect(name).toMatch(NAME);
  expect(entries()).toEqual([name]);
  expect(await read(name)).toBe('one two');
});

test('commit: every blob has a name of its own', async () => {
  const { store } = aBlobStore();
  const names = await Promise.all(Array.from({ length: 20 }, () => store('same')));
  expect(new Set(names).size).toBe(20);
});

test('commit: a blob that nothing was written to is empty', async () => {
  const { store, blobs } = aBlobStore();
  const reader = await blobs.open(await store());
  expect(reader.size).toBe(0);
  expect(await reader.read(0, 10)).toHaveLength(0);
  await reader.close();
});

test('create: until the commit there is only a file aside', async () => {
  const { blobs, entries } = aBlobStore();
  const writer = await blobs.create();
  await writer.write(Buffer.from('text'));
  const [draft = '', ...others] = entries();
  expect(others).toEqual([]);
  expect(draft).toMatch(/^\.[0-9a-f]{32}\.part$/);
  await expect(blobs.open(draft.slice(1, 33))).rejects.toMatchObject(damaged);
  expect(await writer.commit()).toBe(draft.slice(1, 33));
});

test('create: makes its folder and those above it, for their owner only as the files, whatever the umask', async () => {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const { blobs, folder, entries } = aBlobStore();
  expect(existsSync(folder)).toBe(false);
  const writer = await blobs.create();
  expect(modeOf(folder)).toBe('700');
  expect(modeOf(join(folder, entries()[0] ?? ''))).toBe('600');
  expect(modeOf(join(folder, await writer.commit()))).toBe('600');

  const above = join(tempDir(), 'data', 'default');
  await (await createBlobStore({ folder: join(above, 'files'), isDurable: true }).create()).commit();
  expect(modeOf(above)).toBe('700');
});

test('create: when the folder is missing, one blob fails and the next makes the folder again', async () => {
  const { store, folder, read } = aBlobStore();
  await store('before');
  rmSync(folder, { recursive: true });
  await expect(store('meanwhile')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await read(await store('after'))).toBe('after');
});

test('create: a folder that cannot be created is the error of the system', async () => {
  const path = join(tempDir(), 'file');
  writeFileSync(path, '');
  const blobs = createBlobStore({ folder: join(path, 'files'), isDurable: true });
  await expect(blobs.create()).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('abort: leaves neither a file nor a handle', async () => {
  const { blobs, entries, openHandles } = aBlobStore();
  const writer = await blobs.create();
  await writer.write(Buffer.from('text'));
  await writer.abort();
  expect(entries()).toEqual([]);
  expect(openHandles()).toBe(0);
});

test('abort: after the commit it leaves the blob alone', async () => {
  const { blobs, read } = aBlobStore();
  const writer = await blobs.create();
  await writer.write(Buffer.from('text'));
  const name = await writer.commit();
  await writer.abort();
  expect(await read(name)).toBe('text');
});

test('write, commit: refuse a blob that was given up', async () => {
  const { blobs, entries } = aBlobStore();
  const writer = await blobs.create();
  await writer.abort();
  await expect(writer.write(Buffer.from('text'))).rejects.toThrow('given up');
  await expect(writer.commit()).rejects.toThrow('given up');
  expect(entries()).toEqual([]);
});

test('commit: one that fails leaves neither a file nor a handle', async () => {
  const { blobs, folder, entries, openHandles } = aBlobStore();
  const writer = await blobs.create();
  await writer.write(Buffer.from('text'));
  const inTheWay = (entries()[0] ?? '').slice(1, 33);
  mkdirSync(join(folder, inTheWay, 'full'), { recursive: true });
  await expect(writer.commit()).rejects.toThrow();
  expect(entries()).toEqual([inTheWay]);
  expect(openHandles()).toBe(0);
});

test('isDiskFull: the system’s own error of a full device', async () => {
  const error: unknown = await writeFile('/dev/full', 'text').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ENOSPC' });
  expect(isDiskFull(error)).toBe(true);
});

test.each([
  ['EDQUOT', true],
  ['EFBIG', true],
  ['EIO', false],
  ['EACCES', false],
])('isDiskFull: %s is %s', (code, expected) => {
  expect(isDiskFull(Object.assign(new Error('refused'), { code }))).toBe(expected);
});

test('read: any part, and fewer bytes only at the end', async () => {
  const { store, read } = aBlobStore();
  const name = await store('0123456789');
  expect(await read(name, 0, 4)).toBe('0123');
  expect(await read(name, 4, 4)).toBe('4567');
  expect(await read(name, 8, 4)).toBe('89');
  expect(await read(name, 10, 4)).toBe('');
});

test('read: a chunk stays valid when the next is read', async () => {
  const { blobs, store } = aBlobStore();
  const reader = await blobs.open(await store('onetwo'));
  const one = await reader.read(0, 3);
  await reader.read(3, 3);
  expect(Buffer.from(one).toString()).toBe('one');
  await reader.close();
});

test('open, close: returns the size; frees the handle, and may be called again', async () => {
  const { blobs, store, openHandles } = aBlobStore();
  const reader = await blobs.open(await store('text'));
  expect([reader.size, openHandles()]).toEqual([4, 1]);
  await reader.close();
  await reader.close();
  expect(openHandles()).toBe(0);
});

test('open: a blob that is not there is damage, with the cause kept', async () => {
  const { blobs, store } = aBlobStore();
  await store('another');
  await expect(blobs.open(A_NAME)).rejects.toMatchObject({ ...damaged, cause: { code: 'ENOENT' } });
});

test.each([
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link to a file', (path: string, file: string) => symlinkSync(file, path)],
])('open: %s under a name is no blob', async (_, put) => {
  const { blobs, store, folder, openHandles } = aBlobStore();
  const file = join(folder, await store('text'));
  put(join(folder, A_NAME), file);
  await expect(blobs.open(A_NAME)).rejects.toMatchObject(damaged);
  expect(openHandles()).toBe(0);
});

/** Each of these leads to an existing file, if the store uses it as a path. */
const PATHS = ['../secret', './secret', 'secret', `../${A_NAME}`, `${A_NAME}/../../secret`];
const LOOKALIKES = [`${A_NAME}\n`, `${A_NAME}0`, A_NAME.slice(1), A_NAME.toUpperCase(), `.${A_NAME}.part`];
const NO_NAMES = [...PATHS, ...LOOKALIKES, '', '.', '..', `${A_NAME}\0`, '/etc/passwd'];

function amongSecrets() {
  const store = aBlobStore();
  mkdirSync(join(store.folder, A_NAME), { recursive: true });
  const above = ['secret', A_NAME].map((name) => join(store.home, name));
  const within = ['secret', ...LOOKALIKES].map((name) => join(store.folder, name));
  const secrets = [...above, ...within];
  for (const path of secrets) writeFileSync(path, 'secret');
  return { ...store, secrets };
}

test.each(NO_NAMES)('open: %j is no name', async (name) => {
  await expect(amongSecrets().blobs.open(name)).rejects.toMatchObject(damaged);
});

test('remove: an invalid name removes nothing and throws nothing', async () => {
  const { blobs, secrets, store, folder } = amongSecrets();
  const name = await store('text');
  await blobs.remove([...NO_NAMES, name]);
  expect(existsSync(join(folder, name))).toBe(false);
  for (const path of secrets) expect(readFileSync(path, 'utf8')).toBe('secret');
});

test('remove: takes the named blobs and no other', async () => {
  const { blobs, store, entries } = aBlobStore();
  const [one, two, three] = [await store('1'), await store('2'), await store('3')];
  await blobs.remove(new Set([one, three]));
  expect(entries()).toEqual([two]);
});

test('remove: an absent blob is no error', async () => {
  const { blobs, store, entries } = aBlobStore();
  await blobs.remove([A_NAME]);
  const name = await store('text');
  await blobs.remove([A_NAME, name, name]);
  expect(entries()).toEqual([]);
});

test('remove: what cannot be removed hinders nothing', async () => {
  const { blobs, store, folder, entries } = aBlobStore();
  const name = await store('text');
  mkdirSync(join(folder, A_NAME));
  await blobs.remove([A_NAME, name]);
  expect(entries()).toEqual([A_NAME]);
});

test('sweep: removes everything unused, unfinished uploads and unknown files included', async () => {
  const { blobs, store, folder, entries } = aBlobStore();
  const used = await store('used');
  await store('orphan');
  const writer = await blobs.create();
  writeFileSync(join(folder, 'stranger'), '');
  expect(entries()).toHaveLength(4);
  expect(await blobs.sweep((name) => name === used)).toBe(3);
  expect(entries()).toEqual([used]);
  await writer.abort();
});

test('sweep: an unfinished upload is unused', async () => {
  const { blobs, entries } = aBlobStore();
  const writer = await blobs.create();
  expect(await blobs.sweep(() => true)).toBe(1);
  expect(entries()).toEqual([]);
  await writer.abort();
});

test('sweep: what cannot be removed is left and not counted', async () => {
  const { blobs, store, folder, entries } = aBlobStore();
  await store('orphan');
  mkdirSync(join(folder, 'a-folder'));
  expect(await blobs.sweep(() => false)).toBe(1);
  expect(entries()).toEqual(['a-folder']);
});

test('sweep: removes a link and not its target', async () => {
  const { blobs, folder, home, entries } = aBlobStore();
  mkdirSync(folder);
  writeFileSync(join(home, 'secret'), 'secret');
  symlinkSync(join(home, 'secret'), join(folder, A_NAME));
  expect(await blobs.sweep(() => false)).toBe(1);
  expect(entries()).toEqual([]);
  expect(readFileSync(join(home, 'secret'), 'utf8')).toBe('secret');
});

test('sweep: without a folder there is nothing to do, and none is made', async () => {
  const { blobs, folder } = aBlobStore();
  expect(await blobs.sweep(() => false)).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test('destroy: the folder is gone with everything in it', async () => {
  const { blobs, store, folder, home } = aBlobStore();
  await store('text');
  const writer = await blobs.create();
  await blobs.destroy();
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(home)).toEqual([]);
  await writer.abort();
});

test('destroy: without a folder it does nothing, and a blob after it is stored', async () => {
  const { blobs, store, read } = aBlobStore();
  await blobs.destroy();
  await store('before');
  await blobs.destroy();
  expect(await read(await store('after'))).toBe('after');
});

test('abortWriters: waits for a writer that is being given up already', async () => {
  const { blobs, folder } = aBlobStore();
  const writer = await blobs.create();
  await writer.write(Buffer.from('half of it'));
  const givenUp = writer.abort();

  await blobs.abortWriters();
  expect(readdirSync(folder)).toEqual([]);
  await givenUp;
});
