/** Everything that happened to an entity, newest first (contract §11): kinds, pages, and no value. */
import { expect } from 'vitest';
import { TIMELINE_KINDS } from '../../../src/nouns/entities/facts.ts';
import { bankOf } from '../../support/bank-links.ts';
import { aPng, aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import type { TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const TIMELINE = 'GET /_kyclone/entities/{fp_id}/timeline';
type Query = { readonly kinds?: string; readonly page_size?: number; readonly cursor?: string };

async function timelineOf(service: TestService, fp_id: string, query: Query = {}) {
  return (await service.call(TIMELINE, { params: { fp_id }, query: { page_size: 100, ...query } })).body;
}

/** Makes a user with every kind of timeline entry, a second apart, and another user with some. */
async function aCase(service: TestService) {
  const tick = () => service.clock.advance(1_000);
  await service.call('POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/hooks' } });
  const fp_id = await service.user(aReadyUser({ 'id.first_name': 'Quillonda' }));
  const other = await service.user(aReadyUser());
  tick();
  await vaultOf(service, fp_id).write({ 'id.city': 'Zephyrgate', 'custom.note': 'gone soon' });
  tick();
  await vaultOf(service, fp_id).delete({ fields: ['custom.note'] });
  await service.upload(fp_id, 'document.passport.front.image', aPng());
  tick();
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  tick();
  await onboardingOf(service, fp_id).decide({ status: 'fail', annotation: 'not her' });
  await service.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag: 'wave 2' } });
  const about = { fp_id };
  const note = { text: 'she called' };
  await service.call('POST /_kyclone/entities/{fp_id}/notes', { params: about, body: note });
  await service.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    params: { ...about, reason_code: 'watchlist_hit_ofac' },
    body: { decision: 'confirmed', reason: 'the same photo' },
  });
  await bankOf(service).link(fp_id, {});
  tick();
  await vaultOf(service, fp_id).decrypt(['id.dob'], { reason: 'ticket 4711' });
  await vaultOf(service, other).decrypt(['id.dob'], { reason: 'another' });
  return { fp_id, other };
}

test('timeline: everything that happened, newest first, by names alone', async (service) => {
  const { fp_id } = await aCase(service);

  const { data, meta } = await timelineOf(service, fp_id);

  expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(TIMELINE_KINDS));
  expect(meta).toEqual({ count: data.length, next: null });
  const times = data.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().toReversed());
  const titles = data.map(({ title }) => title);
  expect(titles[0]).toBe('Read: decrypt');
  expect(titles.at(-1)).toBe('Created');
  expect(data[0]).toMatchObject({ reason: 'ticket 4711', details: ['id.dob'] });
  expect(titles).toEqual(
    expect.arrayContaining([
      'Vault version 2: 2 fields written',
      'Vault version 3: 1 field deleted',
      'Document: passport',
      'Onboarding ended: fail',
      'Decided by hand: fail',
      'Tag: added wave 2',
      'failing (1 of 8): event onboarding.completed',
    ]),
  );
  expect(data.find(({ title }) => title === 'Decided by hand: fail')?.reason).toBe('not her');
  expect(data.find(({ title }) => title.includes(': event '))?.details).toEqual([
    expect.stringContaining('http://127.0.0.1:9/hooks') as string,
  ]);
  expect(JSON.stringify(data)).not.toMatch(/Quillonda|Zephyrgate|gone soon|another/);
});

test('timeline: verifications and comparisons are not shown as reads', async (service) => {
  const [fp_id, other] = [await service.user(aReadyUser()), await service.user(aReadyUser())];
  const on = { params: { fp_id } };
  const body = { identifier: 'id.dob', value: '1988-12-30', reason: 'call 4711' };
  await service.call('POST /users/{fp_id}/verify', { ...on, body });
  await service.refused('POST /users/{fp_id}/verify', { ...on, body: { ...body, reason: ' ' } });
  await service.call('POST /users/{fp_id}/compare', { ...on, body: { with: other } });

  const titles = (await timelineOf(service, fp_id)).data.filter(({ kind }) => kind === 'read');
  expect(titles.map(({ title }) => title)).toEqual([
    'Compared with another entity',
    'Refused: verify',
    'Checked a stated value',
  ]);
});

test.eachWith([1, 2, 3, 7])(
  'timeline: pages of %i hold each thing once, in the same order',
  async (service, page_size) => {
    const { fp_id } = await aCase(service);
    const whole = (await timelineOf(service, fp_id)).data;

    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await timelineOf(service, fp_id, { page_size, ...(cursor !== undefined && { cursor }) });
      expect(page.data.length).toBeLessThanOrEqual(page_size);
      expect(page.meta.count).toBe(whole.length);
      paged.push(...page.data);
      cursor = page.meta.next ?? undefined;
    } while (cursor !== undefined);

    expect(paged).toEqual(whole);
  },
);

test('timeline: of one kind, and of several', async (service) => {
  const { fp_id } = await aCase(service);
  const all = (await timelineOf(service, fp_id)).data;
  for (const kinds of [...TIMELINE_KINDS, 'read,vault', ' decision , run ']) {
    const wanted = kinds.split(',').map((kind) => kind.trim());
    const { data, meta } = await timelineOf(service, fp_id, { kinds });
    expect(data).toEqual(all.filter(({ kind }) => wanted.includes(kind)));
    expect(meta.count).toBe(data.length);
  }
});

test('timeline: an unknown kind and a foreign cursor are refused', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const refusal = async (query: Query) =>
    (await service.refused(TIMELINE, { params: { fp_id }, query })).code;
  expect(await refusal({ kinds: 'read,writes' })).toBe('invalid_request');
  expect(await refusal({ cursor: 'bm90IG9uZQ' })).toBe('invalid_request');
});
