/** Resends and triggers events, with receivers that record what they receive. */
import { expect } from 'vitest';
import { EVENT_KINDS } from '../../../src/nouns/webhooks/facts.ts';
import { resend, trigger } from '../../../src/nouns/webhooks/screen/events.ts';
import type { Subject } from '../../../src/tui/state/model.ts';
import { aReceiver, answering, settled, TRIGGER } from '../../nouns/webhooks/a-receiver.ts';
import { choicesOf, chosen, noticeOf, test } from './a-source.ts';

const COMPLETED = 'onboarding.completed';

test('resend: the event reaches its webhooks again under its id, and the notice says so', async ({
  service,
  source,
}) => {
  await using receiver = await aReceiver(service);
  await using other = await aReceiver(service);
  const { body: event } = await service.call(TRIGGER, { body: { kind: COMPLETED } });
  await settled(service);

  const outcome = await resend.perform(source, { kind: 'event', event_id: event.id }, {});

  expect(noticeOf(outcome)).toBe('good: Delivered to 2 of 2');
  for (const { requests } of [receiver, other]) {
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id]);
  }
});

test('resend: from a delivery it goes to its webhook only', async ({ service, source }) => {
  await using receiver = await aReceiver(service);
  await using other = await aReceiver(service);
  const { body: event } = await service.call(TRIGGER, { body: { kind: COMPLETED } });
  await settled(service);
  const subject: Subject = { kind: 'event', event_id: event.id, webhook_id: receiver.id };

  const outcome = await resend.perform(source, subject, {});

  expect(noticeOf(outcome)).toBe(`good: Delivered to ${receiver.url}/hooks (200)`);
  expect([receiver.requests.length, other.requests.length]).toEqual([2, 1]);
  expect(resend.confirm(subject, {}).join(' ')).toMatch(
    new RegExp(`Event ${event.id} is sent again.*webhook endpoint ${receiver.id} only`),
  );
  expect(resend.confirm({ kind: 'event', event_id: event.id }, {}).join(' ')).toContain(
    'every enabled webhook endpoint',
  );
});

test('resend: a refusal of the receiver is shown unchanged', async ({ service, source }) => {
  const { body: event } = await service.call(TRIGGER, { body: { kind: COMPLETED } });
  const subject: Subject = { kind: 'event', event_id: event.id };
  expect(noticeOf(await resend.perform(source, subject, {}))).toBe(
    'warn: Sent to nobody: no enabled webhook endpoint takes this kind',
  );

  await using receiver = await aReceiver(service, { handler: answering(500) });
  expect(noticeOf(await resend.perform(source, subject, {}))).toBe(
    `bad: ${receiver.url}/hooks answered 500; kyclone tries again`,
  );
  await using good = await aReceiver(service);
  expect(noticeOf(await resend.perform(source, subject, {}))).toBe(
    `bad: Delivered to 1 of 2. ${receiver.url}/hooks answered 500; kyclone tries again`,
  );
  expect(good.requests).toHaveLength(1);
});

test('trigger: each kind says how many webhooks take it; one that is disabled does not count', async ({
  service,
  source,
}) => {
  await using all = await aReceiver(service);
  await using some = await aReceiver(service, { body: { kinds: [COMPLETED] } });
  await using off = await aReceiver(service, { body: { enabled: false } });
  const user: Subject = { kind: 'user', fp_id: await service.user() };

  const kinds = await choicesOf('trigger', source, user, 'kind');
  const webhooks = await choicesOf('trigger', source, user, 'webhook');

  expect(kinds.map(({ label }) => label)).toEqual(
    EVENT_KINDS.map((kind) => (kind === COMPLETED ? `${kind} (2 webhooks)` : `${kind} (1 webhook)`)),
  );
  expect(webhooks.map(({ label }) => label)).toEqual([
    'All that take this kind',
    `${some.url}/hooks (${some.id})`,
    `${all.url}/hooks (${all.id})`,
  ]);
  expect(JSON.stringify(webhooks)).not.toContain(off.id);
});

test.eachWith(['user', 'business'] as const)(
  'trigger: a sample about a %s is signed and delivered',
  async ({ service, source }, kind) => {
    await using receiver = await aReceiver(service);
    const fp_id = kind === 'user' ? await service.user() : await service.business();
    const values = await chosen('trigger', source, { kind, fp_id }, { kind: 'vault.updated' });

    expect(trigger.confirm({ kind, fp_id }, values)).toEqual([
      `This records a sample event vault.updated about ${fp_id}. Nothing else changes.`,
      'It is signed and goes to 1 webhook now.',
    ]);
    const only = await chosen('trigger', source, { kind, fp_id }, { webhook: receiver.id });
    expect(trigger.confirm({ kind, fp_id }, only)[1]).toBe(
      `It is signed and goes to ${receiver.url}/hooks (${receiver.id}) only, now.`,
    );
    const outcome = await trigger.perform(source, { kind, fp_id }, values);

    expect(noticeOf(outcome)).toBe(`good: vault.updated: Delivered to ${receiver.url}/hooks (200)`);
    expect(receiver.requests).toHaveLength(1);
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      event_kind: 'service.vault.updated',
      fp_id,
    });
  },
);

test('trigger: without a webhook that takes it, it is not sent, and both question and notice say so', async ({
  service,
  source,
}) => {
  const user: Subject = { kind: 'user', fp_id: await service.user() };
  const values = await chosen('trigger', source, user);

  expect(trigger.confirm(user, values)[1]).toMatch(/^It goes to nobody/);
  expect(noticeOf(await trigger.perform(source, user, values))).toMatch(/^warn: .*Sent to nobody/);
  expect((await service.call('GET /_kyclone/events')).body.data).toHaveLength(1);
});
