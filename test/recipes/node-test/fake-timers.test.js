import assert from 'node:assert/strict';
import { after, afterEach, mock, test } from 'node:test';
import { startKyclone } from 'kyclone/testing';

let kyclone;
afterEach(() => mock.timers.reset());
after(() => kyclone.close());

test('an instance starts and works while the timers of the test are fake', async () => {
  mock.timers.enable();
  kyclone = await startKyclone({ clock: '2026-01-31T12:00:00Z' });
  const { id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  const body = { kind: 'onboarding.completed', fp_id: id };
  await kyclone.client.call('POST /_kyclone/events/trigger', { body });
  await kyclone.waitFor('onboarding.completed', { fp_id: id });
  await kyclone.clock.advance('1d');
  assert.equal((await kyclone.clock.now()).toISOString(), '2026-02-01T12:00:00.000Z');
  await kyclone.reset();
});

test('and the next test has real timers again', async () => {
  const { id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  assert.equal(id.startsWith('fp_'), true);
});
