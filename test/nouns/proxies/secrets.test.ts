/**
 * Secrets of proxy configurations exist sealed in the store and at the target, and nowhere else. They survive restarts,
 * soft resets, snapshots and a new root key (contract §3.4, §11).
 */
import { openBinding } from '../../../src/storage/binding.ts';
import { expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { filesWith } from '../../e2e/canary.ts';
import { startKycloned, type Kycloned } from '../../support/kycloned.ts';
import { failureOf, type TestService } from '../../support/service.ts';
import { startTarget } from '../../support/targets.ts';
import { read, SECRET, store } from './a-configuration.ts';
import { test } from '../../support/test-with.ts';

const HIDDEN = 'canary-path-4712';
const LIST = 'GET /_kyclone/proxies';

/** Returns all lines of a key between the first and the last one. */
const linesOf = (pem: string) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));

async function aDaemonWithOne(url: string) {
  const authority = await createAuthority('a root', Date.now());
  const client = await authority.issue({ subject: 'caller', usage: 'client' });
  const daemon = await startKycloned();
  const body = { url, secret_headers: { authorization: SECRET }, headers: { 'x-account': HIDDEN } };
  const plain = await daemon.control('POST', '/_kyclone/proxies', { body });
  expect([plain.status, plain.text]).toEqual([200, plain.text]);
  const mutual = await daemon.control('POST', '/_kyclone/proxies', {
    body: { url: `https://api.example.com/${HIDDEN}`, client_identity: client },
  });
  expect(mutual.status).toBe(200);
  return { daemon, id: String(plain.body['id']), client, answers: [plain.text, mutual.text] };
}

const call = (daemon: Kycloned, id: string) => daemon.call('POST', `/vault_proxy/${id}`, { body: 'x' });

test('secrets: are in no file of the instance and no response, over restart, rotation and snapshots', async () => {
  await using target = await startTarget();
  const { daemon: first, id, client, answers } = await aDaemonWithOne(target.url);
  const sent = () => target.requests.map(({ headers }) => headers.authorization);
  const seen = [...answers];
  const look = async (daemon: Kycloned, path: string) => seen.push((await daemon.control('GET', path)).text);

  await first.control('POST', '/_kyclone/recording');
  const again = { secret_headers: { authorization: SECRET, 'x-more': SECRET }, client_identity: null };
  await first.control('PATCH', `/_kyclone/proxies/${id}`, { body: again });
  expect((await call(first, id)).status).toBe(200);
  seen.push((await first.control('DELETE', '/_kyclone/recording')).text);
  expect((await first.control('PUT', '/_kyclone/snapshots/kept')).status).toBe(200);
  expect((await first.control('POST', '/_kyclone/keyring/rotate?wait=true')).status).toBe(200);
  const places = ['proxies', `proxies/${id}`, 'requests?page_size=100', 'info', 'settings', 'access-log'];
  for (const path of places) await look(first, `/_kyclone/${path}`);
  expect((await call(first, id)).status).toBe(200);
  await first.stop();

  const second = await startKycloned({ home: first.home });
  expect((await call(second, id)).status).toBe(200);
  await second.control('DELETE', `/_kyclone/proxies/${id}`);
  expect((await call(second, id)).status).toBe(404);
  expect((await second.control('POST', '/_kyclone/snapshots/kept/load')).status).toBe(200);
  expect((await call(second, id)).status).toBe(200);
  await look(second, '/_kyclone/proxies');
  seen.push(first.stderr(), second.stderr());
  await second.stop();

  expect(sent()).toEqual([SECRET, SECRET, SECRET, SECRET]);
  const secrets = ['canary-4711', ...linesOf(client.key), ...linesOf(client.certificate)];
  for (const secret of [...secrets, HIDDEN]) expect(filesWith(first.home, secret), secret).toEqual([]);
  for (const secret of secrets) expect(seen.join('\n')).not.toContain(secret);
  // The configuration's id is found in files; otherwise a search that finds nothing would prove nothing.
  expect(filesWith(first.home, id)).not.toEqual([]);
});

test('secrets: two sealed configurations that were exchanged in the store open nowhere', async () => {
  await using target = await startTarget();
  const { daemon: first, id } = await aDaemonWithOne(target.url);
  await first.stop();
  const database = openBinding(first.paths.storeFile);
  const rows = database
    .prepare('SELECT seq, sealed_configuration AS sealed FROM proxy_configurations')
    .all() as { seq: number; sealed: Uint8Array }[];
  expect(rows).toHaveLength(2);
  const update = database.prepare('UPDATE proxy_configurations SET sealed_configuration = ? WHERE seq = ?');
  for (const [index, { seq }] of rows.entries()) update.run(rows[1 - index]?.sealed, seq);
  database.close();

  const second = await startKycloned({ home: first.home });

  expect(await call(second, id)).toMatchObject({ status: 503, body: { code: 'vault_damaged' } });
  expect(await second.control('GET', `/_kyclone/proxies/${id}`)).toMatchObject({ status: 503 });
  expect((await second.control('DELETE', `/_kyclone/proxies/${id}`)).status).toBe(200);
  expect(target.connections).toBe(0);
});

test.eachWith([
  ['space', '(SELECT max(id) FROM spaces)'],
  ['origin', `'https://elsewhere.example'`],
  ['enabled', '0'],
  ['created_at', '1'],
  ['seal', 'NULL'],
])('a row whose %s was edited is not used', async (service, column, value) => {
  const { id } = await store(service, { url: 'https://api.example.com/' });
  service.database.exec(`UPDATE proxy_configurations SET ${column} = ${value}`);
  const query = column === 'space' ? { environment: 'live' } : {};

  const refusals = [
    await service.refused('GET /_kyclone/proxies/{id}', { params: { id }, query }),
    await service.refused(LIST, { query }),
    await service.refused('POST /vault_proxy/{proxy_id}', { params: { proxy_id: id }, body: 'x' }),
  ];

  for (const refusal of refusals) {
    expect(refusal).toMatchObject(failureOf(503, 'vault_damaged', 'proxy_configurations'));
  }
});

test.eachWith([
  ['deleted', 'DELETE FROM proxy_configurations'],
  ['put back', 'INSERT INTO proxy_configurations SELECT * FROM kept_rows'],
])('a row that was %s by an edit of the store stops a save and a load', async (service, _what, edit) => {
  const { id } = await store(service, { url: 'https://api.example.com/' });
  if (edit.startsWith('INSERT')) {
    service.database.exec('CREATE TEMP TABLE kept_rows AS SELECT * FROM proxy_configurations');
    await service.call('DELETE /_kyclone/proxies/{id}', { params: { id } });
  }
  service.database.exec(edit);
  service.database.exec('DROP TABLE IF EXISTS kept_rows');

  const saved = await service.request('PUT /_kyclone/snapshots/{name}', { params: { name: 'edited' } });
  const loaded = await service.request('POST /_kyclone/snapshots/{name}/load', {
    params: { name: 'edited' },
  });

  expect([saved.status, loaded.status]).not.toEqual([200, 200]);
  expect(`${saved.text}${loaded.text}`).toContain('proxy configurations');
});

const idsIn = async (service: TestService) => (await service.call(LIST)).body.data.map(({ id }) => id);

test('reset: configurations stay unless it is hard', async (service) => {
  await using target = await startTarget();
  const { id } = await store(service, { url: target.url, secret_headers: { authorization: SECRET } });

  await service.call('POST /_kyclone/reset', {});
  expect(await idsIn(service)).toEqual([id]);
  await service.request('POST /vault_proxy/{proxy_id}', { params: { proxy_id: id }, body: 'x' });
  expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([SECRET]);
  const second = await store(service, { url: target.url });
  expect(second.id).not.toBe(id);

  await service.call('POST /_kyclone/reset', { body: { hard: true } });
  expect(await idsIn(service)).toEqual([]);
});

test('snapshot: restores deleted and changed ones, secrets too', async (service) => {
  await using target = await startTarget();
  const { id } = await store(service, { url: target.url, secret_headers: { authorization: SECRET } });
  const before = await read(service, id);
  const params = { name: 'before' };
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  const body = { secret_headers: { authorization: 'another' }, name: 'Changed' };
  await service.call('PATCH /_kyclone/proxies/{id}', { params: { id }, body });
  await store(service, { url: target.url });

  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  expect((await service.call(LIST)).body.data).toEqual([before]);
  await service.request('POST /vault_proxy/{proxy_id}', { params: { proxy_id: id }, body: 'x' });
  expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([SECRET]);
});
