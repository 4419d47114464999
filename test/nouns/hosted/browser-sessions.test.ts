/** Sessions that pages start with the public key of a playbook, or fill in (contract §14). */
import { expect } from 'vitest';
import { KYC } from '../../support/builders.ts';
import { aFlow, agree, atEnd, verify } from '../../support/hosted-samples.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { vaultOf } from '../../support/vault-calls.ts';

test('POST /hosted/browser/session: it acts for an enabled key that may onboard, and ends with that key', async (service) => {
  const start = () => service.call('POST /hosted/browser/session', { body: { key: KYC } });
  const { data: keys } = (await service.call('GET /_kyclone/api-keys', { query: {} })).body;
  for (const { id } of keys) {
    await service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
  }
  const create = async (permissions: 'onboard' | 'vault.write') =>
    (
      await service.call('POST /_kyclone/api-keys', {
        body: { name: permissions, permissions: [permissions] },
      })
    ).body.id;
  await create('vault.write');
  const refused = await service.refused('POST /hosted/browser/session', { body: { key: KYC } });
  expect(refused.code).toBe('playbook_unknown');

  const id = await create('onboard');
  const { token } = (await start()).body;
  expect((await service.call('GET /hosted/session', { as: token })).body.state).toBe('open');
  await service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
  expect((await service.refused('GET /hosted/session', { as: token })).code).toBe('unauthenticated');
});

test('PATCH /hosted/browser/session: it adds what the server did not give, also to a flow that goes on', async (service) => {
  const token = await aFlow(service, { bootstrap_data: { 'id.last_name': 'Server' } });
  const body = { bootstrap_data: { 'id.first_name': 'Page', 'id.last_name': 'Page' } };
  await service.call('PATCH /hosted/browser/session', { as: token, body });
  await verify(service, token);
  const { values } = (await service.call('GET /hosted/session', { as: token })).body;
  expect(values).toMatchObject({ 'id.first_name': 'Page', 'id.last_name': 'Server' });
});

/** A person who passed the default playbook: `id.ssn9` is 121121212. */
async function somebody(service: TestService, email: string): Promise<string> {
  const as = await atEnd(service, await aFlow(service), email);
  await service.call('POST /hosted/session/complete', { as, body: { fixture_result: 'pass' } });
  return (await service.call('GET /users')).body.data[0]?.id ?? '';
}

test('POST /hosted/browser/session: without a credential it replaces nothing that a known person has stored', async (service) => {
  const email = 'known@hosted.example';
  const fp_id = await somebody(service, email);
  const { key } = (
    await service.call('POST /_kyclone/playbooks', {
      body: { name: 'Two', kind: 'kyc', requirements: [['id.first_name'], ['id.ssn9'], ['id.nationality']] },
    })
  ).body;
  const bootstrap_data = { 'id.first_name': 'Mallory', 'id.ssn9': '412739856' };
  const { token: as } = (
    await service.call('POST /hosted/browser/session', { body: { key, bootstrap_data } })
  ).body;
  await verify(service, as, email);
  const { screens, values } = (await service.call('GET /hosted/session', { as })).body;
  expect(values).toEqual({});
  expect(screens.flatMap(({ groups }) => groups.flatMap(({ identifiers }) => identifiers))).toEqual([
    'id.nationality',
  ]);
  const body = { screen: screens[0]?.name ?? '', data: { 'id.nationality': 'DE' } };
  await service.call('POST /hosted/session/data', { as, body });
  await agree(service, as);
  const { flow } = (
    await service.call('POST /hosted/session/complete', { as, body: { fixture_result: 'pass' } })
  ).body;
  expect(flow.result).toMatchObject({ status: 'pass' });

  const fields = ['id.first_name', 'id.ssn9', 'id.nationality'];
  expect(await vaultOf(service, fp_id).decrypt(fields)).toEqual({
    'id.first_name': 'Wilhelmina',
    'id.ssn9': '121121212',
    'id.nationality': 'DE',
  });
});
