/** Outcome rules (contract §4.3, §11). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { createOutcomes, type RunFacts } from '../../../src/nouns/outcomes/service.ts';
import { createPrivateValues } from '../../../src/vault/private-values.ts';
import { aReadyUser } from '../../support/builders.ts';
import { handled } from '../../support/handled.ts';
import { failureOf, type TestService } from '../../support/service.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';

const CREATE = 'POST /_kyclone/outcomes';
const READ = 'GET /_kyclone/outcomes/{id}';
const CHANGE = 'PATCH /_kyclone/outcomes/{id}';
const REMOVE = 'DELETE /_kyclone/outcomes/{id}';
const LIST = 'GET /_kyclone/outcomes';
const KYC = 'pb_test_kycdefault000000000000';
const KYB = 'pb_test_kybdefault000000000000';

type Choice = RequestOf<typeof CREATE>['query'];
type NewRule = RequestOf<typeof CREATE>['body'];

const A_RULE: NewRule = { match: { external_id: 'fails-*' }, outcome: 'fail' };

const create = async (service: TestService, body: Partial<NewRule> = {}, query: Choice = {}) =>
  (await service.call(CREATE, { query, body: { ...A_RULE, ...body } })).body;
const read = async (service: TestService, id: string, query: Choice = {}) =>
  (await service.call(READ, { params: { id }, query })).body;
const change = async (service: TestService, id: string, body: RequestOf<typeof CHANGE>['body']) =>
  (await service.call(CHANGE, { params: { id }, body })).body;
const list = async (service: TestService, query: RequestOf<typeof LIST>['query'] = {}) =>
  (await service.call(LIST, { query })).body;

const VALUES: ReadonlyMap<string, string> = new Map([
  ['id.first_name', 'Ада  Lovelace'],
  ['id.phone_number', '+14155552671'],
]);

/** How a run differs from that of `asked`. Every identifier has the value `value`. */
type Facts = Partial<Omit<RunFacts, 'valueOf'>> & { readonly value?: string | undefined };

/** Makes the rules of a service's default sandbox, evaluated as a run does. */
function asked(service: TestService) {
  const privateValues = createPrivateValues(Buffer.alloc(32, 7));
  const { queue, random } = service;
  const outcomes = createOutcomes({ queue, random, privateValues });
  const space = service.database
    .prepare("SELECT id AS space, tenant, environment FROM spaces WHERE environment = 'sandbox'")
    .get() as Parameters<typeof outcomes.choose>[1];
  const run: RunFacts = {
    fp_id: 'fp_id_1',
    external_id: 'customer-1',
    sandbox_id: 'Sandbox1',
    playbook_key: KYC,
    kind: 'kyc',
    valueOf: (identifier) => VALUES.get(identifier),
  };
  const call = handled(outcomes.handlers);
  return {
    create: (rule: Partial<NewRule>) => call(CREATE, { body: { ...A_RULE, ...rule } }),
    change: (id: string, body: RequestOf<typeof CHANGE>['body']) => call(CHANGE, { params: { id }, body }),
    choose: ({ ...facts }: Facts = {}) => {
      const valueOf = 'value' in facts ? () => facts.value : run.valueOf;
      return queue.write((database) => outcomes.choose(database, space, { ...run, ...facts, valueOf }));
    },
    /** Chooses an outcome in a write that fails afterwards. */
    chooseInVain: () =>
      queue
        .write((database) => {
          outcomes.choose(database, space, run);
          throw new Error('no run');
        })
        .catch(() => undefined),
    read: (id: string) => call(READ, { params: { id } }),
  };
}

describe('choose', () => {
  test.eachWith<[NewRule['match'], Facts[], Facts[]]>([
    [{ fp_id: 'fp_id_1' }, [{}], [{ fp_id: 'fp_id_12' }, { fp_id: 'fp_bid_1' }]],
    [{ fp_id: 'fp_id_*' }, [{}, { fp_id: 'fp_id_2' }], [{ fp_id: 'fp_bid_1' }]],
    [{ external_id: 'customer-*' }, [{}], [{ external_id: 'Customer-1' }, { external_id: null }]],
    [{ external_id: '*' }, [{}], [{ external_id: null }]],
    [{ sandbox_id: '*box*' }, [{}], [{ sandbox_id: 'sand' }, { sandbox_id: null }]],
    [{ playbook_key: 'pb_*kyc*' }, [{}], [{ playbook_key: KYB }]],
    [{ kind: 'kyc' }, [{}], [{ kind: 'kyb' }, { kind: 'document' }]],
    [{ kind: 'kyc', external_id: '*-1' }, [{}], [{ kind: 'document' }, { external_id: 'customer-2' }]],
    [
      { identifier: { name: 'id.first_name', equals: ' ада LOVELACE' } },
      [{}, { value: 'АДА LOVELACE' }],
      [{ value: 'Ада' }, { value: undefined }],
    ],
    [{ identifier: { name: 'id.phone_number', equals: '+1 (415) 555-2671' } }, [{}], []],
    [{ identifier: { name: 'id.first_name', equals: 'Ада*' } }, [], [{}]],
  ])('outcomes: a rule that matches %j', async (service, match, matching, others) => {
    const rules = asked(service);
    await rules.create({ match });

    for (const facts of matching) expect(await rules.choose(facts)).toMatchObject({ outcome: 'fail' });
    for (const facts of others) expect(await rules.choose(facts)).toBeUndefined();
  });

  test('outcomes: gives outcome, delay and signals of the rule; without these no delay and no change', async (service) => {
    const rules = asked(service);
    const signals = { add: ['watchlist_hit_pep'], remove: ['name_matches'] };
    const match = { kind: 'kyc' } as const;
    await rules.create({ match, priority: 0, times: 1, delay_ms: 0, signals, outcome: 'pass' });
    await rules.create({ match });

    expect(await rules.choose()).toEqual({ outcome: 'pass', delayMs: 0, signals });
    expect(await rules.choose()).toEqual({ outcome: 'fail', delayMs: undefined, signals: null });
  });

  test('outcomes: the lowest priority is asked first, of equal ones the oldest', async (service) => {
    const rules = asked(service);
    const match = { kind: 'kyc' } as const;
    await rules.create({ match, priority: 5, outcome: 'none' });
    await rules.create({ match, priority: 5, outcome: 'error' });
    const first = await rules.create({ match, priority: 4, outcome: 'pass' });

    expect(await rules.choose()).toMatchObject({ outcome: 'pass' });
    await rules.change(first.id, { priority: 6 });
    expect(await rules.choose()).toMatchObject({ outcome: 'none' });
  });

  test('outcomes: one that is not enabled is not asked', async (service) => {
    const rules = asked(service);
    const { id } = await rules.create({ match: { kind: 'kyc' }, enabled: false });
    expect(await rules.choose()).toBeUndefined();

    await rules.change(id, { enabled: true });
    expect(await rules.choose()).toMatchObject({ outcome: 'fail' });
  });

  test('outcomes: times counts the runs it decided, then it is spent, until it is set again or removed', async (service) => {
    const rules = asked(service);
    const { id } = await rules.create({ match: { external_id: 'customer-1' }, times: 2 });

    await rules.choose({ external_id: 'other-1' });
    expect(await rules.read(id)).toMatchObject({ times: 2, remaining: 2 });
    await rules.choose();
    expect(await rules.read(id)).toMatchObject({ times: 2, remaining: 1 });
    await rules.choose();
    expect(await rules.read(id)).toMatchObject({ times: 2, remaining: 0, enabled: true });
    expect(await rules.choose()).toBeUndefined();

    expect(await rules.change(id, { times: 1 })).toMatchObject({ times: 1, remaining: 1 });
    await rules.choose();
    expect(await rules.choose()).toBeUndefined();

    const { times, remaining } = await rules.change(id, { times: null });
    expect([times, remaining]).toEqual([undefined, null]);
    for (let runs = 0; runs < 3; runs++) expect(await rules.choose()).toMatchObject({ outcome: 'fail' });
  });

  test('outcomes: a run that fails does not count', async (service) => {
    const rules = asked(service);
    const { id } = await rules.create({ match: { kind: 'kyc' }, times: 1 });

    await rules.chooseInVain();

    expect(await rules.read(id)).toMatchObject({ remaining: 1 });
  });

  test('outcomes: rules of another tenant or environment are not asked', async (service) => {
    await service.key({ tenant: 'elsewhere' });
    await create(service, { match: { kind: 'kyc' } }, { tenant: 'elsewhere' });
    await create(service, { match: { kind: 'kyc' } }, { environment: 'live' });

    expect(await asked(service).choose()).toBeUndefined();
  });
});

describe('create', () => {
  test('outcomes: with match and outcome only it is enabled, of priority 100, without an end', async (service) => {
    const made = await create(service);

    expect(made).toEqual({
      id: expect.stringMatching(/^rule_[0-9A-Za-z]{22}$/) as string,
      priority: 100,
      enabled: true,
      match: { external_id: 'fails-*' },
      outcome: 'fail',
      remaining: null,
    });
    expect(await read(service, made.id)).toEqual(made);
  });

  test('outcomes: returns what it matches and its signals; a repeated code counts once', async (service) => {
    const match = { fp_id: 'fp_id_*', external_id: '*', sandbox_id: 's*' };
    const made = await create(service, {
      match,
      signals: { add: ['name_matches', 'name_matches'], remove: ['dob_matches'] },
    });

    expect(made).toMatchObject({ match, signals: { add: ['name_matches'], remove: ['dob_matches'] } });
  });

  test('outcomes: the value to compare with is answered as a mask and is not in the store in the clear', async (service) => {
    const equals = '121-12-1212';

    const made = await create(service, { match: { identifier: { name: 'id.ssn9', equals } } });

    expect(made.match).toEqual({ identifier: { name: 'id.ssn9', equals: '***1212' } });
    expect(await read(service, made.id)).toEqual(made);
    expect((await list(service)).data).toEqual([made]);
    const stored = bytesOf(service.database).toString('latin1');
    expect(stored).toContain('id.ssn9');
    expect(stored).not.toContain('121-12-1212');
    expect(stored).not.toContain('121121212');
    expect((await service.call('GET /_kyclone/requests')).body.data).not.toHaveLength(0);
    expect(JSON.stringify((await service.call('GET /_kyclone/requests')).body)).not.toContain(equals);
  });

  test('outcomes: sealed values of two rules are not each other’s', async (service) => {
    const match = { identifier: { name: 'id.city', equals: 'Enclave' } };
    const [one, two] = [await create(service, { match }), await create(service, { match })];
    const sealed = (id: string) =>
      service.database.prepare('SELECT sealed_equals FROM outcome_rules WHERE id = ?').pluck().get(id);
    expect(sealed(one.id)).not.toEqual(sealed(two.id));

    service.database
      .prepare('UPDATE outcome_rules SET sealed_equals = ? WHERE id = ?')
      .run(sealed(one.id), two.id);

    const shown = { ...two, match: { identifier: { name: 'id.city', equals: '<damaged>' } } };
    expect((await list(service)).data).toEqual([one, shown]);
    expect(await read(service, two.id)).toEqual(shown);
    const fp_id = await service.user(aReadyUser({ 'id.city': 'Elsewhere' }));
    const run = { params: { fp_id }, body: { key: KYC } };
    expect((await service.refused('POST /users/{fp_id}/kyc', run)).code).toBe('vault_damaged');
  });

  test.eachWith<[Record<string, unknown>, string]>([
    [{ match: {} }, 'match'],
    [{ match: { identifier: { name: 'id.shoe_size', equals: 'x' } } }, 'id.shoe_size'],
    [{ signals: { add: ['name_matches', 'nonsense'] } }, 'signals.add[1]'],
    [{ signals: { remove: ['NAME_MATCHES'] } }, 'signals.remove[0]'],
    [{ signals: { add: ['constructor'] } }, 'signals.add[0]'],
    [{ signals: { add: ['name_matches'], remove: ['name_matches'] } }, 'signals'],
    [{ outcome: 'none', signals: { add: ['name_matches'] } }, 'signals'],
    [{ outcome: 'error', signals: { remove: ['name_matches'] } }, 'signals'],
  ])('outcomes: %j is 400, and %s named', async (service, members, named) => {
    const refusal = await service.refused(CREATE, { body: { ...A_RULE, ...members } });

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
    expect((await list(service)).meta.count).toBe(0);
  });

  test.eachWith<[Record<string, unknown>, string]>([
    [{ kind: 'kyb', identifier: { name: 'id.city', equals: 'x' } }, 'identifier.name'],
    [{ kind: 'kyc', identifier: { name: 'business.name', equals: 'x' } }, 'identifier.name'],
    [{ fp_id: 'fp_bid_*', identifier: { name: 'id.city', equals: 'x' } }, 'identifier.name'],
    [{ kind: 'kyc', fp_id: 'fp_bid_1' }, 'kind'],
    [{ kind: 'document', fp_id: 'fp_bid_*' }, 'kind'],
    [{ kind: 'kyb', fp_id: 'fp_id_1' }, 'kind'],
    [{ fp_id: 'ob_*' }, 'fp_id'],
    [{ playbook_key: 'pb_live_kycdefault000000000000' }, 'playbook_key'],
    [{ playbook_key: 'pb_live_*' }, 'playbook_key'],
    [{ playbook_key: 'kyc' }, 'playbook_key'],
    [{ kind: 'kyb', playbook_key: KYC }, 'kind'],
    [{ kind: 'document', playbook_key: KYB }, 'kind'],
    // A value that is never stored, and a text for a file.
    [{ identifier: { name: 'id.dob', equals: 'yesterday' } }, 'identifier.equals'],
    [{ identifier: { name: 'document.passport.front.image', equals: 'x' } }, 'identifier.equals'],
  ])(
    'outcomes: %j contradicts itself: 400 and %s named, without the value',
    async (service, match, named) => {
      const refusal = await service.refused(CREATE, { body: { ...A_RULE, match } });

      expect(refusal).toMatchObject(failureOf(400, 'invalid_request', `match.${named}`));
      expect(refusal.message).not.toContain('yesterday');
    },
  );

  test('outcomes: a sandbox id in live matches no entity: 400', async (service) => {
    const body = { ...A_RULE, match: { sandbox_id: '*' } };
    const refusal = await service.refused(CREATE, { body, query: { environment: 'live' } });

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'match.sandbox_id'));
  });

  test.eachWith<[NewRule['match']]>([
    [{ playbook_key: 'pb_*' }],
    [{ playbook_key: '*default*', kind: 'kyb' }],
    [{ playbook_key: 'pb_test_not_made_yet', kind: 'document' }],
    [{ fp_id: '*', kind: 'kyb', identifier: { name: 'business.name', equals: 'Acme' } }],
    [{ kind: 'kyb', identifier: { name: 'custom.colour', equals: 'red' } }],
    [{ kind: 'document', identifier: { name: 'id.ssn4', equals: '1212' } }],
    [{ identifier: { name: 'card.main.number_last4', equals: '4242' } }],
  ])('outcomes: %j is possible', async (service, match) => {
    const { identifier, ...others } = match;
    const made = await create(service, { match });
    expect(made.match).toMatchObject(others);
    expect(made.match.identifier?.name).toBe(identifier?.name);
  });
});

describe('change', () => {
  test('outcomes: absent members stay, null removes one, and so does an empty signals', async (service) => {
    const signals = { add: ['name_matches'], remove: [] };
    const made = await create(service, { delay_ms: 5, times: 2, signals });

    expect(await change(service, made.id, {})).toEqual(made);
    expect(await change(service, made.id, { priority: 1, outcome: 'pass' })).toEqual({
      ...made,
      priority: 1,
      outcome: 'pass',
    });
    const bare = await change(service, made.id, { delay_ms: null, times: null, signals: {} });
    expect(bare).toEqual({
      id: made.id,
      priority: 1,
      enabled: true,
      match: made.match,
      outcome: 'pass',
      remaining: null,
    });
    expect(await read(service, made.id)).toEqual(bare);
  });

  test('outcomes: match is replaced as a whole, with the value it compares with', async (service) => {
    const { id } = await create(service, {
      match: { kind: 'kyc', identifier: { name: 'id.city', equals: 'Enclave' } },
    });
    const sealed = () => service.database.prepare('SELECT sealed_equals FROM outcome_rules').pluck().get();

    await change(service, id, { match: { identifier: { name: 'id.zip', equals: '94117' } } });
    expect((await read(service, id)).match).toEqual({ identifier: { name: 'id.zip', equals: '94117' } });
    await change(service, id, { match: { fp_id: 'fp_id_*' } });
    expect((await read(service, id)).match).toEqual({ fp_id: 'fp_id_*' });
    expect(sealed()).toBeNull();
  });

  test('outcomes: what would contradict is 400 and changes nothing', async (service) => {
    const made = await create(service, { signals: { add: ['name_matches'] } });

    for (const body of [
      { priority: 7, outcome: 'none' },
      { priority: 7, match: {} },
      { priority: 7, match: { kind: 'kyb', fp_id: 'fp_id_1' } },
      { priority: 7, signals: { add: ['nonsense'] } },
      { priority: 7, times: 0 },
      { priority: 7, remaining: 7 },
      { priority: 7, id: 'rule_other' },
    ]) {
      const refusal = await service.refused(CHANGE, { params: { id: made.id }, body });
      expect(refusal, JSON.stringify(body)).toMatchObject({ status: 400, code: 'invalid_request' });
    }

    expect(await read(service, made.id)).toEqual(made);
    expect(await change(service, made.id, { outcome: 'none', signals: {} })).toMatchObject({
      outcome: 'none',
    });
  });
});

test('outcomes: the list is in the order in which they are asked, page after page', async (service) => {
  const made: string[] = [];
  for (const priority of [5, 100, 5, 0]) made.push((await create(service, { priority })).id);
  const [five, hundred, fiveToo, zero] = made;

  const first = await list(service, { page_size: 3 });
  const second = await list(service, { page_size: 3, cursor: first.meta.next ?? '' });

  expect(first.data.map(({ id }) => id)).toEqual([zero, five, fiveToo]);
  expect(first.meta.count).toBe(4);
  expect(second.data.map(({ id }) => id)).toEqual([hundred]);
  expect(second.meta).toEqual({ count: 4, next: null });
  expect((await service.refused(LIST, { query: { cursor: 'x' } })).status).toBe(400);
});

test('outcomes: a deleted rule is gone; one of another tenant is not listed', async (service) => {
  await service.key({ tenant: 'elsewhere' });
  const [gone, theirs] = [await create(service), await create(service, {}, { tenant: 'elsewhere' })];
  const params = { id: gone.id };
  expect((await service.call(REMOVE, { params })).body).toEqual({});

  expect((await service.refused(READ, { params })).status).toBe(404);
  expect((await list(service)).data).toEqual([]);
  expect(await read(service, theirs.id, { tenant: 'elsewhere' })).toEqual(theirs);
});
