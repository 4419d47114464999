/** The real service with something of everything that a screen shows, and the values that no screen may show. */
import { expect } from 'vitest';
import type { ScreenPlace } from '../../src/tui/state/model.ts';
import { answering, aReceiver, COMPLETED, settled, TRIGGER } from '../nouns/webhooks/a-receiver.ts';
import { bankOf } from '../support/bank-links.ts';
import { aPng } from '../support/builders.ts';
import { startProxy } from '../support/proxy-calls.ts';
import { onboardingOf } from '../support/runs.ts';
import { jsonTarget, startTarget } from '../support/targets.ts';
import { vaultOf } from '../support/vault-calls.ts';
import { aSource } from './screens/a-source.ts';

export const FRONT = 'document.passport.front.image';

/**
 * For each family, and each kind of mask that hides something: the value that was sent, and the parts that must stay
 * hidden.
 */
const HIDDEN_OF_USER: Readonly<Record<string, readonly [value: unknown, ...hidden: string[]]>> = {
  'id.first_name': ['Quillonda', 'Quillonda'],
  'id.middle_name': ['Bravissa', 'Bravissa'],
  'id.last_name': ['Oyelzarin', 'Oyelzarin'],
  'id.address_line1': ['742 Zephyrgate Lane', 'Zephyrgate'],
  'id.dob': ['1988-12-30', '1988-12-30'],
  'id.ssn9': ['412-73-9856', '412739856', '412-73', '412739'],
  'id.email': ['person.kept.private@zephyr.example', 'person.kept.private'],
  'id.phone_number': ['+1 (415) 555-2671', '4155552671', '555-2671', '415555'],
  'id.drivers_license_number': ['D993817726455', 'D993817726455', 'D99381'],
  'card.main.number': ['4929035172648806', '4929035172648806', '4929035172'],
  'card.main.cvc': ['7391', '7391'],
  'card.main.name': ['Cardwynna Holderby', 'Cardwynna', 'Holderby'],
  'bank.salary.ach_account_number': ['90351726488', '90351726488', '9035172'],
  'document.passport.full_name': ['Passportia Nomen', 'Passportia', 'Nomen'],
  'document.passport.document_number': ['XK55819027', 'XK55819027', 'XK5581'],
  'document.passport.dob': ['1987-11-29', '1987-11-29'],
  'investor_profile.annual_income': ['gt300k_le500k', 'gt300k'],
  'investor_profile.net_worth': ['gt1m_le5m', 'gt1m'],
  'investor_profile.family_member_names': [['Zorblatina Firstborn'], 'Zorblatina', 'Firstborn'],
  'custom.note': ['a note on Marzipanova', 'Marzipanova'],
  'custom.nested': [{ deep: ['Nestorianus'], Keyword: 1 }, 'Nestorianus', 'Keyword'],
};
const HIDDEN_OF_BUSINESS: typeof HIDDEN_OF_USER = {
  'business.tin': ['84-7261935', '847261935', '84-726', '84726'],
  'business.phone_number': ['+14155559318', '4155559318'],
  'business.beneficial_owner_explanation_message': ['owned by Explanatoria', 'Explanatoria'],
  'business.beneficial_owners': [
    [{ first_name: 'Ownerina', last_name: 'Stakeholm', ownership_stake: 30 }],
    'Ownerina',
    'Stakeholm',
  ],
  'custom.memo': ['a memo on Memorandia', 'Memorandia'],
};
/** These values are shown unmasked. Nothing could be run without them. */
const SHOWN_OF_USER = { 'id.city': 'Enclave', 'id.state': 'CA', 'id.zip': '94117', 'id.country': 'US' };
const SHOWN_OF_BUSINESS = {
  'business.name': 'Acme Incorporated',
  'business.address_line1': '1 Main Street',
  'business.city': 'Enclave',
  'business.state': 'CA',
  'business.zip': '94105',
  'business.country': 'US',
  'business.website': 'https://acme.example',
};
const OF_OTHERS: typeof HIDDEN_OF_USER = {
  'id.itin': ['912-70-4431', '912704431', '912-70'],
  'id.first_name': ['Twinsetta', 'Twinsetta'],
};
const EARLIER = 'Formeria';
const FROM_TARGET = 'Ingressia';
const IN_IMAGE = 'Pixelbytes';

const valuesOf = (table: typeof HIDDEN_OF_USER): Record<string, unknown> =>
  Object.fromEntries(Object.entries(table).map(([identifier, [value]]) => [identifier, value]));
const hiddenOf = (table: typeof HIDDEN_OF_USER): string[] =>
  Object.values(table).flatMap(([, ...hidden]) => hidden);

/** The texts that no masked screen may hold. */
export const HIDDEN: readonly string[] = [
  ...[HIDDEN_OF_USER, HIDDEN_OF_BUSINESS, OF_OTHERS].flatMap(hiddenOf),
  EARLIER,
  FROM_TARGET,
  IN_IMAGE,
  Buffer.from(IN_IMAGE).toString('base64').slice(0, 10),
];
/** Digits alone could also be part of an id, a port or a time, so they must stand apart. */
const PATTERNS = HIDDEN.map((text) => ({
  text,
  pattern: new RegExp(
    /^\d+$/.test(text) ? `(?<![\\w:.])${text}(?![\\w])` : text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    'i',
  ),
}));

/** Returns the hidden values that a text contains. */
export function hiddenIn(text: string): readonly string[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(text)).map((each) => each.text);
}

/** The names of all screens, each filled from this service. */
export const PLACES = [
  ...(['users', 'businesses', 'found', 'user', 'business', 'banks', 'bank', 'events', 'event'] as const),
  ...(['deliveries', 'delivery', 'requests', 'request', 'proxy', 'clock', 'snapshots'] as const),
  ...(['comparison', 'run', 'reviews', 'webhooks', 'outcomes', 'playbooks', 'keys', 'access'] as const),
] as const;
export type PlaceName = (typeof PLACES)[number];

export async function aFullWorld() {
  const proxy = await startProxy();
  const { service } = proxy;
  const taking = await aReceiver(service);
  const refusing = await aReceiver(service, { handler: answering(500), takesAnything: true });
  const user = await service.user({
    ...SHOWN_OF_USER,
    ...valuesOf(HIDDEN_OF_USER),
    'id.first_name': EARLIER,
  });
  await vaultOf(service, user).write({ 'id.first_name': 'Quillonda' });
  await service.upload(user, FRONT, Buffer.concat([aPng(), Buffer.from(IN_IMAGE)]));
  await service.upload(user, FRONT, Buffer.concat([aPng(), Buffer.from(`${IN_IMAGE} again`)]));
  const onboarding = onboardingOf(service, user);
  const run = await onboarding.run({ fixture_result: 'manual_review', onboarding_external_id: 'case 12' });
  await onboarding.decide({ status: 'fail', annotation: 'not her', reviewer_email: 'ada@desk.example' });
  const twin = await service.user({ ...SHOWN_OF_USER, 'id.ssn9': '412-73-9856' });
  await service.user(valuesOf(OF_OTHERS));
  const onUser = { params: { fp_id: user } };
  await service.call('POST /users/{fp_id}/label', { ...onUser, body: { kind: 'offboard_fraud' } });
  await service.call('POST /users/{fp_id}/tags', { ...onUser, body: { tag: 'wave 2' } });
  await service.send({
    method: 'POST',
    path: `/_kyclone/entities/${user}/notes`,
    headers: { 'x-kyclone-operator': 'Ada' },
    body: { text: 'asks for her card' },
  });
  const link = await bankOf(service).link(user, { persona: 'default', external_id: 'bank of hers' });
  await service.token(user, { scope: 'decrypt', fields: ['id.dob', 'id.email'], ttl: 60 });
  await vaultOf(service, user).decrypt(['id.dob', 'id.email'], { reason: 'ticket 4711' });
  const business = await service.business({ ...SHOWN_OF_BUSINESS, ...valuesOf(HIDDEN_OF_BUSINESS) });
  await service.call('POST /businesses/{fp_bid}/owners', {
    params: { fp_bid: business },
    body: { fp_id: user, ownership_stake: 60 },
  });
  await onboardingOf(service, business).run({ fixture_result: 'manual_review' });
  await using target = await startTarget({ handler: jsonTarget({ name: FROM_TARGET }, { status: 201 }) });
  const { requestId } = await proxy.jit({
    target: `${target.url}/check`,
    reason: 'a check',
    id: user,
    forward: { 'content-type': 'application/json' },
    rules: [`${user}.document.passport.first_name=$.name`, `${user}.custom.absent=$.absent`],
    body: `{"ssn":"{{ ${user}.id.ssn9 }}","card":"{{ ${user}.card.main.number }}"}`,
  });
  await service.send({ method: 'POST', path: '/user', body: { 'id.ssn9': '412-73-9856' } });
  const { body: event } = await service.call(TRIGGER, { body: { kind: COMPLETED, fp_id: user } });
  await settled(service);
  const { body } = await service.call('GET /_kyclone/deliveries', {
    query: { event_id: event.id, webhook_id: refusing.id },
  });
  const delivery = body.data[0]?.id ?? '';
  expect(delivery).not.toBe('');
  await service.call('POST /_kyclone/faults', {
    body: { match: { method: 'GET', path: '/never/*' }, status: 503, times: 2 },
  });
  await service.call('POST /_kyclone/outcomes', {
    body: { match: { external_id: 'never-*' }, outcome: 'step_up', times: 3 },
  });
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'before-lunch' } });
  const at = (screen: ScreenPlace['screen'], params: ScreenPlace['params'] = {}): ScreenPlace => ({
    screen,
    params,
  });
  return {
    service,
    user,
    twin,
    business,
    event: event.id,
    source: aSource(proxy.port),
    places: {
      users: at('users'),
      businesses: at('businesses'),
      found: at('found'),
      reviews: at('reviews'),
      user: at('entity', { fp_id: user, kind: 'user' }),
      business: at('entity', { fp_id: business, kind: 'business' }),
      banks: at('banks'),
      bank: at('bank', { link_id: link.id, fp_id: user }),
      events: at('events'),
      event: at('event', { event_id: event.id }),
      deliveries: at('deliveries'),
      delivery: at('delivery', { delivery_id: delivery, event_id: event.id }),
      requests: at('requests'),
      request: at('request', { request_id: requestId }),
      proxy: at('proxy'),
      clock: at('clock'),
      snapshots: at('snapshots'),
      webhooks: at('webhooks'),
      outcomes: at('outcomes'),
      playbooks: at('playbooks'),
      keys: at('keys'),
      access: at('access'),
      run: at('run', { fp_id: user, onboarding_id: run.onboarding_id }),
      comparison: at('comparison', { fp_id: user, other: twin }),
    } satisfies Record<PlaceName, ScreenPlace>,
    async [Symbol.asyncDispose]() {
      await taking[Symbol.asyncDispose]();
      await refusing[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
