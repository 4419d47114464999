/** Playbooks (contract §4.1, §11). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { anOnboarding } from '../../support/onboarding-rows.ts';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const CREATE = 'POST /_kyclone/playbooks';
const CHANGE = 'PATCH /_kyclone/playbooks/{key}';
const REMOVE = 'DELETE /_kyclone/playbooks/{key}';
const LIST = 'GET /_kyclone/playbooks';
const KYC = 'pb_test_kycdefault000000000000';
const KYB = 'pb_test_kybdefault000000000000';

type Choice = RequestOf<typeof CREATE>['query'];
type NewPlaybook = RequestOf<typeof CREATE>['body'];

const create = async (service: TestService, body: Partial<NewPlaybook> = {}, query: Choice = {}) =>
  (await service.call(CREATE, { query, body: { name: 'Mine', kind: 'kyc', ...body } })).body;
const list = async (service: TestService, query: RequestOf<typeof LIST>['query'] = {}) =>
  (await service.call(LIST, { query })).body;
const read = async (service: TestService, key: string, query: Choice = {}) =>
  (await service.call('GET /_kyclone/playbooks/{key}', { params: { key }, query })).body;
const keysOf = (page: { data: readonly { key: string }[] }) => page.data.map(({ key }) => key);

const USER_GROUPS = [
  ['id.first_name'],
  ['id.last_name'],
  ['id.dob'],
  ['id.address_line1'],
  ['id.city'],
  ['id.state'],
  ['id.zip'],
  ['id.country'],
  ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id'],
];
const BUSINESS_GROUPS = [
  ['business.name'],
  ['business.tin'],
  ['business.address_line1'],
  ['business.city'],
  ['business.state'],
  ['business.zip'],
  ['business.country'],
];

/** What a new playbook has, whatever its kind. */
const DEFAULTS = {
  version: 1,
  has_rules: true,
  default_outcome: 'pass',
  delay_ms: 0,
  collects_owners: false,
  owners_playbook_key: null,
  documents: null,
  selfie: false,
  bank_link: false,
};

describe('the two that each tenant and environment begins with', () => {
  test('playbooks: are those of the contract, in sandbox and live', async (service) => {
    const common = { ...DEFAULTS, created_at: new Date(NOON).toISOString() };
    expect(await list(service)).toEqual({
      data: [
        {
          key: KYC,
          name: 'KYC',
          kind: 'kyc',
          is_live: false,
          ...common,
          requirements: USER_GROUPS,
          session_delay_ms: 0,
        },
        {
          key: KYB,
          name: 'KYB',
          kind: 'kyb',
          is_live: false,
          ...common,
          requirements: BUSINESS_GROUPS,
          session_delay_ms: 120_000,
        },
      ],
      meta: { count: 2, next: null },
    });
    expect((await list(service, { environment: 'live' })).data).toMatchObject([
      { key: 'pb_live_kycdefault000000000000', is_live: true },
      { key: 'pb_live_kybdefault000000000000', is_live: true },
    ]);
  });

  test('api-keys: a new tenant gets them, in the environment of the key; a second key gets no more', async (service) => {
    await service.key({ tenant: 'elsewhere' });
    await service.call(REMOVE, { params: { key: KYB }, query: { tenant: 'elsewhere' } });
    await service.key({ tenant: 'elsewhere' });

    expect(keysOf(await list(service, { tenant: 'elsewhere' }))).toEqual([KYC]);
    const query = { tenant: 'elsewhere', environment: 'live' };
    expect(await service.refused(LIST, { query })).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('reset: hard restores them and deletes all others; soft keeps them', async (service) => {
    const { key } = await create(service);
    await service.call(CHANGE, { params: { key: KYC }, body: { default_outcome: 'fail' } });
    await service.key({ tenant: 'elsewhere' });

    await service.call('POST /_kyclone/reset');
    expect(keysOf(await list(service)).sort()).toEqual([key, KYC, KYB].sort());
    expect(await read(service, KYC)).toMatchObject({ default_outcome: 'fail', version: 2 });

    await service.call('POST /_kyclone/reset', { body: { hard: true } });
    expect(keysOf(await list(service))).toEqual([KYC, KYB]);
    expect(await read(service, KYC)).toMatchObject({ default_outcome: 'pass', version: 1 });
    expect((await service.refused(LIST, { query: { tenant: 'elsewhere' } })).status).toBe(404);
  });
});

const WITH_OWNERS = { kind: 'kyb', collects_owners: true };

describe('create', () => {
  test.eachWith([
    { kind: 'kyc', requirements: USER_GROUPS, session_delay_ms: 0 },
    { kind: 'kyb', requirements: BUSINESS_GROUPS, session_delay_ms: 120_000 },
    { kind: 'document', requirements: [], session_delay_ms: 0 },
  ] as const)(
    'playbooks: $kind without more has the defaults of its kind',
    async (service, { kind, ...own }) => {
      service.clock.advance(1_000);

      const made = await create(service, { kind });

      expect(made).toEqual({
        ...DEFAULTS,
        key: expect.stringMatching(/^pb_test_[0-9A-Za-z]{22}$/) as string,
        name: 'Mine',
        kind,
        is_live: false,
        ...own,
        created_at: '2026-03-01T12:00:01.000Z',
      });
      expect(await read(service, made.key)).toEqual(made);
      expect((await list(service)).data[0]).toEqual(made);
    },
  );

  test('playbooks: a taken key is 409, in the other environment or another tenant it is free', async (service) => {
    await service.key({ tenant: 'elsewhere' });
    await create(service, { key: 'pb_test_mine' });

    expect(
      await service.refused(CREATE, { body: { name: 'x', kind: 'kyb', key: 'pb_test_mine' } }),
    ).toMatchObject({ status: 409, code: 'conflict' });
    expect(await read(service, 'pb_test_mine')).toMatchObject({ name: 'Mine', kind: 'kyc' });
    await create(service, { key: 'pb_test_mine', name: 'Theirs' }, { tenant: 'elsewhere' });
    expect(await read(service, 'pb_test_mine')).toMatchObject({ name: 'Mine' });
  });

  test('playbooks: seeded keys don’t meet those that a reset kept', async () => {
    await using service = await startService({ seed: 'one' });
    const before = await create(service);
    await service.call('POST /_kyclone/reset');

    expect((await create(service)).key).not.toBe(before.key);
  });

  test('playbooks: an identifier given twice in a group counts once', async (service) => {
    const { requirements } = await create(service, {
      requirements: [['id.email', 'id.phone_number', 'id.email'], ['id.email']],
    });

    expect(requirements).toEqual([['id.email', 'id.phone_number'], ['id.email']]);
  });

  test.eachWith([
    ['the key of the other environment', { key: 'pb_live_mine' }, 'key'],
    ['a key with a blank', { key: 'pb_test_my own' }, 'key'],
    ['a key without a name', { key: 'pb_test_' }, 'key'],
    ['an unknown identifier', { requirements: [['id.shoe_size']] }, 'id.shoe_size'],
    ['a version of an identifier', { requirements: [['id.email:1']] }, 'id.email:1'],
    ['an identifier of businesses for kyc', { requirements: [['business.name']] }, 'business.name'],
    ['an identifier of users for kyb', { kind: 'kyb', requirements: [['id.email']] }, 'id.email'],
    [
      'an identifier of businesses for document',
      { kind: 'document', requirements: [['business.tin']] },
      'business.tin',
    ],
    ['an empty group', { requirements: [[]] }, 'requirements'],
    ['owners for kyc', { collects_owners: true }, 'collects_owners'],
    ['owners for document', { kind: 'document', collects_owners: true }, 'collects_owners'],
    ['an owners’ playbook for kyc', { owners_playbook_key: KYC }, 'owners_playbook_key'],
    ['owners run on kyb', { ...WITH_OWNERS, owners_playbook_key: KYB }, 'owners_playbook_key'],
    ['owners run on none', { ...WITH_OWNERS, owners_playbook_key: 'pb_test_nobody' }, 'owners_playbook_key'],
    ['a selfie alone', { selfie: true }, 'selfie'],
    ['no document of some', { documents: [] }, 'documents'],
    ['an unknown document', { documents: ['library_card'] }, 'documents'],
  ])('playbooks: %s is 400 and named', async (service, _, members, named) => {
    const refusal = await service.refused(CREATE, { body: { name: 'Mine', kind: 'kyc', ...members } });

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
    expect((await list(service)).meta.count).toBe(2);
  });
});

describe('change', () => {
  test('playbooks: null resets the steps of a hosted flow, without a new version', async (service) => {
    const change = async (key: string, body: RequestOf<typeof CHANGE>['body']) =>
      (await service.call(CHANGE, { params: { key }, body })).body;
    const { key } = await create(service, { kind: 'kyb', collects_owners: true, owners_playbook_key: KYC });

    expect(
      await change(key, { documents: ['passport', 'visa'], selfie: true, bank_link: true }),
    ).toMatchObject({
      owners_playbook_key: KYC,
      documents: ['passport', 'visa'],
      selfie: true,
      bank_link: true,
      version: 1,
    });
    const back = await change(key, { owners_playbook_key: null, documents: null, selfie: false });
    expect(back).toMatchObject({
      owners_playbook_key: null,
      documents: null,
      selfie: false,
      collects_owners: true,
      version: 1,
    });
    expect(await read(service, key)).toEqual(back);
    // A selfie needs a document beside it, and an owners' playbook needs owners to run.
    await change(key, { documents: ['visa'], selfie: true });
    const misfits = [
      { documents: null },
      { owners_playbook_key: KYC, collects_owners: false },
      { owners_playbook_key: KYB },
    ];
    for (const body of misfits) {
      expect(await service.refused(CHANGE, { params: { key }, body })).toMatchObject({ status: 400 });
    }
  });

  test.eachWith([
    [{ requirements: [['id.email']] }],
    [{ requirements: [] }],
    [{ has_rules: false }],
    [{ default_outcome: 'fail' as const }],
    [{ requirements: [['id.email']], has_rules: false, default_outcome: 'error' as const }],
  ])('playbooks: %j makes one new version', async (service, body) => {
    const changed = (await service.call(CHANGE, { params: { key: KYC }, body })).body;

    expect(changed).toMatchObject({ ...body, version: 2, name: 'KYC' });
    expect(await read(service, KYC)).toEqual(changed);
    expect((await service.call(CHANGE, { params: { key: KYC }, body })).body.version).toBe(2);
  });

  test.eachWith([
    [{}],
    [{ name: 'Another' }],
    [{ delay_ms: 1_000 }],
    [{ session_delay_ms: 1_000 }],
    [{ collects_owners: true }],
    [{ requirements: BUSINESS_GROUPS, has_rules: true, default_outcome: 'pass' as const }],
    [{ requirements: BUSINESS_GROUPS.map((group) => [...group, ...group]) }],
  ])('playbooks: %j is the same version', async (service, body) => {
    const before = await read(service, KYB);

    const changed = (await service.call(CHANGE, { params: { key: KYB }, body })).body;

    expect(changed).toEqual({ ...before, ...body, requirements: before.requirements });
  });

  test('playbooks: a refused change changes nothing', async (service) => {
    const before = await read(service, KYC);

    for (const body of [
      { name: 'Other', collects_owners: true },
      { name: 'Other', requirements: [['business.name']] },
      { name: 'Other', kind: 'kyb' },
      { name: 'Other', key: 'pb_test_other' },
      { name: 'Other', version: 7 },
    ]) {
      const refusal = await service.refused(CHANGE, { params: { key: KYC }, body });
      expect(refusal, JSON.stringify(body)).toMatchObject({ status: 400, code: 'invalid_request' });
    }

    expect(await read(service, KYC)).toEqual(before);
  });
});

describe('remove', () => {
  test('playbooks: a deleted one is gone, and its key can be made again; one of another tenant or environment is 404', async (service) => {
    expect((await service.call(REMOVE, { params: { key: KYC } })).body).toEqual({});

    expect(keysOf(await list(service))).toEqual([KYB]);
    await service.key({ tenant: 'elsewhere' });
    const theirs = await create(service, {}, { tenant: 'elsewhere' });
    for (const [key, query] of [
      [KYC, {}],
      [theirs.key, {}],
      [theirs.key, { environment: 'live' }],
      [theirs.key, { tenant: 'nobody' }],
    ] as const) {
      const parts = { params: { key }, query };
      for (const refusal of [
        await service.refused('GET /_kyclone/playbooks/{key}', parts),
        await service.refused(CHANGE, { ...parts, body: { name: 'Taken' } }),
        await service.refused(REMOVE, parts),
      ])
        expect(refusal, JSON.stringify(parts)).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(await read(service, theirs.key, { tenant: 'elsewhere' })).toEqual(theirs);
    expect(await create(service, { key: KYC })).toMatchObject({ key: KYC, version: 1 });
  });

  test('playbooks: 409 while an onboarding on it is open, not for a finished one or a deleted entity', async (service) => {
    const [open, over] = [await service.user(), await service.user()];
    anOnboarding(service, { fp_id: over, playbook_key: KYC, status: 'pass' });
    anOnboarding(service, { fp_id: open, playbook_key: KYC, status: 'incomplete' });

    const refusal = await service.refused(REMOVE, { params: { key: KYC } });

    expect(refusal).toMatchObject({ status: 409, code: 'conflict' });
    expect((await list(service)).meta.count).toBe(2);
    await service.call('DELETE /users/{fp_id}', { params: { fp_id: open } });
    await service.call(REMOVE, { params: { key: KYC } });
  });

  test('playbooks: an onboarding of another tenant on the same key does not count', async (service) => {
    const theirs = await service.user({}, await service.key({ tenant: 'elsewhere' }));
    anOnboarding(service, { fp_id: theirs, playbook_key: KYC, status: 'pending' });

    await service.call(REMOVE, { params: { key: KYC } });
    const query = { tenant: 'elsewhere' };
    expect((await service.refused(REMOVE, { params: { key: KYC }, query })).status).toBe(409);
  });
});

describe('list', () => {
  test('playbooks: of one kind, when asked', async (service) => {
    const { key } = await create(service, { kind: 'document' });

    expect(keysOf(await list(service, { kind: 'document' }))).toEqual([key]);
    expect((await list(service, { kind: 'kyb' })).meta).toEqual({ count: 1, next: null });
  });
});
