/**
 * Client tokens: what minting returns, when they expire, and where they are visible (contract §0.2, §2.2, §2.15, §10,
 * §11).
 */
import { hash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import { aTokenUser } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const MINT_FOR_BUSINESS = 'POST /businesses/{fp_bid}/client_token';
const DAY_MS = 86_400_000;

const at = (ms: number) => new Date(NOON + ms).toISOString();

const test = testWith(aTokenUser);

const statusOf = async (service: TestService, as: string) =>
  (await service.request('GET /users/client_token', { as })).status;

describe('responses', () => {
  test('client_token: is a token of its form, its end and its fields in the order sent, each once', async (user) => {
    expect(await user.mint({ scope: 'vault', fields: ['id.email', 'id.dob', 'id.city', 'id.dob'] })).toEqual({
      token: expect.stringMatching(/^cttok_[0-9A-Za-z]{34}$/) as string,
      expires_at: at(1_800_000),
      fields: ['id.email', 'id.dob', 'id.city'],
    });
  });

  test('client_token: two tokens are different ones, whatever the seed', async (one) => {
    await using other = await aTokenUser();
    const body = { scope: 'decrypt', fields: ['id.email'] };

    const tokens = await Promise.all([one.mint(body), one.mint(body), other.mint(body)]);

    expect(new Set(tokens.map(({ token }) => token)).size).toBe(3);
  });

  test.eachWith(['vault', 'decrypt', 'vault_and_decrypt', 'decrypt_download'])(
    'GET /users/client_token: shows whom a token of scope %s is for, what, and until when',
    async (user, scope) => {
      const { token } = await user.mint({ scope, fields: ['id.email'], ttl: 60 });

      expect(await user.describeToken(token)).toEqual({
        fp_id: user.fp_id,
        scope,
        fields: ['id.email'],
        expires_at: at(60_000),
      });
    },
  );

  test.eachWith([
    [['vault'], 'vault'],
    [['decrypt'], 'decrypt'],
    [['decrypt_download'], 'decrypt_download'],
    [['vault', 'decrypt'], 'vault_and_decrypt'],
    [['decrypt', 'vault'], 'vault_and_decrypt'],
    [['vault', 'vault'], 'vault'],
    [['decrypt', 'vault', 'decrypt'], 'vault_and_decrypt'],
  ])('client_token: scopes %j is scope %s', async (user, scopes, scope) => {
    const { token } = await user.mint({ scopes, fields: ['id.email'] });

    expect((await user.describeToken(token)).scope).toBe(scope);
  });

  test('client_token: every family of a user, derived identifiers too', async (user) => {
    const fields = [
      'id.ssn4',
      'custom.note',
      'investor_profile.occupation',
      'document.visa.dob',
      'card.a.issuer',
      'bank.a.fingerprint',
      'document.ssn_card.image',
      'document.passport.front.mime_type',
    ];

    expect((await user.mint({ scope: 'decrypt', fields })).fields).toEqual(fields);
  });
});

const FIELDS = ['number', 'expiration', 'cvc', 'name', 'billing_address.zip', 'billing_address.country'];
const aliasOf = ({ fields }: { fields: string[] }) => /^card\.([^.]+)\./.exec(fields[0] ?? '')?.[1] ?? '';

test('vault_card: names the six fields of a card of a new alias', async (user) => {
  const minted = await user.mint({ scope: 'vault_card' });

  expect(aliasOf(minted)).toMatch(/^[0-9A-Za-z]{12}$/);
  expect(minted.fields).toEqual(FIELDS.map((field) => `card.${aliasOf(minted)}.${field}`));
  expect(await user.describeToken(minted.token)).toMatchObject({
    scope: 'vault_card',
    fields: minted.fields,
  });
});

test('vault_card: after a restarted seed, no alias of an existing card or token is reused', async (user) => {
  const used = await user.mint({ scope: 'vault_card' });
  const body = { [`card.${aliasOf(used)}.cvc`]: '123' };
  await user.service.call('PATCH /users/vault', { as: used.token, body });
  const params = { fp_id: user.fp_id };
  await user.service.call('DELETE /users/{fp_id}/vault', { params, body: { delete_all: true } });
  user.service.clock.advance(2 * DAY_MS);
  const unused = await user.mint({ scope: 'vault_card' });
  user.service.random.restart();

  const again = aliasOf(await user.mint({ scope: 'vault_card' }));

  expect([used, unused].map(aliasOf)).not.toContain(again);
});

test('vault_card: is for users only', async () => {
  await using service = await startService();
  const params = { fp_bid: await service.business() };

  for (const body of [{ scope: 'vault_card' }, { scope: 'vault_card', fields: ['business.name'] }]) {
    const answer = await service.refused(MINT_FOR_BUSINESS, { params, body });
    expect(answer).toMatchObject(failureOf(400, 'invalid_request', 'vault_card'));
  }
});

describe('its life', () => {
  test('token: works again when its key is enabled again', async (user) => {
    const { body: key } = await user.service.call('POST /_kyclone/api-keys', { body: {} });
    const { token } = await user.mint({ scope: 'vault', fields: ['id.email'] }, key.key);
    const enable = (enabled: boolean) =>
      user.service.call('PATCH /_kyclone/api-keys/{id}', { params: { id: key.id }, body: { enabled } });

    await enable(false);
    expect(await statusOf(user.service, token)).toBe(401);
    await enable(true);
    expect(await statusOf(user.service, token)).toBe(200);
  });

  test('token: outlives a smaller permission of its key, and is used again and again', async (user) => {
    const { body: key } = await user.service.call('POST /_kyclone/api-keys', { body: {} });
    const { token } = await user.mint({ scope: 'decrypt', fields: ['id.email'] }, key.key);
    const params = { id: key.id };
    await user.service.call('PATCH /_kyclone/api-keys/{id}', { params, body: { permissions: [] } });

    for (let use = 0; use < 3; use++) expect(await statusOf(user.service, token)).toBe(200);
  });

  test("token: revoking one leaves the user's other tokens valid", async (user) => {
    const first = await user.mint({ scope: 'vault', fields: ['id.email'] });
    const second = await user.mint({ scope: 'vault', fields: ['id.email'] });
    const [newest] = await user.list();

    for (let times = 0; times < 2; times++) {
      const params = { id: newest?.id ?? '' };
      expect((await user.service.call('DELETE /_kyclone/tokens/{id}', { params })).body).toEqual({});
    }

    expect(await statusOf(user.service, first.token)).toBe(200);
    expect(await statusOf(user.service, second.token)).toBe(401);
  });

  test('token: a day after its end it is still reported as expired, then as unknown', async (user) => {
    const mint = () => user.mint({ scope: 'vault', fields: ['id.email'], ttl: 60 });
    const { token } = await mint();
    const codeOf = async () => (await user.service.refused('GET /users/client_token', { as: token })).code;

    user.service.clock.advance(60_000 + DAY_MS);
    await mint();
    expect(await codeOf()).toBe('token_expired');
    user.service.clock.advance(1);
    await mint();
    expect(await codeOf()).toBe('unauthenticated');
    expect(await user.list()).toHaveLength(2);
  });

  test('token: pruning leaves the tokens of other users', async (user) => {
    const other = await user.service.user({});
    const token = await user.service.token(other, { scope: 'vault', fields: ['id.email'], ttl: 60 });

    user.service.clock.advance(3 * DAY_MS);
    await user.mint({ scope: 'vault', fields: ['id.email'] });

    expect((await user.service.refused('GET /users/client_token', { as: token })).code).toBe('token_expired');
  });
});

test('entities/{fp_id}: lists its tokens, newest first, without the token', async (user) => {
  await user.mint({ scope: 'vault', fields: ['id.email'] });
  user.service.clock.advance(1000);
  const { token } = await user.mint({ scope: 'decrypt', fields: ['id.dob'], ttl: 60, decrypt_reason: 'why' });
  const [newest] = await user.list();
  await user.service.call('DELETE /_kyclone/tokens/{id}', { params: { id: newest?.id ?? '' } });

  const tokens = await user.list();

  const id = expect.stringMatching(/^tok_[0-9A-Za-z]{22}$/) as string;
  expect(tokens).toEqual([
    { id, scope: 'decrypt', fields: ['id.dob'], expires_at: at(61_000), revoked: true },
    { id, scope: 'vault', fields: ['id.email'], expires_at: at(1_800_000), revoked: false },
  ]);
  expect(JSON.stringify(tokens)).not.toContain(token);
});

test('store: holds the SHA-256 of a token in one place, and the token nowhere', async (user) => {
  const { token } = await user.mint({ scope: 'vault_and_decrypt', fields: ['id.email'] });
  await user.service.call('PATCH /users/vault', { as: token, body: { 'id.email': 'a@b.example' } });
  await user.service.call('POST /users/vault/decrypt', { as: token, body: { reason: 'a test' } });
  await user.service.flush();

  const cells = everyCell(user.service);
  const placesOf = (part: string | Buffer) =>
    cells.filter(({ bytes }) => bytes.includes(part)).map(({ place }) => place);

  expect([...placesOf(token), ...placesOf(token.slice(6))]).toEqual([]);
  expect(placesOf(hash('sha256', token, 'buffer'))).toEqual(['client_tokens.digest']);
});

test('journal and log: show the id of its record, and never the token', async (user) => {
  const [{ token }, { token: pathToken }] = [
    await user.mint({ scope: 'decrypt', fields: ['id.email'] }),
    await user.mint({ scope: 'decrypt_download', fields: ['id.email'], decrypt_reason: 'a test' }),
  ];
  const [pathRecord, record] = await user.list();
  const used = await user.service.call('POST /users/vault/decrypt', { as: token, body: { reason: 'why' } });
  const downloaded = await user.service.call('GET /users/vault/decrypt/{token}', {
    params: { token: pathToken },
    query: { reason: 'because' },
  });

  const entry = async (id: string) =>
    (await user.service.call('GET /_kyclone/requests/{id}', { params: { id } })).body;
  const { text } = await user.service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });

  expect(await entry(used.requestId)).toMatchObject({
    token_id: record?.id,
    tenant: 'default',
    environment: 'sandbox',
    request: { reason: '<string>' },
    response: { 'id.email': 'w***@oyelaran.example' },
  });
  expect(await entry(used.requestId)).not.toHaveProperty('key_id');
  expect(await entry(downloaded.requestId)).toMatchObject({
    token_id: pathRecord?.id,
    path: '/users/vault/decrypt/***?reason=***',
    request: null,
    response: '<text/plain 27 bytes>',
  });
  for (const secret of [token, pathToken, token.slice(6), pathToken.slice(6), 'because']) {
    expect(text).not.toContain(secret);
    expect(JSON.stringify(user.service.log)).not.toContain(secret);
  }
  expect(user.service.log).toContainEqual(expect.objectContaining({ token_id: record?.id }));
});

/** Returns every value of every table, as bytes. */
function everyCell({ database }: TestService): { place: string; bytes: Buffer }[] {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  return (tables as string[]).flatMap((table) =>
    (database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]).flatMap((row) =>
      Object.entries(row).map(([column, value]) => ({
        place: `${table}.${column}`,
        bytes: value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)),
      })),
    ),
  );
}
