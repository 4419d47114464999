/** The bank in hosted flows (contract §7, §14): on the page of an intent, and as a step of an onboarding. */
import { expect } from 'vitest';
import { aFlow, aFlowOn, agree, verify } from '../../support/hosted-samples.ts';
import { bankOf } from '../../support/bank-links.ts';
import { failureOf, type TestService } from '../../support/service.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';

const BANK = 'POST /hosted/session/bank';
const COMPLETE = 'POST /hosted/session/bank/complete';
const MINT = 'POST /_kyclone/bank_link_intents';
const CHOICE = { institution: 'Example Savings', persona: 'joint', accounts: ['joint', 'card'] };
const CONSENT = { consent: true as const };

const state = async (service: TestService, as: string) =>
  (await service.call('GET /hosted/session', { as })).body;
const anIntent = async (service: TestService, more: Record<string, unknown> = {}) =>
  (await service.call(MINT, { body: { fp_id: await service.user(), ...more } })).body;
const rows = (service: TestService, table: string) =>
  service.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();

async function chosen(service: TestService, as: string, persona: string): Promise<string[]> {
  const { personas } = (await service.call('GET /hosted/session/bank', { as })).body;
  return personas.find(({ name }) => name === persona)?.accounts.map(({ key }) => key) ?? [];
}

/** Chooses a bank and a persona, with all accounts of the persona. */
async function choose(service: TestService, as: string, persona: string): Promise<void> {
  const accounts = await chosen(service, as, persona);
  await service.call(BANK, { as, body: { ...CHOICE, persona, accounts } });
}

test('bank page: the intent links the bank and only the accounts that the person agreed to', async (service) => {
  const { intent_token: as, link } = await anIntent(service);
  expect(link).toMatch(new RegExp(`^http://[^/]+/hosted/bank_link#${as}$`));
  expect(await state(service, as)).toMatchObject({
    state: 'open',
    flow: 'bank_link',
    steps: ['bank'],
    step: 'bank',
    values: {},
    bank: { link: null, institution: null, persona: null, accounts: null, is_agreed: false },
  });
  const [first, , third] = await chosen(service, as, 'joint');
  const accounts = [first ?? '', third ?? ''];

  await service.call(BANK, { as, body: { institution: ' Example Savings ' } });
  await service.call(BANK, { as, body: { ...CHOICE, accounts } });
  expect((await state(service, as)).bank).toMatchObject({ ...CHOICE, accounts, is_agreed: false });
  const ended = (await service.call(COMPLETE, { as, body: CONSENT })).body;

  expect(ended).toMatchObject({ intent_token: null, redirect_to: null, flow: { state: 'completed' } });
  const { body: made } = await service.call('POST /bank_links', { body: { validation_token: as } });
  expect(made).toMatchObject({ institution_name: 'Example Savings', state: 'connected' });
  const bank = bankOf(service);
  const linked = await bank.accounts(made.id);
  expect(linked).toHaveLength(2);
  const ids = new Set(linked.map(({ id }) => id));
  const transactions = await bank.allTransactions(made.id);
  expect(transactions.length).toBeGreaterThan(50);
  expect(transactions.every(({ account_id }) => ids.has(account_id))).toBe(true);
  const { body: inspected } = await service.call('GET /_kyclone/bank_links');
  expect(inspected.data).toMatchObject([{ id: made.id, persona: 'joint' }]);
});

test('bank page: a link of some accounts updates only those in later days', async (service) => {
  const { intent_token: as } = await anIntent(service);
  const [first = ''] = await chosen(service, as, 'investor');
  await service.call(BANK, { as, body: { ...CHOICE, persona: 'investor', accounts: [first] } });
  await service.call(COMPLETE, { as, body: CONSENT });
  const { body: made } = await service.call('POST /bank_links', { body: { intent_token: as } });
  const before = (await bankOf(service).transactions(made.id)).total;

  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '40d' } });

  expect((await bankOf(service).transactions(made.id)).total).toBeGreaterThan(before);
  expect(await bankOf(service).accounts(made.id)).toHaveLength(1);
  expect(Object.keys(made.products)).not.toContain('investments');
});

test('bank page: nothing takes effect before the person agrees, and an unopened intent is unchanged', async (service) => {
  const { intent_token: as } = await anIntent(service, { persona: 'thin', institution: 'Placeholder Trust' });
  expect((await service.call('GET /hosted/session/bank', { as })).body.suggested).toEqual({
    persona: 'thin',
    institution: 'Placeholder Trust',
  });
  await choose(service, as, 'joint');

  const { body: made } = await service.call('POST /bank_links', { body: { intent_token: as } });

  expect(made.institution_name).toBe('Placeholder Trust');
  expect(await bankOf(service).accounts(made.id)).toHaveLength(1);
  // The page that was open meanwhile shows the flow as completed.
  expect((await state(service, as)).state).toBe('completed');
  expect(await service.refused(COMPLETE, { as, body: CONSENT })).toMatchObject({ code: 'conflict' });
});

test.eachWith([
  [{ persona: 'nobody' }, 'persona'],
  [{ persona: 'thin', accounts: ['savings'] }, 'accounts'],
  [{ persona: 'thin', accounts: [] }, 'accounts'],
  [{ accounts: ['checking'] }, 'accounts'],
])('bank page: %j is refused by name, and nothing is kept', async (service, more, member) => {
  const { intent_token: as } = await anIntent(service);

  const refused = await service.refused(BANK, { as, body: { institution: 'A bank', ...more } });

  expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(Object.keys(refused.context ?? {})).toEqual([member]);
  expect(rows(service, 'bank_pages')).toBe(0);
  expect(await service.refused(COMPLETE, { as, body: CONSENT })).toMatchObject({ code: 'T121' });
});

test('bank page: a persona that fails is linked without accounts, in state error', async (service) => {
  const { intent_token: as } = await anIntent(service);
  const { personas } = (await service.call('GET /hosted/session/bank', { as })).body;
  expect(personas.filter(({ fails }) => fails).map(({ name }) => name)).toEqual(['broken']);
  await service.call(BANK, { as, body: { ...CHOICE, persona: 'broken', accounts: [] } });
  await service.call(COMPLETE, { as, body: CONSENT });

  const { body: made } = await service.call('POST /bank_links', { body: { intent_token: as } });

  expect(made).toMatchObject({ state: 'error', error_code: 'institution_error' });
});

test('bank page: connects a broken link again, which keeps its bank; nothing happens before POST /bank_links', async (service) => {
  const fp_id = await service.user();
  const bank = bankOf(service);
  const broken = await bank.link(fp_id, { persona: 'joint', institution: 'Example Savings' });
  await bank.reset(broken.id);
  const { intent_token: as } = await bank.intent(fp_id, { link_id: broken.id });
  expect((await state(service, as)).bank?.link).toEqual({
    institution: 'Example Savings',
    persona: 'joint',
    state: 'error',
    error_code: 'auth_expired',
  });
  expect(await service.refused(BANK, { as, body: CHOICE })).toMatchObject({ code: 'conflict' });

  await service.call(COMPLETE, { as, body: CONSENT });
  expect((await bank.get(broken.id)).state).toBe('error');
  const { body: made } = await service.call('POST /bank_links', { body: { intent_token: as } });

  expect(made).toMatchObject({ id: broken.id, state: 'connected', institution_name: 'Example Savings' });
});

test('bank page: tokens that are malformed, unknown, foreign, expired or of a deleted user open nothing', async (service) => {
  const fp_id = await service.user();
  const { body: intent } = await service.call(MINT, { body: { fp_id } });
  const as = intent.intent_token;
  for (const token of ['blit_short', `blit_${'x'.repeat(34)}`, as.replace('blit_', 'obtok_')]) {
    expect(await service.refused('GET /hosted/session', { as: token })).toMatchObject(
      failureOf(401, 'unauthenticated'),
    );
  }
  for (const call of ['identify', 'verify', 'data', 'owners', 'document', 'consent', 'complete'] as const) {
    const body = { code: '000000', screen: 'name', data: {}, primary_stake: 1, others: [], ...CONSENT };
    const sent = call === 'document' ? { kind: 'visa', country: 'DE' } : call === 'identify' ? {} : body;
    const refused = await service.refused(`POST /hosted/session/${call}`, { as, body: sent });
    expect(refused).toMatchObject({ status: 409, code: 'conflict' });
  }
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '30m' } });
  expect(await service.refused('GET /hosted/session', { as })).toMatchObject({ code: 'token_expired' });
  // The intent stays expired, whatever the clock shows later.
  await service.call('PUT /_kyclone/clock', { body: { action: 'resume' } });
  expect(await service.refused(BANK, { as, body: CHOICE })).toMatchObject({ code: 'token_expired' });

  const { body: other } = await service.call(MINT, { body: { fp_id } });
  await service.call(BANK, { as: other.intent_token, body: { institution: 'A bank' } });
  expect(rows(service, 'bank_pages')).toBe(1);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  expect(await service.refused('GET /hosted/session', { as: other.intent_token })).toMatchObject({
    code: 'unauthenticated',
  });
  expect(rows(service, 'bank_pages')).toBe(0);
});

test('bank page: cancelling forgets the choice and keeps where it leads; of two agreements one counts', async (service) => {
  const redirect_url = 'http://localhost:3000/done?state=7';
  const { intent_token: as } = await anIntent(service, { redirect_url });
  await choose(service, as, 'thin');
  const { body: left } = await service.call('POST /hosted/session/bank/cancel', { as });
  expect(left.redirect_to).toBe(`${redirect_url}&canceled=true`);
  expect(left.flow).toMatchObject({ state: 'open', bank: { institution: null, persona: null } });
  await choose(service, as, 'thin');

  const both = await Promise.all([1, 2].map(() => service.request(COMPLETE, { as, body: CONSENT })));

  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(
    await service.refused(MINT, { body: { fp_id: 'fp_id_x', redirect_url: 'https://else.example/' } }),
  ).toMatchObject({ status: 400, message: expect.stringContaining('redirect_url') as string });
});

test('bank page: the choices are destroyed once the link is created', async (service) => {
  const { intent_token: as } = await anIntent(service, { redirect_url: 'http://localhost:3000/done' });
  await choose(service, as, 'thin');
  await service.call(COMPLETE, { as, body: CONSENT });
  expect(rows(service, 'bank_pages')).toBe(1);
  await service.call('POST /bank_links', { body: { intent_token: as } });
  expect(rows(service, 'bank_pages')).toBe(0);
  expect(await state(service, as)).toMatchObject({ state: 'completed', bank: { is_agreed: true } });
});

test('bank page: the choices of an expired intent are destroyed when its page makes a request, and no others', async (service) => {
  const [early, late] = [await anIntent(service), await anIntent(service)];
  await choose(service, early.intent_token, 'thin');
  await service.call(COMPLETE, { as: early.intent_token, body: CONSENT });
  service.clock.advance(20 * 60_000);
  const later = await anIntent(service);
  await service.call(BANK, { as: later.intent_token, body: { institution: 'A bank' } });
  service.clock.advance(10 * 60_000);
  expect(rows(service, 'bank_pages')).toBe(2);

  for (const as of [late.intent_token, early.intent_token]) {
    expect(await service.refused('GET /hosted/session', { as })).toMatchObject({ code: 'token_expired' });
  }

  await expect.poll(() => rows(service, 'bank_pages')).toBe(1);
  expect(await state(service, later.intent_token)).toMatchObject({ bank: { institution: 'A bank' } });
  service.clock.advance(20 * 60_000);
  await anIntent(service);
  expect(rows(service, 'bank_pages')).toBe(0);
});

test('bank page: the choices are stored nowhere in the clear', async (service) => {
  const { intent_token: as } = await anIntent(service, { redirect_url: 'http://localhost/?me=canary-where' });
  await service.call(BANK, { as, body: { institution: 'Canary Chosen Bank' } });

  const stored = bytesOf(service.database).toString('latin1');

  expect(stored).toContain('bank_pages');
  expect(stored).not.toMatch(/Canary Chosen|canary-where/);
  expect(stored).not.toContain(as.slice(5));
});

const WITH_BANK = { kind: 'kyc' as const, requirements: [], bank_link: true };

test('bank step: an onboarding ends with an intent for the new or known person and the choices', async (service) => {
  const as = await verify(service, await aFlowOn(service, WITH_BANK));
  expect(await state(service, as)).toMatchObject({
    steps: ['identify', 'bank', 'review', 'outcome'],
    step: 'bank',
    bank: { institution: null, has_owner: false },
  });
  expect(await service.refused('POST /hosted/session/consent', { as, body: CONSENT })).toMatchObject({
    code: 'T121',
  });
  await choose(service, as, 'thin');
  await agree(service, as);
  // A new choice needs a new consent.
  await choose(service, as, 'thin');
  expect((await state(service, as)).step).toBe('review');
  await agree(service, as);

  const { body: ended } = await service.call('POST /hosted/session/complete', { as, body: {} });

  expect(ended.intent_token).toMatch(/^blit_[0-9A-Za-z]{34}$/);
  const intent_token = ended.intent_token ?? '';
  const { body: made } = await service.call('POST /bank_links', { body: { intent_token } });
  const { body: validated } = await service.call('POST /onboarding/session/validate', {
    body: { validation_token: ended.validation_token ?? '' },
  });
  expect(made).toMatchObject({ fp_id: validated.user_auth.fp_id, institution_name: 'Example Savings' });

  // A person with a linked bank is not asked again.
  const again = await aFlowOn(service, WITH_BANK, { fp_id: made.fp_id });
  await service.call('POST /hosted/session/verify', { as: again, body: { code: '000000' } });
  expect(await state(service, again)).toMatchObject({ step: 'review', bank: null });
});

test('bank step: a business links its own bank', async (service) => {
  const flow = { ...WITH_BANK, kind: 'kyb' as const };
  const as = await verify(service, await aFlowOn(service, flow, { business_external_id: 'acme-4711' }));
  expect((await service.call('GET /hosted/session/bank', { as })).body.suggested.persona).toBe('business');
  await choose(service, as, 'business');
  await agree(service, as);

  const { intent_token } = (await service.call('POST /hosted/session/complete', { as, body: {} })).body;

  const { body: made } = await service.call('POST /bank_links', {
    body: { intent_token: intent_token ?? '' },
  });
  expect(made.fp_id).toMatch(/^fp_bid_/);
});

test('bank page: the token of a session links the bank of a known user, once; the onboarding asks for it no more', async (service) => {
  const fp_id = await service.user({ 'id.email': 'known@hosted.example' });
  const redirect_url = 'http://localhost:3000/done';
  const as = await aFlowOn(service, WITH_BANK, { fp_id, redirect_url });
  expect(await service.refused(BANK, { as, body: CHOICE })).toMatchObject({ code: 'conflict' });
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  await choose(service, as, 'thin');

  const { body: ended } = await service.call(COMPLETE, { as, body: CONSENT });

  expect(ended).toMatchObject({
    redirect_to: redirect_url,
    flow: { step: 'review', bank: { is_agreed: true } },
  });
  expect(await service.refused(COMPLETE, { as, body: CONSENT })).toMatchObject({ code: 'conflict' });
  await agree(service, as);
  const { body: done } = await service.call('POST /hosted/session/complete', { as, body: {} });
  expect(done.intent_token).toBeNull();
  const intent_token = ended.intent_token ?? '';
  expect((await service.call('POST /bank_links', { body: { intent_token } })).body.fp_id).toBe(fp_id);
});

test('bank page: an unknown person, and a playbook without a bank, cannot link one', async (service) => {
  const stranger = await verify(service, await aFlowOn(service, WITH_BANK));
  await choose(service, stranger, 'thin');
  expect(await service.refused(COMPLETE, { as: stranger, body: CONSENT })).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('/hosted/onboarding') as string,
  });
  const plain = await verify(service, await aFlow(service));
  expect((await state(service, plain)).bank).toBeNull();
  expect(await service.refused(BANK, { as: plain, body: CHOICE })).toMatchObject({ code: 'conflict' });
  const { body: left } = await service.call('POST /hosted/session/bank/cancel', { as: stranger });
  expect(left.flow).toMatchObject({ step: 'bank', identify: { is_verified: true } });
});

test('bank_links: intent_token and validation_token are one, and one of them is required', async (service) => {
  const { intent_token } = await anIntent(service);
  expect(await service.refused('POST /bank_links', { body: {} })).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^intent_token is missing/) as string,
  });
  const two = { intent_token, validation_token: `blit_${'x'.repeat(34)}` };
  expect(await service.refused('POST /bank_links', { body: two })).toMatchObject({ code: 'invalid_request' });
  const same = { intent_token, validation_token: intent_token };
  expect((await service.call('POST /bank_links', { body: same })).body.state).toBe('connected');
});
