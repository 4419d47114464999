/** The screen of one user or business, loaded from the real service. */
import { expect } from 'vitest';
import { createSource } from '../../../../src/tui/data/link.ts';
import { defined } from '../../../../src/kernel/defined.ts';
import type { Source } from '../../../../src/tui/data/source.ts';
import { actions } from '../../../../src/tui/actions/registry.ts';
import { entityScreen } from '../../../../src/nouns/entities/screen/entity.ts';
import type { Row } from '../../../../src/tui/state/model.ts';
import { textOf } from '../../../../src/tui/state/rows.ts';
import { bankOf } from '../../../support/bank-links.ts';
import { aPng, aReadyBusiness, aReadyUser } from '../../../support/builders.ts';
import { advance, onboardingOf } from '../../../support/runs.ts';
import { CONTROL_TOKEN, LIVE_KEY, SANDBOX_KEY, type TestService } from '../../../support/service.ts';
import { accessLog, vaultOf } from '../../../support/vault-calls.ts';
import { test } from '../../../support/test-with.ts';
import { aSource, cellsOf, factsOf, loadPane } from '../../../tui/screens/a-source.ts';
import KNOWN from '../../../snapshots/commands.json' with { type: 'json' };

const FRONT = 'document.passport.front.image';

const sourceOf = async (service: TestService, environment?: 'sandbox' | 'live') =>
  aSource((await service.listen()).port, environment);

/** Returns what the panes of one entity show. */
function screenOf(source: Source, fp_id: string) {
  const page = async (title: string, { cursor, size }: { cursor?: string | undefined; size?: number } = {}) =>
    await loadPane({ source, screen: entityScreen, title, params: { fp_id }, ...defined({ size }) }, cursor);
  return {
    page,
    rows: async (title: string): Promise<readonly Row[]> => (await page(title)).rows,
    texts: async (title: string) => cellsOf(await page(title)),
    facts: async () => factsOf(await page('Overview')),
    /** Returns every row of every pane, with the pane's title. */
    async all(): Promise<readonly (readonly [string, Row])[]> {
      const loaded = entityScreen.panes.map(async ({ title }) =>
        (await page(title)).rows.map((row) => [title, row] as const),
      );
      return (await Promise.all(loaded)).flat();
    },
  };
}

/** Makes a user with something in every pane. */
async function aKnownUser(service: TestService, data: Record<string, unknown> = {}) {
  const fp_id = await service.user(aReadyUser(data));
  await service.upload(fp_id, FRONT, aPng());
  const onboarding = onboardingOf(service, fp_id);
  const run = await onboarding.run({ fixture_result: 'manual_review', onboarding_external_id: 'case 12' });
  await onboarding.decide({ status: 'fail', annotation: 'not her', reviewer_email: 'ada@desk.example' });
  const twin = await service.user(aReadyUser());
  const body = { kind: 'offboard_fraud' } as const;
  await service.call('POST /users/{fp_id}/label', { params: { fp_id }, body });
  await service.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag: 'wave 2' } });
  const link = await bankOf(service).link(fp_id, { external_id: 'bank of hers' });
  await service.token(fp_id, { scope: 'decrypt', fields: ['id.dob', 'id.email'], ttl: 60 });
  await vaultOf(service, fp_id).decrypt(['id.dob', 'id.email'], { reason: 'ticket 4711' });
  await service.call('POST /_kyclone/entities/{fp_id}/notes', {
    params: { fp_id },
    body: { text: 'asks for her card' },
  });
  return { fp_id, twin, link: link.id, onboarding: run.onboarding_id };
}

test('entity: a title and a subject come from the id alone', () => {
  expect(entityScreen.title({ fp_id: 'fp_id_1' })).toBe('User fp_id_1');
  expect(entityScreen.title({ fp_id: 'fp_bid_1', kind: 'business' })).toBe('Business fp_bid_1');
  expect(entityScreen.subject?.({ fp_id: 'fp_id_1' })).toEqual({ kind: 'user', fp_id: 'fp_id_1' });
  expect(entityScreen.subject?.({ fp_id: 'fp_bid_1' })).toEqual({ kind: 'business', fp_id: 'fp_bid_1' });
});

test('entity: the overview says who it is and how much there is of everything, the other panes what that is', async (service) => {
  const { fp_id, twin, link, onboarding } = await aKnownUser(service);
  const screen = screenOf(await sourceOf(service), fp_id);
  const facts = await screen.facts();

  expect(facts).toMatchObject({
    id: fp_id,
    kind: 'user',
    name: 'W*** O***',
    status: 'fail',
    label: 'offboard_fraud',
    tags: 'wave 2',
    'external id': '-',
    'created (UTC)': '2026-03-01 12:00:00',
    onboardings: '1',
    decisions: '2',
    documents: '1',
    'bank links': '1',
    'client tokens': '1',
    'access log': '5 entries',
  });
  expect(facts['risk signals']).toMatch(/^\d+ high/);
  expect((await screen.page('Overview')).banner).toMatch(/^\d+ risk signals? of high severity$/);
  for (const { title } of entityScreen.panes)
    if (title !== 'Ownership') expect((await screen.rows(title)).length, title).toBeGreaterThan(0);

  const [run] = await screen.texts('Onboardings');
  expect(run?.slice(0, 3)).toEqual([onboarding, 'fail', '-']);
  expect(run?.slice(4)).toEqual(['case 12', '2026-03-01 12:00:00', '2026-03-01 12:00:00']);
  expect(await screen.texts('Decisions')).toEqual([
    ['2026-03-01 12:00:00', 'fail', 'by hand', 'ada@desk.example', 'not her'],
    ['2026-03-01 12:00:00', 'fail', 'by a run', '-', 'pb_test_kycdefault000000000000'],
  ]);
  expect((await screen.texts('Labels')).map((cells) => cells.slice(0, 2))).toEqual([
    ['label', 'offboard_fraud'],
    ['tag', 'wave 2'],
  ]);
  const [bank] = await screen.rows('Banks');
  expect(bank?.opens).toEqual({ screen: 'bank', params: { link_id: link, fp_id } });
  expect(bank?.cells[2]).toEqual({ text: 'connected', tone: 'good' });
  expect(bank?.cells.map(textOf)).toContain('bank of hers');
  const [duplicate, ...others] = await screen.rows('Duplicates');
  expect(others).toEqual([]);
  expect(duplicate).toMatchObject({
    id: twin,
    opens: { screen: 'entity', params: { fp_id: twin, kind: 'user' } },
  });
  expect(duplicate?.cells.slice(1, 4).map(textOf)).toEqual([
    expect.stringMatching(/\*\*\*/),
    expect.any(String),
    expect.stringContaining('ssn9'),
  ]);
});

test('entity: the overview says when a review is needed', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  const { rows, banner } = await screenOf(await sourceOf(service), fp_id).page('Overview');

  expect(rows.find(({ key }) => key === 'status')?.cells[1]).toEqual({
    text: 'fail, to be reviewed',
    tone: 'warn',
  });
  expect(banner).toContain('Waits for a decision by hand');
});

test('entity: vault fields stand family by family, masked, each one to be revealed', async (service) => {
  const fp_id = await service.user({
    'custom.note': 'a note',
    'card.second.number': '4242424242424242',
    'card.first.number': '4242424242424242',
    'card.first.cvc': '123',
    'id.ssn9': '121-12-1212',
  });
  await service.upload(fp_id, FRONT, aPng());
  const { rows, banner } = await screenOf(await sourceOf(service), fp_id).page('Vault');

  const families = rows.map(({ cells: [family] }) => textOf(family));
  expect([...new Set(families)]).toEqual(['id', 'document', 'card.first', 'card.second', 'custom']);
  expect(families).toEqual(families.toSorted((a, b) => families.indexOf(a) - families.indexOf(b)));
  const ssn = rows.find(({ key }) => key === 'id.ssn9');
  expect(ssn?.cells.slice(1).map(textOf)).toEqual(['id.ssn9', '***1212', 'text', '1', '2026-03-01 12:00:00']);
  expect(ssn?.subject).toEqual({ kind: 'field', fp_id, owner: 'user', identifier: 'id.ssn9', type: 'text' });
  expect(rows.find(({ key }) => key === FRONT)?.subject).toMatchObject({ type: 'file' });
  expect(rows.find(({ key }) => key === FRONT)?.cells.map(textOf)).toContain('2');
  expect(banner).toBe('Vault version 2. An older version: kyclone vault get or decrypt … --at N');
});

test('entity: the case page counts as many images as its list has rows', async (service) => {
  const fp_id = await service.user({});
  await service.upload(fp_id, 'document.drivers_license.front.image', aPng());
  await service.upload(fp_id, 'document.drivers_license.back.image', aPng());
  const screen = screenOf(await sourceOf(service), fp_id);
  expect(await screen.rows('Documents')).toHaveLength(2);
  expect(await screen.facts()).toMatchObject({ documents: '2 images of 1 document' });
});

test('entity: documents name the version of each image; one that was replaced is revealed by it', async (service) => {
  const fp_id = await service.user({});
  await service.upload(fp_id, FRONT, aPng());
  await service.upload(fp_id, FRONT, aPng(1));
  const rows = await screenOf(await sourceOf(service), fp_id).rows('Documents');

  expect(rows.map(({ cells }) => cells.slice(1, 5).map(textOf))).toEqual([
    ['passport', 'front', FRONT, '2'],
    ['passport', 'front', `${FRONT}:1`, '1'],
  ]);
  const identifiers = rows.map(({ subject }) => (subject?.kind === 'field' ? subject.identifier : ''));
  expect(await vaultOf(service, fp_id).decrypt(identifiers)).toEqual({
    [FRONT]: aPng(1).toString('base64'),
    [`${FRONT}:1`]: aPng().toString('base64'),
  });
});

test('entity: a few of many onboardings are shown at a time, and each is asked for once', async (service) => {
  const fp_id = await service.user(aReadyUser());
  for (let run = 0; run < 23; run++) await onboardingOf(service, fp_id).run();
  const screen = screenOf(await sourceOf(service), fp_id);
  const first = await screen.page('Onboardings');
  const second = await screen.page('Onboardings', { cursor: first.next ?? undefined });
  await screen.page('Onboardings');

  expect([first.rows.length, second.rows.length]).toEqual([20, 3]);
  expect([first.total, second.next]).toEqual([23, null]);
  const keys = [...first.rows, ...second.rows].map(({ key }) => key);
  expect(new Set(keys).size).toBe(23);
  const query = { path: '/onboardings/*', page_size: 100 };
  expect((await service.call('GET /_kyclone/requests', { query })).body.data).toHaveLength(23);
});

test('entity: onboardings are shown without their beginning where no key may ask', async (service) => {
  const { fp_id, onboarding } = await aKnownUser(service);
  const { host, port } = await service.listen();
  const place = { baseUrl: `http://${host}:${port}`, controlToken: CONTROL_TOKEN };
  const source = createSource(place, { tenant: 'default', environment: 'sandbox' });
  const [row] = await screenOf(source, fp_id).texts('Onboardings');

  expect([row?.[0], row?.[1], row?.[5]]).toEqual([onboarding, 'fail', '-']);
});

test.eachWith(['user', 'business'] as const)(
  'entity: risk signals of a %s, the gravest first',
  async (service, kind) => {
    const fp_id =
      kind === 'user' ? await service.user(aReadyUser()) : await service.business(aReadyBusiness());
    await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
    const rows = await screenOf(await sourceOf(service), fp_id).rows('Signals');

    const severities = rows.map(({ cells: [severity] }) => textOf(severity));
    const ranks = severities.map((severity) => ['high', 'medium', 'low', 'info'].indexOf(severity));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    const codes = (await onboardingOf(service, fp_id).signals()).map(({ reason_code }) => reason_code);
    expect(rows.map(({ key }) => key).toSorted()).toEqual(codes.toSorted());
    expect(rows[0]?.cells[0]).toMatchObject({ text: 'high', tone: 'bad' });
  },
);

test('entity: risk signals are asked for again only after an onboarding has changed', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const onboarding = onboardingOf(service, fp_id);
  await onboarding.run();
  const screen = screenOf(await sourceOf(service), fp_id);
  const asked = async () => {
    const query = { path: '/users/*/risk_signals' };
    return (await service.call('GET /_kyclone/requests', { query })).body.data.length;
  };
  const before = await screen.rows('Signals');
  await vaultOf(service, fp_id).write({ 'id.city': 'Elsewhere' });
  expect(await screen.rows('Signals')).toEqual(before);
  expect(await asked()).toBe(1);

  await onboarding.run({ fixture_result: 'manual_review' });
  expect((await screen.rows('Signals'))[0]?.cells[0]).toMatchObject({ text: 'high' });
  expect(await asked()).toBe(2);
});

test('entity: one who shares several data is one duplicate of the case page', async (service) => {
  const same = {
    'id.ssn9': '121-12-1212',
    'id.first_name': 'Jane',
    'id.last_name': 'Doe',
    'id.dob': '1988-12-30',
  };
  const fp_id = await service.user(same);
  await service.user(same);
  const screen = screenOf(await sourceOf(service), fp_id);
  const found = await screen.texts('Duplicates');

  const shown = (await screen.texts('Overview')).find(([name]) => name === 'duplicates');
  expect(found).toHaveLength(1);
  expect(found[0]?.[3]?.split(', ')).toEqual(expect.arrayContaining(['ssn9', 'dob_ssn4']));
  expect(shown?.[1]).toBe('1');
});

test('entity: the owners of a business lead to their users', async (service) => {
  const business = await service.business();
  const owner = await service.user();
  const body = { fp_id: owner, ownership_stake: 60 };
  await service.call('POST /businesses/{fp_bid}/owners', { params: { fp_bid: business }, body });
  const source = await sourceOf(service);
  const [row] = await screenOf(source, business).rows('Ownership');

  expect(row?.cells.map(textOf)).toEqual([owner, '60 %', 'W*** O***', 'none', '-']);
  expect(row?.opens).toEqual({ screen: 'entity', params: { fp_id: owner, kind: 'user' } });
  expect(await screenOf(source, business).facts()).toMatchObject({ kind: 'business', owners: '1' });
  const [owned] = await screenOf(source, owner).rows('Ownership');
  expect(owned?.cells.map(textOf).slice(0, 2)).toEqual([business, '60 %']);
  expect(owned?.opens).toMatchObject({ screen: 'entity', params: { fp_id: business } });
  expect(await screenOf(source, owner).facts()).toMatchObject({ businesses: '1' });
});

test('entity: an owner is unlinked from either side, with a reason, and both stay', async (service) => {
  const [business, owner] = [await service.business(), await service.user()];
  const source = await sourceOf(service);
  for (const side of [business, owner]) {
    const body = { fp_id: owner, ownership_stake: 60 };
    await service.call('POST /businesses/{fp_bid}/owners', { params: { fp_bid: business }, body });
    const [row] = await screenOf(source, side).rows('Ownership');
    const subject = actions.remove.subject(row, undefined);
    if (subject === undefined) throw new Error('the row can not be removed');
    const values = { reason: 'sold the shares', operator: 'Ada' };
    expect(actions.remove.confirm(subject, values)).toEqual([
      `${owner} is no longer an owner of ${business}. Both stay as they are.`,
      'The access log has it with the name Ada and the reason “sold the shares”.',
    ]);
    expect(await actions.remove.perform(source, subject, values)).toMatchObject({
      notice: { text: 'The owner is unlinked' },
      changes: true,
    });
    expect(await screenOf(source, side).rows('Ownership')).toEqual([]);
    expect((await accessLog(service))[0]).toMatchObject({
      operation: 'owner',
      fp_id: business,
      effect: `unlinked ${owner}`,
      reason: 'sold the shares',
    });
    // Other actions mean the row.
    expect(actions.note.subject(row, undefined)).toMatchObject({ fp_id: side === owner ? business : owner });
  }
});

test('entity: client tokens are shown by what they open and whether they still do, never themselves', async (service) => {
  const fp_id = await service.user();
  const secret = await service.token(fp_id, { scope: 'decrypt', fields: ['id.dob', 'id.email'], ttl: 60 });
  const screen = screenOf(await sourceOf(service), fp_id);
  const [row] = await screen.texts('Tokens');
  expect(row?.slice(1)).toEqual(['decrypt', 'valid', '2026-03-01 12:01:00', 'id.dob id.email']);

  await advance(service, '2m');
  expect((await screen.texts('Tokens'))[0]?.[2]).toBe('expired');
  const { id = '' } = (await screen.rows('Tokens'))[0] ?? {};
  await service.call('DELETE /_kyclone/tokens/{id}', { params: { id } });
  const rows = await screen.rows('Tokens');
  expect(rows[0]?.cells[2]).toMatchObject({ text: 'revoked' });
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('entity: the access log is its own, newest first, page by page', async (service) => {
  const fp_id = await service.user();
  const other = await service.user({ 'id.first_name': 'Other' });
  for (let n = 1; n <= 5; n++) {
    await vaultOf(service, fp_id).decrypt(['id.dob', 'id.email'], { reason: `reason ${n}` });
    await vaultOf(service, other).decrypt(['id.first_name']);
  }
  await vaultOf(service, fp_id).refusedDecrypt({ fields: ['id.dob'], reason: '' });
  const screen = screenOf(await sourceOf(service), fp_id);
  const reasons: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await screen.page('Access', { cursor, size: 2 });
    expect(page.rows.length).toBeLessThanOrEqual(2);
    reasons.push(...page.rows.map(({ cells }) => textOf(cells[6])));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);

  expect(reasons.slice(-5)).toEqual(['reason 5', 'reason 4', 'reason 3', 'reason 2', 'reason 1']);
  const granted = (await screen.rows('Access')).find(({ cells }) => textOf(cells[6]) === 'reason 5');
  expect(granted?.cells.map(textOf).slice(1, 6)).toEqual([
    'decrypt',
    'granted',
    '-',
    expect.stringMatching(/^\w+ key_/),
    'id.dob +1',
  ]);
  expect(granted?.opens).toMatchObject({ screen: 'request', params: { request_id: granted?.id } });
});

test('entity: the access log of a deleted one is still shown; all else is gone', async (service) => {
  const { fp_id } = await aKnownUser(service);
  const source = await sourceOf(service);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });

  for (const { title } of entityScreen.panes) {
    if (title === 'Access') continue;
    await expect(screenOf(source, fp_id).page(title), title).rejects.toMatchObject({ status: 404 });
  }
  expect(await screenOf(source, fp_id).rows('Access')).toHaveLength(6);
});

test.eachWith(['sandbox', 'live'] as const)(
  'entity: what is copied is a request that answers and a command that is there (%s)',
  async (service, environment) => {
    const isLive = environment === 'live';
    const as = isLive ? LIVE_KEY : SANDBOX_KEY;
    const fp_id = isLive ? await service.user(aReadyUser(), as) : (await aKnownUser(service)).fp_id;
    const rows = await screenOf(await sourceOf(service, environment), fp_id).all();

    expect(rows.length).toBeGreaterThan(20);
    const calls = new Map(rows.flatMap(([, { call }]) => (call ? [[call.path, call]] : [])));
    for (const { method, path } of calls.values()) {
      const reply = await service.send({ method, path, ...(!path.startsWith('/_kyclone/') && { as }) });
      expect(reply.status, path).toBe(200);
    }
    const commands = new Set(rows.map(([, { command = [] }]) => command.join(' ')));
    for (const command of commands) {
      const topics = command.split(' ').filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('--'));
      if (command !== '') expect(KNOWN, command).toHaveProperty([topics.join(' ')]);
      if (isLive && !command.startsWith('audit')) expect(command).toMatch(/ --live$|^$/);
    }
  },
);
