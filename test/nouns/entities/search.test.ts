/** POST /users/search (contract §1, §10): by an exact value, from the blind indexes, each search in the access log. */
import { describe, expect } from 'vitest';
import { aBusiness, aUser } from '../../support/builders.ts';
import { LIVE_KEY, failureOf, type TestService } from '../../support/service.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const SEARCH = 'POST /users/search';

const answerTo = async (service: TestService, search: string, as?: string) =>
  (await service.call(SEARCH, { body: { search }, ...(as !== undefined && { as }) })).body;
const found = async (service: TestService, search: string, as?: string) =>
  (await answerTo(service, search, as)).data.map(({ id }) => id);

describe('results', () => {
  test.eachWith([
    ['id.ssn9', '121-12-1212', ['121121212', '121-12-1212', ' 121 12 1212 ', '1-2-1-1-2-1-2-1-2']],
    ['id.itin', '912-70-1234', ['912701234', '912 70 1234']],
    ['id.us_tax_id', '123-45-6789', ['123456789']],
    ['id.us_tax_id', '912-70-1234', ['912701234']],
    ['id.email', 'Jane@Doe.example', ['jane@doe.example', ' JANE@DOE.EXAMPLE']],
    ['id.phone_number', '+1 (415) 555-2671', ['+14155552671', '+1 415.555.2671']],
    ['id.drivers_license_number', 'D 123-X', ['D 123-X', ' D 123-X ']],
  ])('search: %s %s by each of its spellings', async (service, identifier, stored, texts) => {
    const fp_id = await service.user({ [identifier]: stored });
    await service.user({ 'id.first_name': stored, 'custom.copy': stored });

    for (const text of texts) expect(await found(service, text), text).toEqual([fp_id]);
  });

  test.eachWith([
    ...words`
      Wilhelmina Oyelaran 1988-12-30 Enclave 94117 US 1212 wilhelmina@oyelaran oyelaran.example 12112121
      4155552671 % * fp_id_ {}
    `,
    'custom value',
    '121121213',
    '\u0001',
  ])('search: %j finds no user', async (service, text) => {
    await service.user(aUser({ 'custom.text': 'custom value', 'card.a.number': '4111111111111111' }));

    expect(await answerTo(service, text)).toEqual({ data: [], meta: { count: 0, next: null } });
  });

  test('search: one text that several hold under different identifiers finds them all, newest first', async (service) => {
    const first = await service.user({ 'id.drivers_license_number': '121121212' });
    service.clock.advance(1000);
    const second = await service.user({ 'id.ssn9': '121121212' });
    service.clock.advance(1000);
    const both = await service.user({ 'id.ssn9': '121121212', 'id.drivers_license_number': '121121212' });

    expect(await answerTo(service, '121121212')).toMatchObject({
      data: [{ id: both }, { id: second }, { id: first }],
      meta: { count: 3, next: null },
    });
  });

  test('search: returns a user as a list does', async (service) => {
    const headers = { 'x-external-id': 'customer-1', 'x-sandbox-id': 'box' };
    const { id } = (await service.call('POST /users', { headers })).body;
    await vaultOf(service, id).write({ 'id.email': 'jane@doe.example' });

    expect((await answerTo(service, 'jane@doe.example')).data).toEqual([
      { id, external_id: 'customer-1', sandbox_id: 'box' },
    ]);
  });

  test('search: uses the current values', async (service) => {
    const fp_id = await service.user({ 'id.email': 'jane@doe.example', 'id.ssn9': '121121212' });
    const vault = vaultOf(service, fp_id);

    await vault.write({ 'id.email': 'joan@doe.example', 'id.ssn9': null });

    expect(await found(service, 'jane@doe.example')).toEqual([]);
    expect(await found(service, '121121212')).toEqual([]);
    expect(await found(service, 'joan@doe.example')).toEqual([fp_id]);
    await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
    expect(await found(service, 'joan@doe.example')).toEqual([]);
  });

  test('search: finds users only, and those of one tenant and environment', async (service) => {
    const elsewhere = await service.key({ tenant: 'elsewhere' });
    const data = { 'id.email': 'jane@doe.example' };
    const [sandbox, live, other] = [
      await service.user(data),
      await service.user(data, LIVE_KEY),
      await service.user(data, elsewhere),
    ];
    await service.business(aBusiness({ 'business.tin': '121121212' }));

    expect(await found(service, 'jane@doe.example')).toEqual([sandbox]);
    expect(await found(service, 'jane@doe.example', LIVE_KEY)).toEqual([live]);
    expect(await found(service, 'jane@doe.example', elsewhere)).toEqual([other]);
    expect(await found(service, '121121212')).toEqual([]);
  });
});

test('search: gives pages of one list, each user once', async (service) => {
  const users: string[] = [];
  for (let count = 0; count < 5; count++) {
    service.clock.advance(1000);
    users.unshift(await service.user({ 'id.email': 'jane@doe.example' }));
  }
  await service.user({ 'id.email': 'joan@doe.example' });

  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const pagination = { page_size: 2, ...(cursor !== undefined && { cursor }) };
    const { body } = await service.call(SEARCH, { body: { search: 'jane@doe.example', pagination } });
    expect(body.meta.count).toBe(5);
    pages.push(body.data.map(({ id }) => id));
    cursor = body.meta.next ?? undefined;
  } while (cursor !== undefined);

  expect(pages).toEqual([users.slice(0, 2), users.slice(2, 4), users.slice(4)]);
});

describe('permission and log', () => {
  test.eachWith([
    [[]],
    [['decrypt:id.*']],
    [['decrypt:id.email']],
    [['vault.write', 'entities.write']],
  ] as const)('search: a key with %j is 403, and a refusal in the log', async (service, permissions) => {
    await service.user();
    const { body: key } = await service.call('POST /_kyclone/api-keys', {
      body: { permissions: [...permissions] },
    });

    const answer = await service.refused(SEARCH, { body: { search: 'jane@doe.example' }, as: key.key });

    expect(answer).toMatchObject(failureOf(403, 'permission_denied', 'decrypt:*'));
    expect(await accessLog(service)).toMatchObject([
      {
        operation: 'search',
        outcome: 'refused',
        fp_id: null,
        identifiers: [],
        reason: null,
        actor: { kind: 'api_key', id: key.id },
      },
    ]);
  });

  test.eachWith([
    ['121121212', ['id.ssn9', 'id.drivers_license_number']],
    ['jane@doe.example', ['id.email', 'id.drivers_license_number']],
    ['+14155552671', ['id.phone_number', 'id.drivers_license_number']],
    ['912701234', ['id.ssn9', 'id.itin', 'id.drivers_license_number']],
    ['\u0007', []],
  ])(
    'search: %j is an entry with the identifiers it was looked for under',
    async (service, text, identifiers) => {
      const { requestId } = await service.call(SEARCH, { body: { search: text } });

      expect(await accessLog(service)).toMatchObject([
        {
          operation: 'search',
          outcome: 'granted',
          fp_id: null,
          reason: null,
          request_id: requestId,
          tenant: 'default',
          environment: 'sandbox',
          identifiers,
        },
      ]);
    },
  );

  test('search: the text is kept nowhere', async (service) => {
    await service.user({ 'id.email': 'jane@doe.example' });
    const { requestId } = await service.call(SEARCH, { body: { search: 'jane@doe.example' } });

    const { body: entry } = await service.call('GET /_kyclone/requests/{id}', { params: { id: requestId } });
    const { text } = await service.send({ method: 'GET', path: '/_kyclone/access-log' });

    expect(entry.request).toEqual({ search: '<string>' });
    for (const kept of [JSON.stringify(entry), text, JSON.stringify(service.log)]) {
      expect(kept).not.toContain('jane');
    }
    expect(bytesOf(service.database).includes('jane@doe.example')).toBe(false);
  });
});
