/** Hits of watchlists and adverse media: the same each time, decided by a person, stored sealed (contract §11). */
import { expect } from 'vitest';
import { HIT_CODES } from '../../../src/contract/facts/cases.ts';
import { aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const HITS = 'GET /_kyclone/entities/{fp_id}/hits';
const REVIEW = 'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review';
const OFAC = 'watchlist_hit_ofac';
const DECISION = { decision: 'false_positive', reason: 'born in another year: Quillonda' } as const;

async function hitsOf(service: TestService, fp_id: string, onboarding_id?: string) {
  return (await service.call(HITS, { params: { fp_id }, query: { onboarding_id } })).body;
}

async function aHit(service: TestService) {
  const fp_id = await service.user(aReadyUser());
  const { onboarding_id } = await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  return { fp_id, onboarding_id };
}

async function decide(service: TestService, fp_id: string, body: object, operator?: string) {
  return await service.send({
    method: 'POST',
    path: `/_kyclone/entities/${fp_id}/hits/${OFAC}/review`,
    ...(operator !== undefined && { headers: { 'x-kyclone-operator': operator } }),
    body,
  });
}

test('hits: one for each hit signal, always the same for one person, different for another', async (service) => {
  const { fp_id, onboarding_id } = await aHit(service);
  const hits = await hitsOf(service, fp_id);
  const codes = (await onboardingOf(service, fp_id).codes()).filter((code) =>
    (HIT_CODES as readonly string[]).includes(code),
  );

  expect(hits.map(({ reason_code }) => reason_code).toSorted()).toEqual(codes.toSorted());
  expect(codes).toContain(OFAC);
  for (const hit of hits) {
    expect(hit).toMatchObject({ onboarding_id, review: null, severity: 'high' });
    expect(hit.score).toBeGreaterThanOrEqual(60);
    expect(hit.score).toBeLessThanOrEqual(99);
    expect(`${hit.list} ${hit.matched_name}`).toMatch(/^\w.+ \w/);
  }
  expect(await hitsOf(service, fp_id, onboarding_id)).toEqual(hits);
  const others = await Promise.all(
    Array.from({ length: 4 }, async () => await hitsOf(service, (await aHit(service)).fp_id)),
  );
  const made = [hits, ...others].map(([hit]) => `${hit?.list} ${hit?.matched_name} ${hit?.score}`);
  expect(new Set(made).size).toBeGreaterThan(1);
});

test('hits: with a seed the same people have the same hits', async () => {
  const seen = [];
  for (let run = 0; run < 2; run += 1) {
    await using service = await startService({ seed: 'a seed' });
    const { fp_id } = await aHit(service);
    seen.push(
      (await hitsOf(service, fp_id)).map(({ list, matched_name, score }) => [list, matched_name, score]),
    );
  }
  expect(seen[1]).toEqual(seen[0]);
});

test('hits: a decision is stored with reason and operator; the last one is valid, for its run only', async (service) => {
  const { fp_id, onboarding_id } = await aHit(service);
  const before = await onboardingOf(service, fp_id).details();

  expect((await decide(service, fp_id, DECISION, 'Ada')).body).toMatchObject({
    review: { ...DECISION, operator: 'Ada' },
  });
  await decide(service, fp_id, { decision: 'confirmed', reason: 'the same photo' });

  const [hit] = (await hitsOf(service, fp_id)).filter(({ reason_code }) => reason_code === OFAC);
  expect(hit?.review).toMatchObject({ decision: 'confirmed', reason: 'the same photo', operator: null });
  expect(await onboardingOf(service, fp_id).details()).toEqual(before);
  const timeline = await service.call('GET /_kyclone/entities/{fp_id}/timeline', {
    params: { fp_id },
    query: { kinds: 'hit' },
  });
  expect(timeline.body.data).toMatchObject([
    { title: `Hit ${OFAC}: confirmed`, by: null, reason: 'the same photo', id: onboarding_id },
    { title: `Hit ${OFAC}: a false positive`, by: 'Ada', reason: DECISION.reason },
  ]);
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  expect((await hitsOf(service, fp_id)).map(({ review }) => review)).toEqual([null, null]);
  expect((await hitsOf(service, fp_id, onboarding_id)).some(({ review }) => review !== null)).toBe(true);
});

test('hits: reason and operator are stored sealed; a deleted user has none', async (service) => {
  const { fp_id } = await aHit(service);
  await decide(service, fp_id, DECISION, 'Adalbertina');
  const rows = () => service.database.prepare('SELECT * FROM hit_reviews').all() as { sealed_note: Buffer }[];
  expect(rows()).toHaveLength(1);
  const text = rows()
    .map((row) => Object.values(row).map(String).join(' '))
    .join(' ');
  expect(text).not.toMatch(/Quillonda|Adalbertina/);
  await onboardingOf(service, fp_id).remove();
  expect(rows()).toEqual([]);
});

test('hits: an unknown hit and a missing reason are refused, and nothing is stored', async (service) => {
  const { fp_id } = await aHit(service);
  const other = await aHit(service);
  const refusal = async (id: string, reason_code: string, body: object) =>
    (await service.refused(REVIEW, { params: { fp_id: id, reason_code }, body })).code;
  expect(await refusal(fp_id, 'name_matches', DECISION)).toBe('not_found');
  expect(await refusal(fp_id, OFAC, { ...DECISION, onboarding_id: other.onboarding_id })).toBe('not_found');
  expect(await refusal(fp_id, OFAC, { ...DECISION, reason: ' \u200b ' })).toBe('invalid_request');
  expect(await refusal(fp_id, OFAC, { ...DECISION, decision: 'maybe' })).toBe('invalid_request');
  const nothing = await service.user(aReadyUser());
  expect(await refusal(nothing, OFAC, DECISION)).toBe('not_found');
  expect(await hitsOf(service, nothing)).toEqual([]);
  expect(service.database.prepare('SELECT count(*) FROM hit_reviews').pluck().get()).toBe(0);
});

test.eachWith([
  ["decision = 'confirmed'"],
  ['onboarding = @onboarding_id, entity = (SELECT id FROM entities WHERE fp_id = @fp_id)'],
])('hits: a decision whose row has %s in the store is refused, and says nothing', async (service, change) => {
  const [from, to] = [await aHit(service), await aHit(service)];
  await decide(service, from.fp_id, DECISION);
  service.database.prepare(`UPDATE hit_reviews SET ${change}`).run(change.includes('@') ? to : {});

  const { fp_id } = change.includes('@') ? to : from;
  const refused = await service.refused(HITS, { params: { fp_id } });

  expect(refused).toMatchObject({ status: 503, code: 'vault_damaged' });
  expect(JSON.stringify(refused)).not.toContain('Quillonda');
});
