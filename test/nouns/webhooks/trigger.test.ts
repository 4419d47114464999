/** Events on demand (contract §9.2, §11). */
import { expect } from 'vitest';
import { EVENT_KINDS } from '../../../src/nouns/webhooks/facts.ts';
import { LIVE_KEY, NOON, failureOf, startService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';
import { aReceiver, COMPLETED, REGISTER, ELSEWHERE, TRIGGER, triggered } from './a-receiver.ts';

/** The members of each event, by contract §9.2 and the spec. */
const MEMBERS: Record<string, string[]> = {
  'onboarding.completed': words`
    status onboarding_id requires_manual_review playbook_key playbook_version external_id onboarding_external_id
  `,
  'onboarding.status_changed': ['onboarding_id', 'new_status', 'requires_manual_review'],
  'user.info_requested': ['external_id', 'note'],
  'user.manual_review': ['external_id'],
  'user.bank_link_updated': words`
    link_id link_external_id link_state link_event_kind link_product_refresh link_error error_message
    user_external_id
  `,
  'vault.updated': ['fields', 'source', 'external_id'],
  'watchlist_check.completed': ['status', 'error', 'external_id'],
};

test.eachWith(EVENT_KINDS)(
  'trigger: a sample of %s has the members of the contract',
  async (service, kind) => {
    const { body: event } = await service.call(TRIGGER, { body: { kind } });

    expect(event.id).toMatch(/^evt_[0-9A-Za-z]{22}$/);
    expect(event).toMatchObject({ kind, at: new Date(NOON).toISOString(), deliveries: [] });
    expect(event).not.toHaveProperty('others');
    expect(event.body).toMatchObject({
      event_kind: `service.${kind}`,
      fp_id: expect.stringMatching(/^fp_id_[0-9A-Za-z]{22}$/) as string,
      is_live: false,
      timestamp: new Date(NOON).toISOString(),
    });
    const base = ['event_kind', 'fp_id', 'is_live', 'timestamp'];
    expect(Object.keys(event.body).sort()).toEqual([...base, ...(MEMBERS[kind] ?? [])].sort());
    expect(JSON.stringify(event.body)).not.toContain('$');
  },
);

test('trigger: takes the kind with the prefix too, and the prefix of the vocabulary goes into the body', async () => {
  await using service = await startService({ settings: { vocabulary: { event_prefix: 'acme' } } });

  const { body } = await service.call(TRIGGER, { body: { kind: 'acme.vault.updated' } });
  const refusal = await service.refused(TRIGGER, { body: { kind: 'service.vault.updated' } });

  expect([body.kind, body.body['event_kind']]).toEqual(['vault.updated', 'acme.vault.updated']);
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  for (const kind of EVENT_KINDS) expect(refusal.message).toContain(kind);
});

test('trigger: for a real entity it has its ids', async (service) => {
  const headers = { 'x-external-id': 'my-business-1' };
  const { id: fp_id } = (await service.call('POST /businesses', { headers, as: LIVE_KEY })).body;
  const body = { kind: COMPLETED, fp_id };

  expect((await service.call(TRIGGER, { query: { environment: 'live' }, body })).body.body).toMatchObject({
    fp_id,
    is_live: true,
    external_id: 'my-business-1',
    status: 'pass',
    playbook_key: 'pb_live_kybdefault000000000000',
    onboarding_id: expect.stringMatching(/^ob_[0-9A-Za-z]{22}$/) as string,
  });
  expect(await service.refused(TRIGGER, { body })).toMatchObject({ status: 404, code: 'not_found' });
});

test('trigger: a custom number of body stays as it was written', async (service) => {
  await using receiver = await aReceiver(service);
  const written = '"custom.price":1.10';
  await service.send({
    method: 'POST',
    path: '/_kyclone/events/trigger',
    body: Buffer.from(`{"kind":"${COMPLETED}","body":{${written}}}`),
    headers: { 'content-type': 'application/json' },
  });
  await expect.poll(() => String(receiver.requests[0]?.body)).toContain(written);
  expect((await service.send({ method: 'GET', path: '/_kyclone/events' })).text).toContain(written);
});

test('trigger: members of body override those of the sample', async (service) => {
  const body = { status: 'fail', requires_manual_review: true, more: { is: ['fine'] } };

  expect((await service.call(TRIGGER, { body: { kind: COMPLETED, body } })).body.body).toMatchObject(body);
});

test.eachWith([
  [COMPLETED, { status: 'pending' }],
  [COMPLETED, { status: 1 }],
  [COMPLETED, { event_kind: 'other' }],
  [COMPLETED, { fp_id: 'fp_id_x' }],
  ['onboarding.status_changed', { new_status: 'done' }],
  ['onboarding.status_changed', { status: 'pass' }],
  ['watchlist_check.completed', { status: 'none' }],
  ['vault.updated', { status: 'pass' }],
])('trigger: %s with body %j is refused, naming the member', async (service, kind, body) => {
  const refusal = await service.refused(TRIGGER, { body: { kind, body } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', Object.keys(body)[0]));
  expect((await service.call('GET /_kyclone/events')).body.data).toEqual([]);
});

test('trigger: only webhook_id receives the event, whatever kinds it wants', async (service) => {
  await using chosen = await aReceiver(service, { body: { kinds: ['vault.updated'] } });
  await using other = await aReceiver(service);
  const off = (await service.call(REGISTER, { body: { url: ELSEWHERE, enabled: false } })).body;
  const refused = async (webhook_id: string) =>
    (await service.refused(TRIGGER, { body: { kind: COMPLETED, webhook_id } })).code;

  expect((await triggered(service, { webhook_id: chosen.id })).deliveries).toHaveLength(1);
  expect([chosen.requests.length, other.requests.length]).toEqual([1, 0]);
  expect([await refused(off.id), await refused('whk_unknown')]).toEqual(['invalid_request', 'not_found']);
});

test('trigger: count makes so many events, a millisecond apart, each of an entity of its own', async (service) => {
  await using receiver = await aReceiver(service);

  const body = await triggered(service, { count: 3 });

  const events = [body, ...(body.others ?? [])];
  expect(events.map(({ at }) => Date.parse(at))).toEqual([NOON - 2, NOON - 1, NOON]);
  for (const { at, body: sent } of events) expect(sent['timestamp']).toBe(at);
  for (const of of ['fp_id', 'onboarding_id']) {
    expect(new Set(events.map(({ body: sent }) => sent[of])).size).toBe(3);
  }
  expect([body.deliveries.length, receiver.requests.length]).toEqual([3, 3]);
  expect(await service.refused(TRIGGER, { body: { kind: COMPLETED, count: 101 } })).toMatchObject({
    code: 'invalid_request',
  });
});
