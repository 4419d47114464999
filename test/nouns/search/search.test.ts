/** POST /_kyclone/search (contract §11): finds people by what a caller says about them. */
import { expect } from 'vitest';
import { aBusiness, aReadyUser, KYC } from '../../support/builders.ts';
import { LIVE_KEY, type TestService } from '../../support/service.ts';
import { bankOf } from '../../support/bank-links.ts';
import { startTarget } from '../../support/targets.ts';
import { foundIds, searched } from '../../support/searching.ts';
import { test } from '../../support/test-with.ts';

const JANE = {
  'id.first_name': 'Jané Maria',
  'id.last_name': "O'Doe-Smith",
  'id.dob': '1990-02-01',
  'id.email': 'jane.doe@example.com',
  'id.phone_number': '+14155552671',
  'id.ssn9': '121-12-1212',
  'id.drivers_license_number': 'D1234567',
};
const OTHER = {
  'id.first_name': 'Adam',
  'id.last_name': 'Other',
  'id.dob': '1971-12-24',
  'id.phone_number': '+447911123456',
  'id.ssn4': '9876',
};

async function world(service: TestService) {
  const user = await service.user(JANE);
  const other = await service.user(OTHER);
  const business = await service.business({
    ...aBusiness(),
    'business.name': 'Doe & Sons',
    'business.tin': '12-3456789',
    'business.phone_number': '+12125550100',
  });
  await service.call('PATCH /users/{fp_id}', {
    params: { fp_id: user },
    body: { external_id: 'Customer-4711' },
  });
  return { user, other, business };
}

/** Texts that a caller says, separated by semicolons. */
async function expectEachFinds(service: TestService, texts: string, ids: readonly string[]): Promise<void> {
  for (const text of texts.split('; ')) expect([text, await foundIds(service, text)]).toEqual([text, ids]);
}

test.eachWith([
  ['name', 'jane; JANE; jané; mar; odoe; o’doe; smi; maria jane; jane odoe smith; name: "odoe smith"'],
  ['e-mail address', 'jane.doe@example.com; JANE.DOE@EXAMPLE.COM; email:jane.doe@example.com'],
  ['phone number', '+14155552671; (415) 555-2671; 4155552671; 1-415-555-2671; 555 2671; phone:5552671'],
  ['tax number', '121-12-1212; 121121212; 1212; ***-**-1212; tax:1212; tax:121121212; 12 12; tax:12 12'],
  ['date of birth', '1990-02-01; 2/1/1990; 1/2/1990; 01.02.1990; Feb 1, 1990; 1 February 1990; 2-1-90'],
  ['date of birth, named', 'dob:1990-02-01; dob:1 February 1990; dob:1. Feb 90; born Feb 1 1990'],
  ['licence and external id', 'D1234567; Customer-4711; 4711; customer; external:tomer-47'],
  ['name and date', 'jane 1990-02-01; odoe 01.02.90; odoe 01 02 1990; odoe 19900201; odoe Feb 1 90'],
  ['name and date in a sentence', 'odoe born 1.2.1990; mrs odoe 2/1/1990; señora odoe 1 de febrero de 1990'],
  ['name and date in German', 'Frau Odoe, geboren am 1. Februar 1990'],
  ['name and phone number', 'odoe (415) 555-2671; 415 555 2671 jane; Jané, +1 415 555 2671'],
  ['phone number, named', 'phone:(415) 555-2671; phone: 1 415 555 2671 name:jane'],
  [
    'name and tax number',
    'jane 1212; jane 12 12; jane 121-12-1212 status:none; mme odoe 1er février 1990 12 12',
  ],
  ['name and others', 'jane Feb 1, 1990, 415 555 2671; jane jane.doe@example.com'],
  ['others without a name', '1990-02-01 4155552671; tomer-4711 555 2671'],
])('search: the one person is found by %s: %s', async (service, _, texts) => {
  const { user } = await world(service);

  await expectEachFinds(service, texts, [user]);
});

test('search: the business and the other person are found', async (service) => {
  const { business, other } = await world(service);

  const ofOther =
    '07911 123456; 0044 7911 123456; +44 (0)7911 123456; 011 44 7911 123456; 24.12.1971; 12/24/1971';
  await expectEachFinds(service, ofOther, [other]);
  await expectEachFinds(service, 'Doe & Sons; doe; 12-3456789; 123456789; 6789; 212 555 0100', [business]);
});

test.eachWith([
  [
    'of another',
    'jane other; adam (415) 555-2671; jane 07911 123456; jane adam@example.com; jane 4155552671 9876',
  ],
  ['that is nobody’s', 'jana; ane; 1990-02-02; 4155552670; 1213; jane@example.com; fp_id_nobody; tag:vip'],
  ['that does not fit', 'jane 1990-02-02; jane x 1212; phone:(415) 555-2670; jane 12'],
])('search: with something %s it finds no user: %s', async (service, _, texts) => {
  await world(service);

  await expectEachFinds(service, texts, []);
});

test('search: what belongs to a person has an id, too, and label, tag, status and review are words', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const other = await service.user({});
  const { sandbox_id } = (await service.call('GET /users/{fp_id}', { params: { fp_id } })).body;
  const run = await service.call('POST /users/{fp_id}/kyc', {
    params: { fp_id },
    body: { key: KYC, fixture_result: 'manual_review' },
  });
  await service.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag: 'very important' } });
  await service.call('POST /users/{fp_id}/label', { params: { fp_id }, body: { kind: 'offboard_fraud' } });
  const tags = (await service.call('GET /users/{fp_id}/tags', { params: { fp_id } })).body;

  const ids = [fp_id, fp_id.slice(0, 12), sandbox_id, run.body.onboarding_id, tags[0]?.id].join('; ');
  const marks = 'very important; tag:"very important"; offboard_fraud; offboard fraud; label:offboard_fraud';
  const states = `status:fail; fail; review:needed; review:needed status:fail; review:needed ${fp_id}`;
  for (const texts of [ids, marks, states]) await expectEachFinds(service, texts, [fp_id]);
  expect(await foundIds(service, 'status:none')).toEqual([other]);
  expect(await foundIds(service, 'review:no')).toEqual([other]);
  expect(await foundIds(service, 'review:needed label:active')).toEqual([]);
});

test('search: an event, a delivery, a transaction, an account, a link and a note find their entity', async (service) => {
  await using receiver = await startTarget();
  await service.call('POST /_kyclone/webhooks', { body: { url: `${receiver.url}/hooks` } });
  const fp_id = await service.user(aReadyUser());
  await service.user(aReadyUser());
  const on = { params: { fp_id } };
  await service.call('POST /users/{fp_id}/kyc', { ...on, body: { key: KYC, fixture_result: 'pass' } });
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(0);
  const note = await service.call('POST /_kyclone/entities/{fp_id}/notes', { ...on, body: { text: 'hers' } });
  const link = await bankOf(service).link(fp_id, { persona: 'default' });
  const bank = { params: { link_id: link.id } };
  const { body: ledger } = await service.call('GET /bank_links/{link_id}/transactions', bank);
  const [transaction] = ledger.transactions;
  const [account] = (await service.call('GET /bank_links/{link_id}/accounts', bank)).body.accounts;
  const events = (await service.call('GET /_kyclone/events')).body.data;
  const deliveries = (await service.call('GET /_kyclone/deliveries')).body.data;

  const ids = [
    events[0]?.id,
    deliveries[0]?.id,
    note.body.id,
    transaction?.transaction_id,
    account?.id,
    link.id,
  ];
  for (const id of ids) {
    expect(id).toMatch(/^[a-z]+_\w{22}$/);
    expect([id, await foundIds(service, id ?? '')]).toEqual([id, [fp_id]]);
    expect(await foundIds(service, `${id?.slice(0, -1)}_`), 'another id').toEqual([]);
  }
});

test.eachWith([
  ['小明', '王', '王小明; 王 小明; 小明; 王小'],
  ['민준', '김', '김민준; 김 민준; 김민'],
  ['太郎', '田中', '田中太郎; 田中; 田中太'],
  ['Jörg', 'Müller', 'mueller; joerg mueller; muller; Müller'],
  ['Søren', 'Öztürk', 'soeren; oeztuerk; soren ozturk'],
  ['Anne-Marie', 'Ó Briain', "annemarie; anne; marie; O'Briain; OBriain; annemarie obriain; o briain"],
  ['Hans-Peter', 'De La Cruz', 'hanspeter; delacruz; de la cruz; cruz'],
  ['Ewan', 'MacDonald', 'Mac Donald; macdonald; Ewan Mac Donald'],
])('search: %s %s is found by %s', async (service, first, last, texts) => {
  const wanted = await service.user({ 'id.first_name': first, 'id.last_name': last });
  await service.user({ 'id.first_name': 'Ada', 'id.last_name': 'Other' });
  await expectEachFinds(service, texts, [wanted]);
});

test('search: a Russian number is found with the 8 of calls within the country', async (service) => {
  const wanted = await service.user({ 'id.phone_number': '+79161234008' });
  await expectEachFinds(service, '8 916 123-40-08; 89161234008; phone:89161234008; 916 123 40 08', [wanted]);
});

test.eachWith([
  ['Studio 54', 'Studio 54; studio 54; 54 studio; name:"Studio 54"'],
  ['3M Company', '3M Company; 3m comp'],
  ['7-Eleven', '7-eleven; 7 Eleven'],
  ['Café 1920', 'cafe 1920; café 19'],
])(
  'search: the business %s is found by %s, for a few digits may be of a name',
  async (service, name, texts) => {
    const wanted = await service.business({ 'business.name': name });
    await service.business({ 'business.name': 'Studio Company Eleven Cafe' });
    await expectEachFinds(service, texts, [wanted]);
  },
);

test.eachWith([
  ['Tester42', 'Tester42; tester42; name:Tester42; name:tester4; name:Tester; mr tester42'],
  ['R2D2', 'name:R2D2; r2d2'],
  ['Tester10000', 'Tester10000; name:"Tester10000"; tester10000 30.12.88'],
  ['1984', 'name:1984'],
])('search: a person called %s is found by %s', async (service, name, texts) => {
  const wanted = await service.user({ 'id.first_name': 'Ada', 'id.last_name': name, 'id.dob': '1988-12-30' });
  await service.user({ 'id.first_name': 'Bo', 'id.last_name': 'Other', 'id.dob': '1988-12-31' });
  await expectEachFinds(service, texts, [wanted]);
});

test.eachWith([
  ['9171234', 'only digits'],
  ['A1234567', 'a licence'],
  ['12 March 1984', 'a date'],
  ['doe 4155552671', 'a name and a number'],
])('search: %s is no name as a whole, for it is %s', async (service, text) => {
  expect((await searched(service, `name:"${text}"`)).data).toEqual([]);
  expect((await searched(service, text)).too_short).not.toContainEqual(
    expect.objectContaining({ searched_by: 'name' }),
  );
});

test.eachWith([
  ['whk_7p793EF07xKXHqAeg5VGPj', 'a webhook endpoint'],
  ['pb_test_7p793EF07xKXHqAeg5VGPj', 'a playbook'],
  ['id:req_7p793EF07xKXHqAeg5VGPj', 'a request'],
])('search: %s belongs to no entity, and the response says so', async (service, id, what) => {
  const { data, too_short } = await searched(service, id);

  expect(data).toEqual([]);
  expect(too_short).toEqual([
    { searched_by: 'id', needs: `the id of a person or of what is theirs, and this is the id of ${what}` },
  ]);
});

test.eachWith([
  ['phone:415', 'phone_number', 'its last 7 digits'],
  ['email:user0', 'email', 'the whole address'],
  ['tax:1', 'tax_number', 'all its digits, or the last 4'],
  ['label:foo', 'label', 'one of active, '],
  ['status:foo', 'status', 'one of '],
  ['id:foo', 'id', 'a complete id'],
  ['name:"?!"', 'name', 'letters'],
])(
  'search: %s has no such meaning, and the response says what it needs',
  async (service, text, by, needs) => {
    expect(await searched(service, text)).toMatchObject({
      data: [],
      searched_by: [],
      too_short: [{ searched_by: by, needs: expect.stringContaining(needs) as string }],
    });
  },
);

test('search: the response has the meanings searched for, the matches, and the terms too short', async (service) => {
  const { user, business } = await world(service);

  const both = await searched(service, 'doe', { kind: 'user' });
  expect(both.data).toEqual([]);
  expect(both.searched_by).toEqual(['external_id', 'sandbox_id', 'name', 'tag']);
  const { data } = await searched(service, '1212');
  expect(data).toMatchObject([{ id: user, masked_name: 'J*** O***', matched: ['tax_number_end'] }]);
  expect((await searched(service, '55526')).too_short).toEqual([
    { searched_by: 'phone_number', needs: 'its last 7 digits' },
  ]);
  expect((await searched(service, 'phone:55526')).too_short).toEqual([
    { searched_by: 'phone_number', needs: 'its last 7 digits' },
  ]);
  expect((await searched(service, 'j')).too_short).toContainEqual({
    searched_by: 'name',
    needs: '2 letters',
  });
  expect(await foundIds(service, 'doe', { kind: 'business' })).toEqual([business]);
});

test('search: pages follow each other, newest first, and are one search', async (service) => {
  const users: string[] = [];
  for (let at = 0; at < 5; at++) users.unshift(await service.user({ 'id.first_name': 'Jane' }));

  const first = await searched(service, 'jane', { page_size: 2 });
  const { search_id } = first;
  const after = ({ meta }: typeof first) =>
    searched(service, 'jane', { page_size: 2, cursor: meta.next ?? '', search_id });
  const second = await after(first);
  const third = await after(second);

  expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(users);
  expect([first.meta.count, third.meta.next]).toEqual([5, null]);
  expect((await service.call('GET /_kyclone/access-log')).body.meta.count).toBe(1);
});

test('search: one by vault data adds one entry to the access log, without its text', async (service) => {
  await world(service);
  const log = async () => (await service.call('GET /_kyclone/access-log')).body.data;

  await searched(service, 'tag:vip');
  await searched(service, 'fp_id_7p793EF07xKXHqAeg5VGPj');
  expect(await log()).toEqual([]);
  const { search_id } = await searched(service, '121121212');
  const [entry] = await log();
  expect(entry).toMatchObject({
    operation: 'search',
    outcome: 'granted',
    fp_id: null,
    actor: { kind: 'control_token', id: 'control_token' },
    operator: null,
  });
  expect(entry?.identifiers).toContain('id.ssn9');
  expect(JSON.stringify(await log())).not.toContain('121121212');
  await searched(service, '121121212', { search_id });
  expect(await log()).toHaveLength(1);
  // The id of another search has no effect; the log records one more entry.
  await searched(service, '987654321', { search_id });
  await searched(service, '121121212', { search_id: 'made-up' });
  expect(await log()).toHaveLength(3);
});

test('search: neither another environment nor another tenant is looked into', async (service) => {
  await service.call('POST /users', { body: { 'id.first_name': 'Jane' }, as: LIVE_KEY });

  expect(await foundIds(service, 'jane')).toEqual([]);
  expect(await foundIds(service, 'jane', { query: { environment: 'live' } })).toHaveLength(1);
});

test('search: a vault with a damaged name is left out and counted', async (service) => {
  const whole = await service.user({ 'id.first_name': 'Jane' });
  const damaged = await service.user({ 'id.first_name': 'Jane' });
  service.database
    .prepare(
      'UPDATE vault_values SET sealed = zeroblob(80) WHERE entity = (SELECT id FROM entities WHERE fp_id = ?)',
    )
    .run(damaged);

  const answer = await searched(service, 'jane');

  expect(answer.data.map(({ id }) => id)).toEqual([whole]);
  expect(answer.unreadable).toBe(1);
});

test('reviews: lists those waiting, longest first, with the gravest signals; a decision removes one', async (service) => {
  const waiting: string[] = [];
  for (const fixture_result of ['manual_review', 'pass', 'manual_review'] as const) {
    const fp_id = await service.user(aReadyUser());
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, fixture_result } });
    if (fixture_result === 'manual_review') waiting.push(fp_id);
    service.clock.advance(60_000);
  }
  const queue = async (query = {}) => (await service.call('GET /_kyclone/reviews', { query })).body;

  const { data, meta } = await queue();
  expect(data.map(({ id }) => id)).toEqual(waiting);
  expect(meta).toEqual({ count: 2, next: null });
  expect(data[0]?.signals.length).toBeGreaterThan(0);
  expect(data[0]?.signal_count).toBeGreaterThanOrEqual(data[0]?.signals.length ?? 0);
  const first = await queue({ page_size: 1 });
  const second = await queue({ page_size: 1, cursor: first.meta.next });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(waiting);
  expect((await queue({ kind: 'business' })).data).toEqual([]);

  const fp_id = waiting[0] ?? '';
  await service.call('POST /users/{fp_id}/decisions', {
    params: { fp_id },
    body: { status: 'pass', annotation: 'checked' },
  });
  expect((await queue()).data.map(({ id }) => id)).toEqual(waiting.slice(1));
});

test.eachWith([
  ['doe 31.02.1988', true],
  ['doe 30 feb 1988', true],
  ['feb 30, 1988 doe', true],
  ['doe born 31.02.1988?', true],
  ['99/99/99', false],
  ['dob:garbage', false],
  ['dob:31.02.1988', false],
])(
  'search: %s has a part that is no date, and the response says so without it',
  async (service, text, isFound) => {
    const user = await service.user({
      'id.first_name': 'Jane',
      'id.last_name': 'Doe',
      'id.dob': '1988-12-30',
    });
    const { data, searched_by, too_short } = await searched(service, text);
    expect(too_short).toEqual([
      { searched_by: 'date_of_birth', needs: expect.stringMatching(/^a date of the calendar/) as string },
    ]);
    expect(data.map(({ id }) => id)).toEqual(isFound ? [user] : []);
    expect(searched_by).not.toContain('date_of_birth');
  },
);

test.eachWith(['doe 30.12.1988', '(404) 555-0177', '123-45-6789', 'may 12', 'studio 54'])(
  'search: %s has no part that is called unreadable',
  async (service, text) => {
    expect((await searched(service, text)).too_short).not.toContainEqual(
      expect.objectContaining({ searched_by: 'date_of_birth' }),
    );
  },
);
