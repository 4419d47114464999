/** Rows that grant something. Somebody who can write to the database, but has no key, edits them. */
import { expect } from 'vitest';
import { forgetRows } from '../../../src/storage/statement.ts';
import { startService, SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

type World = Awaited<ReturnType<typeof aWorld>>;

async function keyIdOf(service: TestService, named: string): Promise<string> {
  const keys = (await service.call('GET /_kyclone/api-keys')).body.data;
  return String(keys.find(({ name }) => name === named)?.id);
}

const tokenIdOf = ({ database }: TestService) =>
  String(database.prepare('SELECT id FROM client_tokens').pluck().get());

async function revokeToken(service: TestService): Promise<void> {
  await service.call('DELETE /_kyclone/tokens/{id}', { params: { id: tokenIdOf(service) } });
}

function putBack({ database }: TestService, table: string, row: object): void {
  const names = Object.keys(row);
  const places = names.map((name) => `@${name}`).join();
  database.prepare(`REPLACE INTO ${table} (${names.join()}) VALUES (${places})`).run(row);
}

async function aWorld(service: TestService) {
  const user = await service.user();
  const otherKey = await service.key({ name: 'other', tenant: 'other' });
  const other = await service.user({ 'id.first_name': 'Canary-72' }, otherKey);
  const token = await service.token(user, { scope: 'decrypt', fields: ['id.first_name'] });
  const hook = await service.call('POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
  await service.call('PATCH /_kyclone/settings', { body: { egress: { policy: 'strict' } } });
  const keyId = await keyIdOf(service, 'other');
  return { service, user, other, token, keyId, webhook: hook.body.id };
}

const readUser = ({ service, user }: World) =>
  service.refused('GET /users/{fp_id}', { params: { fp_id: user } });
const readToken = ({ service, token }: World) => service.refused('GET /users/client_token', { as: token });
const readHook = ({ service, webhook }: World) =>
  service.refused('GET /_kyclone/webhooks/{id}', { params: { id: webhook } });
/** Saves a snapshot and loads it, which starts a new service over the same store. */
async function reload(service: TestService): Promise<void> {
  const params = { name: 'sound' };
  await service.call('PUT /_kyclone/snapshots/{name}', { params, query: { overwrite: true } });
  await service.call('POST /_kyclone/snapshots/{name}/load', { params });
}

/** Does so with a store that must not start. Returns the refusal. */
const restart = async ({ service }: World) => {
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'edited' } });
  return await service.refused('POST /_kyclone/snapshots/{name}/load', { params: { name: 'edited' } });
};

type Edit = readonly [
  what: string,
  sql: (world: World) => string,
  read: (world: World) => Promise<{ code: string; message: string }>,
  names: RegExp,
];

const text = (value: string) => `'${value}'`;
const LATER = 4_000_000_000_000;
/** Each column that decides what a row grants, with a different value for it. */
const columns = {
  entities: {
    read: readUser,
    where: ({ user }: World) => `fp_id = ${text(user)}`,
    values: {
      kind: "'business'",
      external_id: "'external-of-another'",
      sandbox_id: "'fail123'",
      created_at: '1',
      seal: 'NULL',
    },
  },
  client_tokens: {
    read: readToken,
    where: () => '1 = 1',
    values: {
      id: "'tok_forged'",
      entity: '(SELECT max(id) FROM entities)',
      scope: "'vault_and_decrypt'",
      fields: `'["id.ssn9"]'`,
      decrypt_reason: "'forged'",
      created_at: '1',
      expires_at: String(LATER),
      has_expired: '1',
      seal: 'zeroblob(32)',
    },
  },
  webhooks: {
    read: readHook,
    where: () => '1 = 1',
    values: {
      url: "'https://203.0.113.66/'",
      kinds: `'["user.created"]'`,
      sealed_secret: 'zeroblob(80)',
      sealed_old_secret: 'zeroblob(80)',
      old_until: String(LATER),
      enabled: '0',
      created_at: '1',
      seal: 'zeroblob(31)',
    },
  },
  api_keys: {
    read: restart,
    where: ({ keyId }: World) => `id = ${text(keyId)}`,
    values: {
      id: "'key_forged'",
      space: "(SELECT id FROM spaces WHERE tenant = 'default' AND environment = 'live')",
      prefix: "'sk_test_0000'",
      digest: 'zeroblob(32)',
      scopes: "'[]'",
      permissions: `'["decrypt:*"]'`,
      enabled: '0',
      created_at: '1',
      seal: "x'00'",
    },
  },
} as const;

const ofColumns = Object.entries(columns).flatMap(([table, { read, where, values }]) =>
  Object.entries(values).map(([column, value]): Edit => [
    `${table}.${column} changed`,
    (world) => `UPDATE ${table} SET ${column} = ${value} WHERE ${where(world)}`,
    read,
    new RegExp(`row \\S+ of table ${table}`),
  ]),
);

const swapped = (table: string, key: string) =>
  `UPDATE ${table} SET seal = (SELECT other.seal FROM ${table} AS other WHERE other.${key} <> ${table}.${key} LIMIT 1)`;

/** As a damaged page loses it: a join would leave out the rows that name it. */
const lost = (table: string, where: string) =>
  `PRAGMA foreign_keys = OFF; DELETE FROM ${table} WHERE ${where}; PRAGMA foreign_keys = ON`;

const DAMAGED_PAGE = /page of the store is damaged/;
const others: readonly Edit[] = [
  ['the tenant of an API key lost', () => lost('spaces', "tenant = 'other'"), restart, DAMAGED_PAGE],
  ['the tenant of a token lost', () => lost('spaces', "tenant = 'default'"), readToken, DAMAGED_PAGE],
  [
    'the entity of a token lost',
    ({ user }) => lost('entities', `fp_id = ${text(user)}`),
    readToken,
    DAMAGED_PAGE,
  ],
  [
    'an entity moved to another tenant',
    ({ user, other }) =>
      `UPDATE entities SET space = (SELECT space FROM entities WHERE fp_id = ${text(other)}) WHERE fp_id = ${text(user)};
       UPDATE entities SET space = (SELECT id FROM spaces WHERE tenant = 'default' AND environment = 'sandbox') WHERE fp_id = ${text(other)}`,
    ({ service, other }) => service.refused('GET /users/{fp_id}', { params: { fp_id: other } }),
    /row fp_id_\w+ of table entities/,
  ],
  [
    'two tenants that have changed names',
    () => `UPDATE spaces SET tenant = 'aside' WHERE tenant = 'default' AND environment = 'sandbox';
      UPDATE spaces SET tenant = 'default' WHERE tenant = 'other';
      UPDATE spaces SET tenant = 'other' WHERE tenant = 'aside'`,
    restart,
    /row \S+ of table api_keys/,
  ],
  [
    'sandbox that has become live',
    () => `UPDATE spaces SET environment = 'live' WHERE tenant = 'other'`,
    restart,
    /row \S+ of table api_keys/,
  ],
  [
    'two entities with changed row ids',
    ({ user, other }) => `PRAGMA foreign_keys = OFF;
      UPDATE entities SET id = 9001 WHERE fp_id = ${text(user)};
      UPDATE entities SET id = 1 WHERE fp_id = ${text(other)};
      UPDATE entities SET id = 2 WHERE fp_id = ${text(user)};
      PRAGMA foreign_keys = ON`,
    readUser,
    /row fp_id_\w+ of table entities/,
  ],
  ['seals of two API keys swapped', () => swapped('api_keys', 'id'), restart, /api_keys/],
  ['seals of two entities swapped', () => swapped('entities', 'id'), readUser, /entities/],
  [
    'a seal of another table',
    () => 'UPDATE entities SET seal = (SELECT seal FROM api_keys LIMIT 1)',
    readUser,
    /entities/,
  ],
  [
    'an API key put in',
    () => `INSERT INTO api_keys (id, space, name, prefix, digest, scopes, permissions, enabled, created_at, seal)
      SELECT 'key_forged', space, name, prefix, zeroblob(32), scopes, permissions, 1, created_at, seal FROM api_keys LIMIT 1`,
    restart,
    /row key_forged of table api_keys/,
  ],
  [
    'an entity put in',
    ({ user }) => `UPDATE client_tokens SET entity = NULL WHERE 0;
      INSERT INTO entities (id, fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at, seal)
      SELECT 9000, 'fp_id_forged0000000000000', space, kind, root_key_version, sealed_key, created_at, updated_at, seal
      FROM entities WHERE fp_id = ${text(user)}`,
    ({ service }) =>
      service.refused('GET /users/{fp_id}', { params: { fp_id: 'fp_id_forged0000000000000' } }),
    /row fp_id_forged0000000000000 of table entities/,
  ],
  ['an API key taken out', () => "DELETE FROM api_keys WHERE name = 'other'", restart, /list of API keys/],
  [
    'settings changed',
    () => `UPDATE instance_values SET value = replace(value, 'strict', 'open') WHERE name = 'settings'`,
    restart,
    /settings/,
  ],
  [
    'settings taken out',
    () => "DELETE FROM instance_values WHERE name IN ('settings', 'settings seal')",
    restart,
    /list of API keys, webhook endpoints, proxy configurations and settings/,
  ],
  [
    'the list taken out',
    () => "DELETE FROM instance_values WHERE name = 'grants'",
    restart,
    /list of API keys/,
  ],
  [
    'the key of all seals taken out',
    () => "DELETE FROM instance_keys WHERE name = 'grants'",
    restart,
    /fails its authentication/,
  ],
  [
    'every seal taken out, as in a store from before there were any',
    () => `UPDATE api_keys SET seal = NULL; UPDATE entities SET seal = NULL; UPDATE webhooks SET seal = NULL;
      UPDATE client_tokens SET seal = NULL; DELETE FROM instance_keys WHERE name = 'grants';
      DELETE FROM instance_values WHERE name IN ('grants', 'settings seal')`,
    restart,
    /fails its authentication/,
  ],
];

test.eachWith([...ofColumns, ...others])(
  'an edited database is refused by name: %s',
  async (service, _what, sql, read, names) => {
    const world = await aWorld(service);
    service.database.exec(sql(world));
    // The service keeps a row that it has read in memory for a moment. Without this it would use the row as it was
    // before the edit.
    forgetRows(service.database);

    const refused = await read(world);

    expect(refused).toMatchObject({ code: 'vault_damaged', message: expect.stringMatching(names) as string });
  },
);

test('a token whose key was enabled again in the database stays refused', async (service) => {
  const key = await service.key({ name: 'disabled' });
  const user = await service.user();
  const token = await service.token(user, { scope: 'decrypt', fields: ['id.first_name'] }, key);
  const id = await keyIdOf(service, 'disabled');
  await service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
  service.database.exec("UPDATE api_keys SET enabled = 1 WHERE name = 'disabled'");
  expect((await service.refused('GET /users/client_token', { as: token })).code).toBe('vault_damaged');
});

test('a revoked token is not revived by an edit of the database', async (service) => {
  const { token } = await aWorld(service);
  await revokeToken(service);
  service.database.exec('UPDATE client_tokens SET revoked_at = NULL');
  expect((await service.refused('GET /users/client_token', { as: token })).code).toBe('vault_damaged');
});

test('an old row with its old seal, put back, is refused: a deleted key, and one that was disabled since', async () => {
  for (const end of ['DELETE', 'PATCH'] as const) {
    await using service = await startService();
    const world = await aWorld(service);
    const old = service.database.prepare('SELECT * FROM api_keys WHERE id = ?').get(world.keyId) as object;
    if (end === 'DELETE')
      await service.call('DELETE /_kyclone/api-keys/{id}', { params: { id: world.keyId } });
    else {
      await service.call('PATCH /_kyclone/api-keys/{id}', {
        params: { id: world.keyId },
        body: { enabled: false },
      });
    }
    putBack(service, 'api_keys', old);
    expect((await restart(world)).message).toContain('list of API keys');
  }
});

test('an old row with its old seal, put back, is refused: a client token that was revoked since', async (service) => {
  const world = await aWorld(service);
  const read = () => service.database.prepare('SELECT * FROM client_tokens').get() as object;
  const old = read();
  await revokeToken(service);
  putBack(service, 'client_tokens', old);
  expect(read()).toMatchObject({ revoked_at: null });
  expect(await readToken(world)).toMatchObject({ status: 401, code: 'unauthenticated' });

  service.database.exec("DELETE FROM tombstones WHERE kind = 'token'");
  expect(await restart(world)).toMatchObject({
    code: 'vault_damaged',
    message: expect.stringContaining('list of tombstones') as string,
  });
});

test.eachWith([
  ['put in', "INSERT INTO tombstones VALUES ('token', 'tok_of_another', 1)"],
  ['taken out', "DELETE FROM tombstones WHERE kind = 'token'"],
  ['changed', "UPDATE tombstones SET at = 1 WHERE kind = 'token'"],
  ['without their sum', "DELETE FROM instance_values WHERE name = 'tombstones'"],
])('tombstones: the list is refused: %s', async (service, _what, sql) => {
  const world = await aWorld(service);
  await revokeToken(service);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: world.user } });
  expect(service.database.prepare(sql).run().changes).toBe(1);

  expect((await restart(world)).message).toContain('list of tombstones');
});

test('tombstones: the list is refused: with a sum reckoned from older ones, which lacks the seal', async (service) => {
  const world = await aWorld(service);
  const sum = () =>
    service.database
      .prepare("SELECT value FROM instance_values WHERE name = 'tombstones'")
      .pluck()
      .get() as string;
  const sums = [sum()];
  await revokeToken(service);
  sums.push(sum());
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: world.user } });
  sums.push(sum());
  // The three sums cover no tombstone, the token, and the token with the user. Their XOR is the sum of the user alone.
  const bits = sums
    .map((each) => BigInt(`0x${each.split(' ')[1] ?? ''}`))
    .reduce((one, other) => one ^ other);
  const forged = `1 ${bits.toString(16).padStart(64, '0')} ${sums[2]?.split(' ')[2] ?? ''}`;
  service.database.prepare("UPDATE instance_values SET value = ? WHERE name = 'tombstones'").run(forged);
  service.database.exec("DELETE FROM tombstones WHERE kind = 'token'");

  expect((await restart(world)).message).toContain('list of tombstones');
});

test('a token that a load lets be made again, under the id of one that was revoked, works', async () => {
  await using service = await startService({ seed: 'the same ids' });
  const user = await service.user();
  const params = { name: 'before' };
  const mint = () => service.token(user, { scope: 'decrypt', fields: ['id.first_name'] });
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await mint();
  const id = tokenIdOf(service);
  await revokeToken(service);
  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  const token = await mint();

  expect(tokenIdOf(service)).toBe(id);
  expect((await service.call('GET /users/client_token', { as: token })).body.fp_id).toBe(user);
  const { key } = (await service.call('POST /_kyclone/api-keys', { body: { name: 'switched' } })).body;
  const switched = { id: await keyIdOf(service, 'switched') };
  for (const enabled of [false, true])
    await service.call('PATCH /_kyclone/api-keys/{id}', { params: switched, body: { enabled } });
  await reload(service);
  expect((await service.send({ method: 'GET', path: '/users', as: key })).status).toBe(200);
});

test('what is stored as usual passes: keys, tokens, endpoints, settings and external ids that were changed', async (service) => {
  const world = await aWorld(service);
  const { keyId, user } = world;
  await service.call('PATCH /_kyclone/api-keys/{id}', { params: { id: keyId }, body: { permissions: [] } });
  await service.call('PATCH /_kyclone/webhooks/{id}', {
    params: { id: world.webhook },
    body: { enabled: false },
  });
  await service.call('POST /_kyclone/webhooks/{id}/rotate', { params: { id: world.webhook } });
  await service.call('PATCH /users/{fp_id}', {
    params: { fp_id: user },
    body: { external_id: 'external-71' },
  });
  await service.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  await reload(service);
  expect((await service.call('GET /users/{fp_id}', { params: { fp_id: user } })).body.id).toBe(user);
  expect((await service.call('GET /users/client_token', { as: world.token })).body.fp_id).toBe(user);
  expect((await service.send({ method: 'GET', path: '/users', as: SANDBOX_KEY })).status).toBe(200);
  await service.call('POST /_kyclone/reset', { body: { hard: true } });
  await reload(service);
});
