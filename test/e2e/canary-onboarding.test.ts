/**
 * The canary in onboarding: bootstrap data of hosted flows, notes of reviewers, values that rules compare with, webhook
 * secrets and partner credentials. No file that the daemon wrote, no journal entry, no stream message and no event
 * holds it.
 */
import { expect, test } from 'vitest';
import '../support/tier-all.ts';
import {
  aStage,
  countKept,
  DIGITS,
  filesWith,
  leaksBelow,
  leaksIn,
  MAIL,
  PHONE,
  sealedIn,
  WORD,
} from './canary.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../support/builders.ts';
import { until, type Kycloned, type Response } from '../support/kycloned.ts';
import { done } from '../support/kycloned-calls.ts';
import { jsonTarget, startTarget } from '../support/targets.ts';
import { words } from '../support/words.ts';

/** The masks of business names, cities and similar values show them, so these values hold no canary (contract §1). */
const PERSON = aReadyUser({
  'id.first_name': WORD,
  'id.last_name': `${WORD}son`,
  'id.ssn9': DIGITS,
  'id.phone_number': PHONE,
  'id.address_line1': `PO Box ${DIGITS}`,
  'custom.note': MAIL,
});
const COMPANY = aReadyBusiness({ 'business.tin': DIGITS });
const SECRET = `whsec_${Buffer.alloc(32, 'Zyxwv').toString('base64')}`;

/** Starts a receiver that accepts what partners get, and refuses webhooks. */
const aReceiver = () =>
  startTarget({
    handler: (request, response) =>
      jsonTarget({ [WORD]: DIGITS, error: WORD }, { status: request.path.startsWith('/v1/') ? 200 : 500 })(
        request,
        response,
      ),
  });

/** Goes through onboarding in each way, with success and with failure. */
async function onboard(daemon: Kycloned, host: string): Promise<Response[]> {
  const replies: Response[] = [];
  const noted = (send: Kycloned['call']) => async (method: string, path: string, body?: unknown) => {
    const reply = await send(method, path, { body });
    replies.push(reply);
    return reply;
  };
  const [api, control] = [noted(daemon.call), noted(daemon.control)];

  await done(control('PATCH', '/_kyclone/settings', { events: { extended: true } }));
  await done(control('POST', '/_kyclone/webhooks', { url: `http://${host}/hooks`, secret: SECRET }));
  const rule = {
    match: { identifier: { name: 'id.last_name', equals: `${WORD}son` } },
    outcome: 'manual_review',
  };
  await done(control('POST', '/_kyclone/outcomes', rule));

  const user = (await done(api('POST', '/users', PERSON)))['id'] as string;
  expect((await done(api('POST', `/users/${user}/kyc`, { key: KYC })))['requires_manual_review']).toBe(true);
  const note = { status: 'pass', annotation: `${WORD} ${DIGITS}`, reviewer_email: MAIL };
  await done(api('POST', `/users/${user}/decisions`, note));
  const cip = { default_approver: WORD };
  await done(api('POST', `/users/${user}/integrations/partner_a/cip_report`, cip));
  const credentials = { account_id: 'a-1', api_key: WORD, api_secret: DIGITS, hostname: host };
  await done(api('POST', `/users/${user}/integrations/partner_b/cip`, { ...cip, ...credentials }));
  const nowhere = { ...cip, ...credentials, hostname: '127.0.0.1:1' };
  expect((await api('POST', `/users/${user}/integrations/partner_b/cip`, nowhere)).status).toBe(502);
  const partner = { ...cip, ...credentials, hostname: `${WORD}.example` };
  await done(api('POST', `/users/${user}/integrations/partner_b/cip`, partner));

  const begun = { key: KYB, bootstrap_data: { ...PERSON, ...COMPANY } };
  const session = (await done(api('POST', '/onboarding/session', begun)))['token'] as string;
  const completed = await done(control('POST', '/_kyclone/sessions/complete', { token: session }));
  await done(
    api('POST', '/onboarding/session/validate', { validation_token: completed['validation_token'] }),
  );
  await api('POST', '/onboarding/session', { key: KYC, bootstrap_data: { 'id.dob': WORD } });
  await api('POST', '/onboarding/session', { key: WORD });
  // Nobody completes this session; its data stays in the store.
  await done(api('POST', '/onboarding/session', { key: KYC, bootstrap_data: PERSON }));
  await control('POST', '/_kyclone/sessions/complete', { token: WORD, data: PERSON });
  await control('POST', '/_kyclone/outcomes', {
    match: { identifier: { name: 'id.nobody', equals: WORD } },
    outcome: 'fail',
  });
  await done(control('PUT', '/_kyclone/clock', { action: 'advance', by: '10m' }));
  return replies;
}

test('canary: what onboarding is given is in no file, journal, stream or event', async () => {
  await using receiver = await aReceiver();
  const { home, start } = aStage();
  const daemon = await start();

  const replies = await onboard(daemon, `127.0.0.1:${receiver.port}`);

  // The value reached the receiver; otherwise a search that finds nothing would prove nothing.
  expect(receiver.requests.some(({ body }) => body.includes(DIGITS))).toBe(true);
  await until('attempts of deliveries', async () => {
    const { body } = await daemon.control('GET', '/_kyclone/deliveries');
    return (body['data'] as { attempt: number }[]).every(({ attempt }) => attempt > 0);
  });
  const shown = [];
  for (const path of words`
    /_kyclone/requests?page_size=100 /_kyclone/stream?follow=false /_kyclone/events?page_size=100
    /_kyclone/deliveries?page_size=100 /_kyclone/outcomes /_kyclone/webhooks /_kyclone/access-log
  `) {
    const reply = await daemon.control('GET', path);
    expect([path, reply.status]).toEqual([path, 200]);
    // The access log returns the reason of an action. The store and the stream never have it in clear.
    const text = reply.text.replaceAll(`"reason":"${WORD} ${DIGITS}"`, '');
    shown.push({ path, text: path === '/_kyclone/access-log' ? text : reply.text });
  }
  expect(shown.flatMap(({ path, text }) => leaksIn(path, Buffer.from(text)))).toEqual([]);
  const failures = replies.filter(({ status }) => status >= 400);
  expect(failures.length).toBeGreaterThan(4);
  expect(failures.flatMap(({ text }) => leaksIn('a failure', Buffer.from(text)))).toEqual([]);
  const secret = SECRET.slice('whsec_'.length);
  expect(leaksBelow(home)).toEqual([]);
  expect(filesWith(home, secret)).toEqual([]);
  expect(daemon.stderr()).not.toContain(WORD);

  await daemon.stop();
  expect(leaksBelow(home)).toEqual([]);
  expect(filesWith(home, secret)).toEqual([]);
});

test('canary: of a deleted user no sealed byte stays, of notes and sessions neither', async () => {
  const { home, start } = aStage();
  const first = await start();
  const ok = (method: string, path: string, body?: unknown) => done(first.call(method, path, { body }));
  const user = (await ok('POST', '/users', PERSON))['id'] as string;
  await ok('POST', `/users/${user}/kyc`, { key: KYC });
  await ok('POST', `/users/${user}/decisions`, { status: 'fail', annotation: WORD, reviewer_email: MAIL });
  const bootstrap_data = { 'id.middle_name': WORD };
  for (const key of [KYC, KYB]) {
    await ok('POST', '/onboarding/session', { key, fp_id: user, bootstrap_data, allow_reonboard: true });
  }
  await first.stop();
  const sealed = sealedIn(
    first,
    `SELECT sealed_note FROM decisions WHERE sealed_note IS NOT NULL
       UNION ALL SELECT sealed_request FROM onboarding_sessions UNION ALL SELECT sealed FROM vault_values`,
  );
  const kept = () => countKept(home, sealed);
  expect(sealed.length).toBeGreaterThan(3);
  expect(kept()).toBe(sealed.length);

  const daemon = await start();
  expect((await daemon.call('DELETE', `/users/${user}`)).status).toBe(200);
  await until('the sealed bytes are gone', () => kept() === 0);
  await daemon.stop();
  expect(kept()).toBe(0);
});
