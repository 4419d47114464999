/** The page of the console: its headers, its links and its stream (contract §11.1). */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, vi } from 'vitest';
import { OWN_PAGE, consoleSession } from '../../support/console-samples.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const FILES = [
  ['/_kyclone/console', 'text/html; charset=utf-8'],
  ['/_kyclone/console/app.js', 'text/javascript; charset=utf-8'],
  ['/_kyclone/console/app.css', 'text/css; charset=utf-8'],
] as const;

test.eachWith(FILES)(
  '%s: runs and loads its own only, in no frame, and is kept nowhere',
  async (service, path, type) => {
    const { status, headers } = await service.send({ method: 'GET', path, as: null });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      vary: 'accept-encoding',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('set-cookie');
  },
);

test.eachWith(FILES)('%s: compressed as the browser accepts it', async (service, path, _type) => {
  const read = async (encoding: string) => {
    const headers = { 'accept-encoding': encoding };
    const reply = await service.send({ method: 'GET', path, as: null, headers });
    return { encoding: reply.headers['content-encoding'], bytes: reply.bytes };
  };
  const plain = await read('identity');
  const [br, gzip] = [await read('gzip, deflate, br, zstd'), await read('gzip;q=1.0, br;q=0')];

  expect([plain.encoding, br.encoding, gzip.encoding]).toEqual([undefined, 'br', 'gzip']);
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  expect((await read('*')).encoding).toBeUndefined();
  const head = await service.send({ method: 'HEAD', path, as: null });
  expect([head.text, head.headers['content-length']]).toEqual(['', String(plain.bytes.length)]);
});

test('a link of any site opens the page at the top of a window; no frame and no script does', async (service) => {
  const open = async (mode: string, dest: string, path = '/_kyclone/console') =>
    (
      await service.send({
        method: 'GET',
        path,
        as: null,
        headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
      })
    ).status;

  expect(await open('navigate', 'document')).toBe(200);
  for (const dest of ['iframe', 'frame', 'object', 'embed', ''])
    expect(await open('navigate', dest), dest).toBe(403);
  expect(await open('no-cors', 'script', '/_kyclone/console/app.js')).toBe(403);
  expect(await open('no-cors', 'document')).toBe(403);
  expect(await open('navigate', 'document', '/_kyclone/console/app.js')).toBe(403);
});

test.eachWith([
  [
    'a revocation',
    async (service: TestService) => {
      await service.call('DELETE /_kyclone/console/sessions');
    },
  ],
  [
    'its sign-out',
    async (service: TestService, headers: Record<string, string>) => {
      await service.send({ method: 'DELETE', path: '/_kyclone/console/session', as: null, headers });
    },
  ],
])('the stream of a session ends with %s, and that of another goes on', async (service, name, end) => {
  const one = await consoleSession(service);
  const other = await consoleSession(service);
  const { host, port } = await service.listen();
  const listen = async (token: string) => {
    const headers = { 'sec-fetch-site': 'same-origin', 'x-kyclone-console': token };
    const outgoing = request({ host, port, path: '/_kyclone/stream', headers });
    onTestFinished(() => void outgoing.destroy());
    const state = { began: false, ended: false };
    outgoing.on('response', (answer) => {
      answer.on('data', () => (state.began = true));
      answer.on('end', () => (state.ended = true));
      answer.on('error', () => undefined);
    });
    outgoing.on('error', () => undefined);
    outgoing.end();
    await vi.waitFor(() => expect(state.began).toBe(true), { timeout: PATIENCE_MS });
    return state;
  };
  const [first, second] = [await listen(one.token), await listen(other.token)];
  const own = { origin: `http://${host}:${port}`, 'sec-fetch-site': OWN_PAGE['sec-fetch-site'] };

  await end(service, { ...own, 'x-kyclone-console': one.token });
  await vi.waitFor(() => expect(first.ended).toBe(true), { timeout: PATIENCE_MS });
  expect(second.ended).toBe(name === 'a revocation');
});
