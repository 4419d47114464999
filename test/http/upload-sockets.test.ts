/**
 * Uploads to the whole service over a real socket: cut off, too large, or refused while they arrive (contract §0.10,
 * §2.7).
 */
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { UPLOAD_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { KIB } from '../../src/kernel/numbers/units.ts';
import { openHandles } from '../support/open-handles.ts';
import { exchangeBytes, parseAnswers, type RawAnswer } from '../support/raw-socket.ts';
import { SANDBOX_KEY, startService } from '../support/service.ts';
import { CHUNKED, chunk, joined, LAST_CHUNK, lengthOf, until } from '../support/uploads.ts';
import { tokensOf, vaultOf } from '../support/vault-calls.ts';
import { testWith } from '../support/test-with.ts';

const IMAGE = 'document.passport.front.image';

async function aPort() {
  const service = await startService();
  const fp_id = await service.user({});
  const token = await service.token(fp_id, { scope: 'vault_and_decrypt', fields: [IMAGE] });
  const place = await service.listen();
  const credentials = { key: `x-service-secret-key: ${SANDBOX_KEY}`, token: `x-fp-authorization: ${token}` };
  const paths = { key: `/users/${fp_id}/vault/${IMAGE}/upload`, token: `/users/vault/${IMAGE}/upload` };

  const head = (by: 'key' | 'token', ...headers: string[]) =>
    [
      `POST ${paths[by]} HTTP/1.1`,
      `host: ${place.host}:${place.port}`,
      credentials[by],
      ...(headers.some((header) => header.startsWith('content-type')) ? [] : ['content-type: image/png']),
      ...headers,
      '',
      '',
    ].join('\r\n');
  return {
    service,
    fp_id,
    place,
    vault: vaultOf(service, fp_id),
    head,
    files: () => readdir(service.filesFolder).catch((): string[] => []),
    /** Sends bytes on one connection and waits for this number of answers. */
    async answers(count: number, ...pieces: (string | Buffer)[]): Promise<RawAnswer[]> {
      const isEnough = (received: string) =>
        received.split('HTTP/1.1 ').length - 1 >= count && received.endsWith('}');
      return parseAnswers(await exchangeBytes(place, joined(...pieces), isEnough));
    },
    /** Returns the answer to an upload. `happens` runs before the last byte is sent. */
    async interrupted(by: 'key' | 'token', happens: () => Promise<unknown>) {
      const bytes = Buffer.alloc(200 * KIB, 'k');
      const received: string[] = [];
      const socket = connect(place);
      socket.on('data', (data) => received.push(data.toString()));
      socket.write(joined(head(by, lengthOf(bytes)), bytes.subarray(1)));
      await until(() => openHandles(service.filesFolder) > 0);
      await happens();
      socket.write(bytes.subarray(0, 1));
      await until(() => received.join('').endsWith('}'));
      socket.destroy();
      return parseAnswers(received.join(''))[0];
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(aPort);

const get = (place: { host: string; port: number }) =>
  `GET /_kyclone/health HTTP/1.1\r\nhost: ${place.host}:${place.port}\r\n\r\n`;
const codeOf = (answer: RawAnswer | undefined) =>
  answer && [answer.status, (JSON.parse(answer.text) as { code?: string }).code];

describe.each(['key', 'token'] as const)('with a %s', (by) => {
  test.eachWith([
    ['of an announced length', [`content-length: ${300 * KIB}`], Buffer.alloc(200 * KIB, 'k')],
    ['in chunks', [CHUNKED], chunk(Buffer.alloc(200 * KIB, 'k'))],
    [
      'in a form',
      ['content-type: multipart/form-data; boundary=b', `content-length: ${300 * KIB}`],
      joined(
        '--b\r\nContent-Disposition: form-data; name="upload_file"\r\nContent-Type: image/png\r\n\r\n',
        Buffer.alloc(200 * KIB, 'k'),
      ),
    ],
  ])(
    `upload with a ${by}: that is cut off, %s, stores nothing and leaves no file`,
    async (port, _how, headers, part) => {
      const socket = connect(port.place);
      socket.on('error', () => undefined);
      socket.write(joined(port.head(by, ...headers), part));
      await until(() => openHandles(port.service.filesFolder) > 0);
      expect(await port.files()).toEqual([expect.stringMatching(/^\.[0-9a-f]{32}\.part$/)]);

      socket.destroy();

      await until(() => openHandles(port.service.filesFolder) === 0);
      while ((await port.files()).length > 0) await nextTurn();
      expect(await port.vault.present()).toEqual({});
      expect((await port.vault.decryptAsOf(0, [IMAGE])).version).toBe(0);
    },
  );

  test(`upload with a ${by}: a byte more than 10 MiB in chunks is 413, leaves no file, and keeps the connection`, async (port) => {
    const bytes = Buffer.alloc(UPLOAD_LIMIT_BYTES, 'k');

    const answers = await port.answers(
      2,
      port.head(by, CHUNKED),
      chunk(bytes),
      chunk('k'),
      LAST_CHUNK,
      get(port.place),
    );

    expect(answers.map(codeOf)).toEqual([
      [413, 'payload_too_large'],
      [200, undefined],
    ]);
    expect(answers[0]?.text).toContain(String(UPLOAD_LIMIT_BYTES));
    expect(await port.files()).toEqual([]);
    expect(await port.vault.present()).toEqual({});
  });

  test.eachWith([
    ['too large by its length', 413, (bytes: Buffer) => [lengthOf(bytes)], UPLOAD_LIMIT_BYTES + 1],
    [
      'of another content type',
      400,
      (bytes: Buffer) => ['content-type: text/plain', lengthOf(bytes)],
      512 * KIB,
    ],
    ['encoded', 415, (bytes: Buffer) => ['content-encoding: gzip', lengthOf(bytes)], 512 * KIB],
  ])(
    `upload with a ${by}: refused for being %s keeps the connection`,
    async (port, _why, status, headers, size) => {
      const bytes = Buffer.alloc(size, 'k');

      const answers = await port.answers(2, port.head(by, ...headers(bytes)), bytes, get(port.place));

      expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
      expect(await port.files()).toEqual([]);
    },
  );

  test(`upload with a ${by}: to a user who is deleted meanwhile leaves no file`, async (port) => {
    const answer = await port.interrupted(by, () =>
      port.service.call('DELETE /users/{fp_id}', { params: { fp_id: port.fp_id } }),
    );

    // Tokens end with their entity.
    expect(codeOf(answer)).toEqual(by === 'key' ? [404, 'not_found'] : [401, 'unauthenticated']);
    expect(await port.files()).toEqual([]);
  });
});

test.eachWith<[what: string, end: (port: Awaited<ReturnType<typeof aPort>>) => Promise<unknown>]>([
  [
    'is revoked',
    async ({ service, fp_id }) => {
      const [{ id } = { id: '' }] = await tokensOf(service, fp_id).list();
      return service.call('DELETE /_kyclone/tokens/{id}', { params: { id } });
    },
  ],
  [
    'loses its key',
    async ({ service }) => {
      const { data } = (await service.call('GET /_kyclone/api-keys')).body;
      const id = data.find(({ environment }) => environment === 'sandbox')?.id ?? '';
      return service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
    },
  ],
])('upload: a token that %s while the file comes stores nothing', async (port, _what, end) => {
  const answer = await port.interrupted('token', () => end(port));

  expect(codeOf(answer)).toEqual([401, 'unauthenticated']);
  expect(await port.files()).toEqual([]);
});

test('Expect: 100-continue is answered before the file is sent, and the file is stored', async (port) => {
  const received: string[] = [];
  const socket = connect(port.place);
  socket.on('data', (data) => received.push(data.toString()));

  socket.write(port.head('key', 'expect: 100-continue', 'content-length: 2'));
  await until(() => received.join('').startsWith('HTTP/1.1 100 '));
  socket.write('hi');
  await until(() => received.join('').endsWith('{}'));
  socket.destroy();

  expect(await port.vault.decrypt([IMAGE])).toEqual({ [IMAGE]: Buffer.from('hi').toString('base64') });
});

test('credential: two tokens in one request are 401', async (port) => {
  const token = await port.service.token(port.fp_id, { scope: 'vault', fields: [IMAGE] });

  for (const other of [token, `cttok_${'z'.repeat(34)}`]) {
    const [answer] = await port.answers(
      1,
      port.head('token', 'content-length: 2', `x-fp-authorization: ${other}`),
      'hi',
    );
    expect(codeOf(answer)).toEqual([401, 'unauthenticated']);
  }
  expect(await port.vault.present()).toEqual({});
});
