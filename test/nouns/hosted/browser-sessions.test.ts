/** Sessions that pages start with the public key of a playbook, or fill in (contract §14). */
import { expect, test } from 'vitest';
import { KYC } from '../../support/builders.ts';
import { aFlow, verify } from '../../support/hosted-samples.ts';
import { startService } from '../../support/service.ts';

test('POST /hosted/browser/session: it acts for an enabled key that may onboard, and ends with that key', async () => {
  await using service = await startService();
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

test('PATCH /hosted/browser/session: it adds what the server did not give, also to a flow that goes on', async () => {
  await using service = await startService();
  const token = await aFlow(service, { bootstrap_data: { 'id.last_name': 'Server' } });
  const body = { bootstrap_data: { 'id.first_name': 'Page', 'id.last_name': 'Page' } };
  await service.call('PATCH /hosted/browser/session', { as: token, body });
  await verify(service, token);
  const { values } = (await service.call('GET /hosted/session', { as: token })).body;
  expect(values).toMatchObject({ 'id.first_name': 'Page', 'id.last_name': 'Server' });
});
