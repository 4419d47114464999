import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { UnreachableError } from '../../../src/client/errors.ts';
import { save } from '../../../src/nouns/vault/screen.ts';
import { createSource } from '../../../src/tui/data/link.ts';
import { aPng } from '../../support/builders.ts';
import { provingServer } from '../../support/proving-server.ts';
import { startService } from '../../support/service.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { testWith } from '../../support/test-with.ts';
import { fieldOf, noticeOf, sourceOf } from './a-source.ts';

const FRONT = 'document.passport.front.image';
const reason = 'support case 4711';
const SPACE = { tenant: 'default', environment: 'sandbox' } as const;

/** A user with an image, and a folder to save it in. */
const test = testWith(async () => {
  const bytes = aPng(200_000);
  const service = await startService();
  const source = await sourceOf(service);
  const fp_id = await service.user();
  await service.upload(fp_id, FRONT, bytes);
  const folder = tempDir();
  const { path } = folder;
  return {
    service,
    source,
    fp_id,
    bytes,
    path,
    field: fieldOf(fp_id, FRONT, 'file'),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
});

/** Mints tokens, and closes the connection after a tenth of any file. */
const cutOff = () =>
  provingServer({ controlToken: 'c', apiKeys: ['k'] }, (request, response) => {
    if (request.method === 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ token: 'cttok_1', expires_at: '', fields: [] }));
      return;
    }
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' });
    response.write(Buffer.alloc(10), () => request.socket.destroy());
  });

test('save: the file is there whole, for its owner alone, and the access log has the reason', async (world) => {
  const path = join(world.path, 'front.bin');

  const outcome = await save.perform(world.source, world.field, { reason, path });

  expect(noticeOf(outcome)).toBe(`good: Saved ${path} (${world.bytes.length} bytes, image/png)`);
  expect(readFileSync(path).equals(world.bytes)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(world.path)).toEqual(['front.bin']);
  const { data } = (await world.service.call('GET /_kyclone/access-log')).body;
  expect(data[0]).toMatchObject({ operation: 'download', identifiers: [FRONT], reason, fp_id: world.fp_id });
});

test('save: its own name gets the extension of its type', async (world) => {
  await save.perform(world.source, world.field, {
    reason,
    path: join(world.path, `${world.fp_id}.${FRONT}`),
  });

  expect(readdirSync(world.path)).toEqual([`${world.fp_id}.${FRONT}.png`]);
});

test('save: an earlier version is saved under a name that says which', async (world) => {
  await world.service.upload(world.fp_id, FRONT, Buffer.from('no image at all'), 'application/pdf');
  const field = fieldOf(world.fp_id, `${FRONT}:2`, 'file');
  const [, { initial = '' } = {}] = save.fields?.(field) ?? [];
  expect(initial).toBe(`./${world.fp_id}.${FRONT}.v2`);

  await save.perform(world.source, field, { reason, path: join(world.path, initial) });

  expect(readdirSync(world.path)).toEqual([`${world.fp_id}.${FRONT}.v2.png`]);
  expect(readFileSync(join(world.path, `${world.fp_id}.${FRONT}.v2.png`)).equals(world.bytes)).toBe(true);
});

test.eachWith(['front.png', 'its own name'])(
  'save: as %s, a file that has its name is not replaced',
  async (world, as) => {
    const name = as === 'front.png' ? as : `${world.fp_id}.${FRONT}`;
    const taken = as === 'front.png' ? as : `${name}.png`;
    writeFileSync(join(world.path, taken), 'mine');

    const outcome = await save.perform(world.source, world.field, { reason, path: join(world.path, name) });

    expect(noticeOf(outcome)).toBe('bad: A file with this name exists already; nothing was written');
    expect(readdirSync(world.path)).toEqual([taken]);
    expect(readFileSync(join(world.path, taken), 'utf8')).toBe('mine');
  },
);

test('save: nothing is decrypted for a name that is taken or a folder that is not there', async (world) => {
  writeFileSync(join(world.path, 'front.png'), 'mine');
  for (const name of ['front.png', 'nowhere/front.png', '.']) {
    const outcome = await save.perform(world.source, world.field, { reason, path: join(world.path, name) });
    expect(noticeOf(outcome)).toMatch(
      /^bad: (?:A file with this name|The file cannot be written \(ENOENT\)|This is the name)/,
    );
  }
  expect((await world.service.call('GET /_kyclone/access-log')).body.data).toEqual([]);
});

test('save: a download that breaks off leaves nothing behind', async () => {
  using folder = tempDir();
  await using daemon = await cutOff();
  const source = createSource({ baseUrl: daemon.url, apiKey: 'k', controlToken: 'c' }, SPACE);
  const field = fieldOf('fp_id_1', FRONT, 'file');

  const saving = save.perform(source, field, { reason, path: join(folder.path, 'front.png') });

  await expect(saving).rejects.toThrow(UnreachableError);
  expect(readdirSync(folder.path)).toEqual([]);
  expect(JSON.parse(daemon.seen[0]?.body ?? '')).toMatchObject({ fields: [FRONT], decrypt_reason: reason });
});

test('save: a file is not brought in when the name with its extension is taken', async () => {
  using folder = tempDir();
  await using daemon = await cutOff();
  const source = createSource({ baseUrl: daemon.url, apiKey: 'k', controlToken: 'c' }, SPACE);
  writeFileSync(join(folder.path, `fp_id_1.${FRONT}.png`), 'mine');

  const field = fieldOf('fp_id_1', FRONT, 'file');
  const outcome = await save.perform(source, field, { reason, path: join(folder.path, `fp_id_1.${FRONT}`) });

  expect(noticeOf(outcome)).toBe('bad: A file with this name exists already; nothing was written');
  expect(readdirSync(folder.path)).toEqual([`fp_id_1.${FRONT}.png`]);
});

test('save: the question says where it goes, as whose, and that nothing is replaced', () => {
  const field = fieldOf('fp_id_1', FRONT, 'file');
  const text = (path: string) => save.confirm(field, { reason, path }).join(' ');
  expect(text('./x.png')).toContain(`saved in the clear as ${resolve('x.png')}. Only you can read it (0600)`);
  expect(text('./x.png')).toMatch(/access log.*not replaced/);
  expect(text(`~/fp_id_1.${FRONT}`)).toContain(
    `${join(homedir(), `fp_id_1.${FRONT}`)} and the extension of its type`,
  );
});
