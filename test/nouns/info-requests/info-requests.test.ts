/** What somebody has asked a user for, and the link that asks for it (contract §11, §14). */
import { expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { aPng, aReadyUser, KYC } from '../../support/builders.ts';
import { enter } from '../../support/hosted-samples.ts';
import { eventsOfKind, onboardingOf } from '../../support/runs.ts';
import { failureOf, startService, type TestService } from '../../support/service.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const REQUEST = 'POST /_kyclone/entities/{fp_id}/request_info';
const COMPLETE = 'POST /_kyclone/sessions/complete';

const ask = async (service: TestService, fp_id: string, body: RequestOf<typeof REQUEST>['body']) =>
  (await service.call(REQUEST, { params: { fp_id }, body })).body;
const required = async (service: TestService, fp_id: string) =>
  (await service.call('GET /users/{fp_id}', { params: { fp_id } })).body.requires_additional_info;
const link = async (
  service: TestService,
  fp_id: string,
  body: RequestOf<'POST /users/{fp_id}/token'>['body'] = { kind: 'onboard', key: KYC },
) => (await service.call('POST /users/{fp_id}/token', { params: { fp_id }, body })).body.token;
const flowOf = async (service: TestService, as: string) =>
  (await service.call('GET /hosted/session', { as })).body;

test('request_info: the user shows it, a newer one replaces it, and it emits its event', async () => {
  await using service = await startService({ settings: { events: { extended: true } } });
  const { id: fp_id } = (await service.call('POST /users', { headers: { 'x-external-id': 'customer-1' } }))
    .body;
  expect(await required(service, fp_id)).toBeNull();

  await ask(service, fp_id, { note: 'an earlier one' });
  const request = await ask(service, fp_id, {
    note: 'A proof of your address',
    document: 'proof_of_address',
    fields: ['id.ssn9', 'id.ssn9'],
  });

  expect(request).toEqual({
    timestamp: '2026-03-01T12:00:00.000Z',
    note: 'A proof of your address',
    operator: null,
    document: 'proof_of_address',
    fields: ['id.ssn9'],
  });
  const shown = { timestamp: '2026-03-01T12:00:00.000Z', note: 'A proof of your address' };
  expect(await required(service, fp_id)).toEqual(shown);
  const inspected = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(inspected.body.requires_additional_info).toEqual(shown);
  expect(await eventsOfKind(service, 'user.info_requested')).toMatchObject([
    { note: 'an earlier one' },
    { external_id: 'customer-1', note: 'A proof of your address', fp_id },
  ]);
});

test('request_info: neither note nor fields are in the store in the clear, nor in that of the event', async () => {
  await using service = await startService({ settings: { events: { extended: true } } });
  const fp_id = await service.user({});
  await ask(service, fp_id, { note: 'Papers of Zanzibar', fields: ['custom.zanzibar_field'] });

  expect(bytesOf(service.database).toString('latin1')).not.toMatch(/zanzibar/i);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  expect(service.database.prepare('SELECT count(*) FROM info_requests').pluck().get()).toBe(0);
});

test('request_info: the next link asks for exactly that, runs nothing, and closes the request', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const { run } = onboardingOf(service, fp_id);
  const before = await run({ fixture_result: 'fail' });
  await ask(service, fp_id, {
    note: 'Your passport',
    document: 'passport',
    fields: ['id.ssn9', 'custom.iban'],
  });

  const as = await enter(
    service,
    await link(service, fp_id, { kind: 'onboard', key: KYC, allow_reonboard: true }),
  );
  const flow = await flowOf(service, as);
  expect(flow).toMatchObject({
    note: 'Your passport',
    steps: ['identify', 'data', 'document', 'review'],
    document: { kinds: ['passport'] },
  });
  const asked = flow.screens.map(({ name, groups }) => [name, groups.map(({ identifiers }) => identifiers)]);
  expect(asked).toEqual([
    ['tax', [['id.ssn9']]],
    ['more', [['custom.iban']]],
  ]);
  const send = (step: string, body: unknown) =>
    service.send({
      method: 'POST',
      path: `/hosted/session/${step}`,
      headers: { 'x-fp-authorization': as },
      body,
    });
  await send('data', { screen: 'tax', data: { 'id.ssn9': '121-12-1213' } });
  await send('data', { screen: 'more', data: { 'custom.iban': 'DE89370400440532013000' } });
  await send('document', { kind: 'passport', country: 'US' });
  expect(await required(service, fp_id)).toMatchObject({ note: 'Your passport' });
  expect((await send('complete', {})).body).toMatchObject({ code: 'T121' });
  await service.send({
    method: 'POST',
    path: '/hosted/session/document/front',
    headers: { 'x-fp-authorization': as, 'content-type': 'image/png' },
    body: aPng(),
  });
  await send('consent', { consent: true });
  const ended = (await send('complete', {})).body as { validation_token: string };

  expect(await required(service, fp_id)).toBeNull();
  expect(await vaultOf(service, fp_id).decrypt(['id.ssn9', 'custom.iban'])).toEqual({
    'id.ssn9': '121121213',
    'custom.iban': 'DE89370400440532013000',
  });
  const { body } = await service.call('POST /onboarding/session/validate', {
    body: { validation_token: ended.validation_token },
  });
  expect(body.user).toMatchObject({ onboarding_id: before.onboarding_id, status: 'fail' });
  const next = await flowOf(
    service,
    await link(service, fp_id, { kind: 'onboard', key: KYC, allow_reonboard: true }),
  );
  expect(next).toMatchObject({ note: null, steps: ['identify', 'review', 'outcome'] });
});

test.eachWith(['user', 'document', 'onboard', 'inherit'] as const)(
  'request_info: a link of kind %s asks for it, and completing it without a page needs it all',
  async (service, kind) => {
    const fp_id = await service.user(aReadyUser({ 'id.ssn9': undefined }));
    if (kind === 'inherit') await enter(service, await link(service, fp_id));
    await ask(service, fp_id, { note: 'Your tax number', fields: ['id.ssn9'] });
    const token = await link(service, fp_id, kind === 'onboard' ? { kind, key: KYC } : { kind });

    expect(await service.refused(COMPLETE, { body: { token } })).toMatchObject({
      code: 'T121',
      context: { 'id.ssn9': 'was asked for' },
    });
    expect(
      await service.refused(COMPLETE, {
        body: { token, data: { 'id.ssn9': '121-12-1213' }, fixture_result: 'pass' },
      }),
    ).toMatchObject({ status: 400, message: expect.stringContaining('fixture_result') as string });
    await service.call(COMPLETE, { body: { token, data: { 'id.ssn9': '121-12-1213' } } });

    expect(await required(service, fp_id)).toBeNull();
    const ended = service.database.prepare("SELECT count(*) FROM onboardings WHERE status <> 'incomplete'");
    expect(ended.pluck().get()).toBe(0);
  },
);

test('request_info: somebody who is recognised is asked for it, and update_auth_methods is not', async (service) => {
  const contact = { 'id.email': 'returning@hosted.example' };
  const fp_id = await service.user(aReadyUser(contact));
  await ask(service, fp_id, { note: 'Your tax number', fields: ['id.ssn9'] });
  const { token: as } = (await service.call('POST /onboarding/session', { body: { key: KYC } })).body;
  await service.call('POST /hosted/session/identify', { as, body: { data: contact } });
  expect((await flowOf(service, as)).note).toBeNull();
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });

  expect((await flowOf(service, as)).note).toBe('Your tax number');
  expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(0);
  const other = await link(service, fp_id, { kind: 'update_auth_methods' });
  expect((await flowOf(service, other)).steps).toEqual(['identify']);
});

test.eachWith<[string, object, string]>([
  ['a blank note', { note: ' ' }, 'note'],
  ['too long a note', { note: 'x'.repeat(1001) }, 'note'],
  ['an unknown field', { note: 'x', fields: ['id.shoe_size'] }, 'id.shoe_size'],
  ['a field of a business', { note: 'x', fields: ['business.name'] }, 'business.name'],
  [
    'a file as a field',
    { note: 'x', fields: ['document.passport.front.image'] },
    'document.passport.front.image',
  ],
])('request_info: %s is 400, and asks for nothing', async (service, _, body, named) => {
  const fp_id = await service.user({});

  const refusal = await service.refused(REQUEST, { params: { fp_id }, body });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
  expect(await required(service, fp_id)).toBeNull();
});

test('request_info: a business is 404', async (service) => {
  const params = { fp_id: await service.business() };

  const refusal = await service.refused(REQUEST, { params, body: { note: 'x' } });

  expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
});
