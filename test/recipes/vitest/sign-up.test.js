import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startKyclone } from 'kyclone/testing';
import { createSignUp } from './sign-up.js';

const PLAYBOOK = 'pb_test_kycdefault000000000000';
const jane = {
  'id.first_name': 'Jane',
  'id.last_name': 'Example',
  'id.dob': '1988-12-30',
  'id.ssn9': '121-12-1212',
  'id.email': 'jane@example.com',
  'id.phone_number': '+14155550123',
  'id.address_line1': '1 Loop Road',
  'id.city': 'San Francisco',
  'id.state': 'CA',
  'id.zip': '94117',
  'id.country': 'US',
};

let kyclone;
let signUp;
beforeAll(async () => {
  kyclone = await startKyclone({ seed: 'sign-up', clock: '2026-01-31T12:00:00Z' });
  signUp = createSignUp({ url: kyclone.url, apiKey: kyclone.apiKey, playbook: PLAYBOOK });
});
beforeEach(() => kyclone.reset());
afterAll(() => kyclone.close());

test('a person who signs up is verified, and the event says so', async () => {
  const user = await signUp(jane);
  expect(user.status).toBe('pass');
  const event = await kyclone.waitFor('onboarding.completed', { fp_id: user.id });
  expect(event.body.status).toBe('pass');
});

test('a person who is refused hears of it', async () => {
  const body = { match: { playbook_key: PLAYBOOK }, outcome: 'fail' };
  await kyclone.client.call('POST /_kyclone/outcomes', { body });
  expect((await signUp(jane)).status).toBe('fail');
});

test('a service that is down is not taken for a refusal', async () => {
  await kyclone.faults.add({ status: 503, times: 1 }, { path: '/users/*/kyc' });
  await expect(signUp(jane)).rejects.toThrow(/answered 503/);
});

test('an answer that takes a day is waited for', async () => {
  const body = { match: { playbook_key: PLAYBOOK }, outcome: 'pass', delay_ms: 86_400_000 };
  await kyclone.client.call('POST /_kyclone/outcomes', { body });
  const user = await signUp(jane);
  expect(user.status).toBe('pending');
  await kyclone.clock.advance('1d');
  const event = await kyclone.waitFor('onboarding.completed', { fp_id: user.id });
  expect(event.at).toBe('2026-02-01T12:00:00.000Z');
});
