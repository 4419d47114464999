import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
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
before(async () => {
  kyclone = await startKyclone({ seed: 'sign-up', clock: '2026-01-31T12:00:00Z' });
  signUp = createSignUp({ url: kyclone.url, apiKey: kyclone.apiKey, playbook: PLAYBOOK });
});
beforeEach(() => kyclone.reset());
after(() => kyclone.close());

test('a person who signs up is verified, and the event says so', async () => {
  const user = await signUp(jane);
  assert.equal(user.status, 'pass');
  const event = await kyclone.waitFor('onboarding.completed', { fp_id: user.id });
  assert.equal(event.body.status, 'pass');
});

test('a person who is refused hears of it', async () => {
  const body = { match: { playbook_key: PLAYBOOK }, outcome: 'fail' };
  await kyclone.client.call('POST /_kyclone/outcomes', { body });
  assert.equal((await signUp(jane)).status, 'fail');
});

test('a service that is down is not taken for a refusal', async () => {
  await kyclone.faults.add({ status: 503, times: 1 }, { path: '/users/*/kyc' });
  await assert.rejects(signUp(jane), /answered 503/);
});

test('an answer that takes a day is waited for', async () => {
  const body = { match: { playbook_key: PLAYBOOK }, outcome: 'pass', delay_ms: 86_400_000 };
  await kyclone.client.call('POST /_kyclone/outcomes', { body });
  const user = await signUp(jane);
  assert.equal(user.status, 'pending');
  await kyclone.clock.advance('1d');
  const event = await kyclone.waitFor('onboarding.completed', { fp_id: user.id });
  assert.equal(event.at, '2026-02-01T12:00:00.000Z');
});
