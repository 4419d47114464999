import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { aPng, aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { contentOf, snapshotPath } from '../../support/snapshot-samples.ts';
import { test } from '../../support/test-with.ts';
import { vaultOf } from '../../support/vault-calls.ts';

const params = { name: 'before' };

test('load: values, files, tokens and the access log are as they were saved', async (service) => {
  const fp_id = await service.user({ 'id.first_name': 'Canary-71' });
  await service.upload(fp_id, 'document.passport.front.image', aPng());
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  await service.user();

  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  const fields = ['id.first_name', 'document.passport.front.image'];
  expect(await vaultOf(service, fp_id).decrypt(fields)).toEqual({
    'id.first_name': 'Canary-71',
    'document.passport.front.image': aPng().toString('base64'),
  });
  expect((await service.call('GET /users')).body.data).toHaveLength(1);
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});

test('load: restores notes, decisions on hits and choices on a bank page, none in the clear in the file', async (service) => {
  const fp_id = await service.user(aReadyUser({ 'id.first_name': 'Canary-71' }));
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  const ofUser = { params: { fp_id } };
  const noted = await service.call('POST /_kyclone/entities/{fp_id}/notes', {
    ...ofUser,
    body: { text: 'called about Canary-71' },
  });
  const hit = { params: { fp_id, reason_code: 'watchlist_hit_ofac' as const } };
  await service.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    ...hit,
    body: { decision: 'false_positive', reason: 'not Canary-71' },
  });
  const { intent_token: as } = (await service.call('POST /_kyclone/bank_link_intents', { body: { fp_id } }))
    .body;
  await service.call('POST /hosted/session/bank', { as, body: { institution: 'Bank of Canary-71' } });
  const all = async () => ({
    notes: (await service.call('GET /_kyclone/entities/{fp_id}/notes', ofUser)).body,
    hits: (await service.call('GET /_kyclone/entities/{fp_id}/hits', ofUser)).body,
    flow: (await service.call('GET /hosted/session', { as })).body,
  });
  const before = await all();
  expect(JSON.stringify(before).match(/Canary-71/g)).toHaveLength(3);
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  for (const file of [readFileSync(snapshotPath(service)), await contentOf(service)])
    expect(file.includes('Canary-71')).toBe(false);
  const note = { params: { fp_id, note_id: noted.body.id } };
  await service.call('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', note);
  await service.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    ...hit,
    body: { decision: 'confirmed', reason: 'it is' },
  });
  await service.call('POST /hosted/session/bank/cancel', { as });
  expect(await all()).not.toEqual(before);

  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  expect(await all()).toEqual(before);
});

test('load: seeded ids continue as after the save', async (service) => {
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  const first = await service.user();

  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  expect(await service.user()).toBe(first);
});

test('diff: what changed is named, without its values', async (service) => {
  const fp_id = await service.user({ 'id.first_name': 'Canary-71' });
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await service.call('PATCH /users/{fp_id}/vault', {
    params: { fp_id },
    body: { 'id.first_name': 'Canary-72', 'id.email': 'canary@example.com' },
  });

  const { body } = await service.call('GET /_kyclone/snapshots/{name}/diff', { params });

  expect(body.entities).toEqual([
    {
      id: fp_id,
      change: 'changed',
      identifiers: { added: ['id.email'], removed: [], changed: ['id.first_name'] },
      also: [],
    },
  ]);
});
