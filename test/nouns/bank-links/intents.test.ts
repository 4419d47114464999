/**
 * Intents, which a finished bank flow hands over: how they are minted, what they hold, when they expire (contract
 * §7.3).
 */
import { expect } from 'vitest';
import { bankOf } from '../../support/bank-links.ts';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';
import { aLink } from './a-bank.ts';

const MINT = 'POST /_kyclone/bank_link_intents';
const LINK = 'POST /bank_links';
const MINUTE = 60_000;

const at = (ms: number) => new Date(NOON + ms).toISOString();

const refusedConnect = async (service: TestService, intent_token: string) =>
  (await service.refused(LINK, { body: { intent_token } })).code;

const countIntents = ({ database }: TestService) =>
  database.prepare('SELECT count(*) FROM bank_link_intents').pluck().get();

test('bank_link_intents: is a token of its form for half an hour, with the defaults', async (service) => {
  const fp_id = await service.user();

  expect((await service.call(MINT, { body: { fp_id, link_id: null } })).body).toEqual({
    intent_token: expect.stringMatching(/^blit_[0-9A-Za-z]{34}$/) as string,
    fp_id,
    persona: 'default',
    institution: 'First Example Bank',
    link_id: null,
    link: expect.stringMatching(/\/hosted\/bank_link#blit_/) as string,
    expires_at: at(30 * MINUTE),
  });
});

test('bank_link_intents: are different ones, whatever the seed', async (one) => {
  await using other = await startService();
  const [user, same] = [await one.user(), await other.user()];

  const intents = await Promise.all([
    bankOf(one).intent(user),
    bankOf(one).intent(user),
    bankOf(other).intent(same),
  ]);

  expect(user).toBe(same);
  expect(new Set(intents.map(({ intent_token }) => intent_token)).size).toBe(3);
});

test('bank_link_intents: an unknown persona is refused, and the known ones are named', async (service) => {
  const fp_id = await service.user();

  const refusal = await service.refused(MINT, { body: { fp_id, persona: 'nobody-is-called-so' } });

  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(refusal.message).toMatch(/^persona must be one of .*\bdefault\b.*\bbroken\b/);
  expect(refusal.message).not.toContain('nobody-is-called-so');
  expect(countIntents(service)).toBe(0);
});

test.eachWith([
  ['institution', ''],
  ['institution', '  '],
  ['institution', 'First\u0007Example'],
  ['institution', 'x'.repeat(129)],
])('bank_link_intents: member %s is not %j', async (service, member, value) => {
  const fp_id = await service.user();

  const refusal = await service.refused(MINT, { body: { fp_id, [member]: value } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', member));
});

test('bank_link_intents: a reconnection has the persona and the institution of its link', async (service) => {
  const { bank, fp_id, link } = await aLink(service, {
    persona: 'broken',
    institution: 'Example Credit Union',
  });
  const kept = { persona: 'broken', institution: 'Example Credit Union', link_id: link.id };

  expect(await bank.intent(fp_id, { link_id: link.id })).toMatchObject(kept);
  expect(await bank.intent(fp_id, kept)).toMatchObject(kept);
});

test.eachWith([
  ['persona', 'broken'],
  ['institution', 'Example Credit Union'],
])('bank_link_intents: a reconnection has no other %s than its link', async (service, member, value) => {
  const fp_id = await service.user();
  const { id: link_id } = await bankOf(service).link(fp_id);

  const refusal = await service.refused(MINT, { body: { fp_id, link_id, [member]: value } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', `${member} `));
});

test('bank_link_intents: unknown, deleted and foreign links are not reconnected', async (service) => {
  const bank = bankOf(service);
  const other = await service.key({ tenant: 'other', environment: 'sandbox' });
  const fp_id = await service.user();
  const foreign = await bank.link(await service.user({}, other), { persona: 'broken', as: other });
  const neighbours = await bank.link(await service.user({}), { persona: 'broken' });
  const deleted = await bank.link(fp_id, { persona: 'broken' });
  await service.call('DELETE /bank_links/{link_id}', { params: { link_id: deleted.id } });

  for (const link_id of [foreign.id, neighbours.id, deleted.id, 'link_0000000000000000000000']) {
    const refusal = await service.refused(MINT, { body: { fp_id, link_id } });
    expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
  }
});

test('bank_link_intents: valid until its expiry, and not at it', async (service) => {
  const bank = bankOf(service);
  const fp_id = await service.user();
  const [one, other] = [await bank.intent(fp_id), await bank.intent(fp_id)];

  service.clock.advance(30 * MINUTE - 1);
  await service.call(LINK, { body: { intent_token: one.intent_token } });
  service.clock.advance(1);

  expect(await refusedConnect(service, other.intent_token)).toBe('intent_invalid');
});

test('bank_link_intents: a used one is reported as used for a day after its expiry, and never works again', async (service) => {
  const bank = bankOf(service);
  const fp_id = await service.user();
  const { intent_token } = await bank.intent(fp_id);
  await service.call(LINK, { body: { intent_token } });

  for (const ms of [30 * MINUTE, 24 * 60 * MINUTE]) {
    service.clock.advance(ms);
    await bank.intent(fp_id);
    expect(await refusedConnect(service, intent_token)).toBe('conflict');
  }
  service.clock.advance(1);
  await bank.intent(fp_id);

  expect(await refusedConnect(service, intent_token)).toBe('intent_invalid');
});

test('bank_link_intents: when the clock is moved back an expired one stays expired, and another stays valid', async (service) => {
  const { intent_token } = await bankOf(service).intent(await service.user());
  service.clock.advance(1);
  const { intent_token: later } = await bankOf(service).intent(await service.user());
  service.clock.advance(30 * MINUTE - 1);

  await service.call('PUT /_kyclone/clock', { body: { action: 'set', at: at(0) } });

  expect(await refusedConnect(service, intent_token)).toBe('intent_invalid');
  expect((await service.call(LINK, { body: { intent_token: later } })).body.state).toBe('connected');
});

test('bank_link_intents: the token is nowhere in the store and in no log line', async (service) => {
  const { intent_token } = await bankOf(service).intent(await service.user());
  await service.call(LINK, { body: { intent_token } });
  const secret = intent_token.slice('blit_'.length);

  const stored = bytesOf(service.database);

  expect(countIntents(service)).toBe(1);
  expect(stored.includes(secret)).toBe(false);
  expect(stored.includes('bank_link_intents')).toBe(true);
  expect(JSON.stringify(service.log)).not.toContain(secret);
});

test('bank_link_intents: those of an entity that expired a day ago go when it gets another', async (service) => {
  const bank = bankOf(service);
  const [user, other] = [await service.user(), await service.user({})];
  await bank.intent(user);
  await bank.intent(other);

  service.clock.advance(24 * 60 * MINUTE + 30 * MINUTE);
  await bank.intent(user);
  expect(countIntents(service)).toBe(3);
  service.clock.advance(1);
  await bank.intent(user);

  expect(countIntents(service)).toBe(3);
});
