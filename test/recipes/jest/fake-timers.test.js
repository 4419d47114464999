const { startKyclone } = require('kyclone/testing');

let kyclone;
afterEach(() => jest.useRealTimers());
afterAll(() => kyclone.close());

test('an instance starts and works while the timers of the test are fake', async () => {
  jest.useFakeTimers();
  kyclone = await startKyclone({ clock: '2026-01-31T12:00:00Z' });
  const { id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  const body = { kind: 'onboarding.completed', fp_id: id };
  await kyclone.client.call('POST /_kyclone/events/trigger', { body });
  await kyclone.waitFor('onboarding.completed', { fp_id: id });
  await kyclone.clock.advance('1d');
  expect((await kyclone.clock.now()).toISOString()).toBe('2026-02-01T12:00:00.000Z');
  await kyclone.reset();
});

test('and the next test has real timers again', async () => {
  const { id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  expect(id.startsWith('fp_')).toBe(true);
});
