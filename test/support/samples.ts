/**
 * A successful request for every endpoint of the registry, and a request that causes each error that the endpoint
 * declares. A new endpoint or a new declared error doesn't compile until it has an entry here.
 */
import type { Outcome } from '../../src/nouns/onboardings/facts.ts';
import type { EndpointKey, Registry, RequestOf } from '../../src/contract/registry.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { aBusiness, aPng, aReadyBusiness, aReadyUser, aUser, KYB, KYC } from './builders.ts';
import { bankProvocations, bankSamples } from './bank-samples.ts';
import { consoleProvocations, consoleSamples } from './console-samples.ts';
import { faultProvocations, faultSamples } from './fault-samples.ts';
import { hostedProvocations, hostedSamples } from './hosted-samples.ts';
import { proxyProvocations, proxySamples } from './proxy-samples.ts';
import { recordingProvocations, recordingSamples } from './recording-samples.ts';
import { sampleTarget } from './sample-target.ts';
import type { LooseParts, TestService } from './service.ts';
import { sessionProvocations, sessionSamples } from './session-samples.ts';
import { snapshotProvocations, snapshotSamples } from './snapshot-samples.ts';

/** The state before the request: a user and a business with data, an API key, a journal entry. */
export interface Stage {
  readonly service: TestService;
  readonly user: string;
  readonly business: string;
  readonly spareKey: string;
  /** A client token of the user. It may write and decrypt the user's e-mail address, and write an image. */
  readonly token: string;
  /** A client token that downloads the user's e-mail address. */
  readonly downloadToken: string;
  readonly journalled: string;
  /** Limits the size of files, for errors of a full disk. Needs a tool, so only some tests set it. */
  readonly limitFileSize?: (bytes: number) => void;
}

export async function setStage(service: TestService): Promise<Stage> {
  const user = await service.call('POST /users', { body: aUser() });
  const business = await service.business();
  const spare = await service.call('POST /_kyclone/api-keys', { body: { name: 'spare' } });
  return {
    service,
    user: user.body.id,
    business,
    spareKey: spare.body.id,
    token: await service.token(user.body.id, { scope: 'vault_and_decrypt', fields: ['id.email', IMAGE] }),
    downloadToken: await service.token(user.body.id, {
      scope: 'decrypt_download',
      fields: ['id.email'],
      decrypt_reason: 'a test',
    }),
    journalled: user.requestId,
  };
}

const IMAGE = 'document.passport.front.image';

type Sample<K extends EndpointKey> = Registry[K] extends { takesFile: true } | { takesAnyBody: true }
  ? LooseParts
  : Pick<RequestOf<K>, 'params' | 'body'> & Pick<LooseParts, 'as' | 'query'>;
type MakeSample<K extends EndpointKey> = (stage: Stage) => Sample<K> | Promise<Sample<K>>;

const plain = () => ({ params: {}, body: undefined });
const ofUser = (stage: Stage) => ({ params: { fp_id: stage.user }, body: undefined });
const ofBusiness = (stage: Stage) => ({ params: { fp_bid: stage.business }, body: undefined });
const onUser =
  <Body>(body: Body) =>
  (stage: Stage) => ({ params: { fp_id: stage.user }, body });
/** A case that another operator has claimed. */
const claimedByBo = async ({ service, user }: Stage) => {
  const params = { fp_id: user };
  await service.send({
    method: 'POST',
    path: `/_kyclone/entities/${user}/claim`,
    headers: { 'x-kyclone-operator': 'Bo' },
    body: { take_over: true },
  });
  return { params, headers: { 'x-kyclone-operator': 'Ada' } };
};
/** As an operator with a name, which a claim needs. */
const byAda =
  <Sample>(sample: (stage: Stage) => Sample) =>
  (stage: Stage) => ({ ...sample(stage), headers: { 'x-kyclone-operator': 'Ada' } });
const onBusiness =
  <Body>(body: Body) =>
  (stage: Stage) => ({ params: { fp_bid: stage.business }, body });
const sending =
  <Body>(body: Body) =>
  () => ({ params: {}, body });

const withToken =
  <Body>(body: Body) =>
  ({ token }: Stage) => ({ params: {}, body, as: token });
const aFile = { headers: { 'content-type': 'image/png' }, body: aPng() };

/** Calls the proxy. The target is a path of the sample target, and the body has one token. */
const proxied =
  (path: string, headers: Record<string, string> = {}, token = 'id.email') =>
  async ({ user }: Pick<Stage, 'user'>): Promise<LooseParts> => ({
    headers: {
      'x-fp-id': user,
      'x-fp-access-reason': 'a test',
      'x-fp-proxy-target-url': await sampleTarget(path),
      ...headers,
    },
    body: `To {{ ${token} }}`,
  });

const SIGNING_KEY = '00112233445566778899aabbccddeeff';

/** Makes a user with an onboarding of this outcome. */
async function onboarded(service: TestService, fixture_result: Outcome = 'pass') {
  const fp_id = await service.user(aReadyUser());
  const { body } = await service.call('POST /users/{fp_id}/kyc', {
    params: { fp_id },
    body: { key: KYC, fixture_result },
  });
  return { fp_id, onboarding_id: body.onboarding_id };
}
async function onboardedBusiness(service: TestService) {
  const fp_bid = await service.business(aReadyBusiness());
  const { body } = await service.call('POST /businesses/{fp_bid}/kyb', {
    params: { fp_bid },
    body: { key: KYB },
  });
  return { fp_bid, onboarding_id: body.onboarding_id };
}
const ofOnboardedUser = async ({ service }: Stage) => ({
  params: { fp_id: (await onboarded(service)).fp_id },
  body: undefined,
});
const ofOnboardedBusiness = async ({ service }: Stage) => ({
  params: { fp_bid: (await onboardedBusiness(service)).fp_bid },
  body: undefined,
});

async function session(service: TestService): Promise<string> {
  return (await service.call('POST /onboarding/session', { body: { key: KYC } })).body.token;
}
async function playbook(service: TestService): Promise<string> {
  const body = { name: 'Light', kind: 'kyc' as const, requirements: [['id.email']] };
  return (await service.call('POST /_kyclone/playbooks', { body })).body.key;
}
const A_RULE = { match: { external_id: 'fails-*' }, outcome: 'fail' as const };
async function rule(service: TestService): Promise<string> {
  return (await service.call('POST /_kyclone/outcomes', { body: A_RULE })).body.id;
}
const RECEIVER = { url: 'http://127.0.0.1:9/hooks' };
async function webhook(service: TestService): Promise<string> {
  return (await service.call('POST /_kyclone/webhooks', { body: RECEIVER })).body.id;
}
const ACCOUNT = {
  api_key: 'partner-key',
  api_secret: 'partner-secret',
  default_approver: 'Compliance',
  hostname: 'partner.example',
};
const CIP = { account_id: 'account-1', ...ACCOUNT };

export const samples: { readonly [K in EndpointKey]: MakeSample<K> } = {
  ...bankSamples,
  ...consoleSamples,
  ...faultSamples,
  ...hostedSamples,
  ...proxySamples,
  ...recordingSamples,
  ...sessionSamples,
  ...snapshotSamples,
  'POST /users': sending(aUser()),
  'GET /users': plain,
  'POST /users/search': sending({ search: 'wilhelmina@oyelaran.example' }),
  'GET /users/{fp_id}': ofUser,
  'PATCH /users/{fp_id}': onUser({ external_id: 'customer-42' }),
  'DELETE /users/{fp_id}': onUser({ reason: 'an example' }),
  'POST /businesses': sending(aBusiness()),
  'GET /businesses': plain,
  'GET /businesses/{fp_bid}': ofBusiness,
  'PATCH /businesses/{fp_bid}': onBusiness({ external_id: 'supplier-42' }),
  'DELETE /businesses/{fp_bid}': onBusiness({ reason: 'an example' }),
  'POST /users/{fp_id}/verify': onUser({
    identifier: 'id.first_name',
    value: 'Wilhelmina',
    reason: 'a test',
  }),
  'POST /businesses/{fp_bid}/verify': onBusiness({
    identifier: 'business.name',
    value: 'Acme',
    reason: 'a test',
  }),
  'POST /users/{fp_id}/compare': async ({ service, user }) => ({
    params: { fp_id: user },
    body: { with: await service.user(aUser()) },
  }),
  'POST /businesses/{fp_bid}/compare': async ({ service, business }) => ({
    params: { fp_bid: business },
    body: { with: await service.business() },
  }),
  'GET /users/{fp_id}/vault': ofUser,
  'PATCH /users/{fp_id}/vault': onUser({ 'id.last_name': 'Achterberg' }),
  'DELETE /users/{fp_id}/vault': onUser({ fields: ['id.email'] }),
  'POST /users/{fp_id}/vault/validate': onUser({ 'id.last_name': 'Achterberg' }),
  'POST /users/{fp_id}/vault/decrypt': onUser({ fields: ['id.email'], reason: 'a test' }),
  'POST /users/{fp_id}/vault/integrity': onUser({ fields: ['id.email'], signing_key: SIGNING_KEY }),
  'POST /users/{fp_id}/vault/{identifier}/upload': ({ user }) => ({
    params: { fp_id: user, identifier: IMAGE },
    ...aFile,
  }),
  'GET /businesses/{fp_bid}/vault': ofBusiness,
  'PATCH /businesses/{fp_bid}/vault': onBusiness({ 'business.dba': 'Acme' }),
  'DELETE /businesses/{fp_bid}/vault': onBusiness({ fields: ['business.website'] }),
  'POST /businesses/{fp_bid}/vault/validate': onBusiness({ 'business.dba': 'Acme' }),
  'POST /businesses/{fp_bid}/vault/decrypt': onBusiness({ fields: ['business.name'], reason: 'a test' }),
  'POST /businesses/{fp_bid}/vault/integrity': onBusiness({
    fields: ['business.name'],
    signing_key: SIGNING_KEY,
  }),
  'POST /businesses/{fp_bid}/vault/{identifier}/upload': ({ business }) => ({
    params: { fp_bid: business, identifier: 'document.custom.licence' },
    ...aFile,
  }),
  'POST /users/{fp_id}/client_token': onUser({ scope: 'vault' as const, fields: ['id.email'] }),
  'POST /businesses/{fp_bid}/client_token': onBusiness({
    scope: 'decrypt' as const,
    fields: ['business.name'],
  }),
  'GET /users/client_token': withToken(undefined),
  'PATCH /users/vault': withToken({ 'id.email': 'mina@oyelaran.example' }),
  'POST /users/vault/validate': withToken({ 'id.email': 'mina@oyelaran.example' }),
  'POST /users/vault/decrypt': withToken({ reason: 'a test' }),
  'GET /users/vault/decrypt/{token}': ({ downloadToken }) => ({
    params: { token: downloadToken },
    body: undefined,
  }),
  'POST /users/vault/{identifier}/upload': ({ token }) => ({
    params: { identifier: IMAGE },
    as: token,
    ...aFile,
  }),
  'DELETE /_kyclone/tokens/{id}': async ({ service, user }) => {
    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: user } });
    return { params: { id: body.tokens[0]?.id ?? '' }, body: undefined };
  },
  'GET /users/{fp_id}/documents': ofUser,
  'GET /businesses/{fp_bid}/documents': ofBusiness,
  'GET /users/{fp_id}/duplicates': ofUser,
  'GET /users/{fp_id}/label': ofUser,
  'POST /users/{fp_id}/label': onUser({ kind: 'active' as const }),
  'GET /users/{fp_id}/tags': ofUser,
  'POST /users/{fp_id}/tags': onUser({ tag: 'vip' }),
  'DELETE /users/{fp_id}/tags/{tag_id}': async ({ service, user }) => {
    const params = { fp_id: user };
    const { body } = await service.call('POST /users/{fp_id}/tags', { params, body: { tag: 'vip' } });
    return { params: { ...params, tag_id: body.id }, body: { reason: 'an example' } };
  },
  'GET /businesses/{fp_bid}/label': ofBusiness,
  'POST /businesses/{fp_bid}/label': onBusiness({ kind: 'offboard_other' as const }),
  'GET /businesses/{fp_bid}/tags': ofBusiness,
  'POST /businesses/{fp_bid}/tags': onBusiness({ tag: 'supplier' }),
  'DELETE /businesses/{fp_bid}/tags/{tag_id}': async ({ service, business }) => {
    const params = { fp_bid: business };
    const { body } = await service.call('POST /businesses/{fp_bid}/tags', { params, body: { tag: 'vip' } });
    return { params: { ...params, tag_id: body.id }, body: { reason: 'an example' } };
  },
  'POST /users/{fp_id}/kyc': async ({ service }) => ({
    params: { fp_id: await service.user(aReadyUser()) },
    body: { key: KYC },
  }),
  'POST /businesses/{fp_bid}/kyb': async ({ service }) => ({
    params: { fp_bid: await service.business(aReadyBusiness()) },
    body: { key: KYB },
  }),
  'GET /users/{fp_id}/onboardings': ofOnboardedUser,
  'GET /businesses/{fp_bid}/onboardings': ofOnboardedBusiness,
  'GET /onboardings/{id}': async ({ service }) => ({
    params: { id: (await onboarded(service)).onboarding_id },
    body: undefined,
  }),
  'POST /onboarding/session': sending({ key: KYC, bootstrap_data: { 'id.first_name': 'Mina' } }),
  'POST /onboarding/session/validate': async ({ service }) => {
    const { body } = await service.call('POST /_kyclone/sessions/complete', {
      body: { token: await session(service), data: aReadyUser() },
    });
    return { params: {}, body: { validation_token: body.validation_token } };
  },
  'GET /users/{fp_id}/decisions': ofOnboardedUser,
  'POST /users/{fp_id}/decisions': async ({ service }) => ({
    params: { fp_id: (await onboarded(service, 'manual_review')).fp_id },
    body: { status: 'pass' as const, annotation: 'seen in person' },
  }),
  'GET /businesses/{fp_bid}/decisions': ofOnboardedBusiness,
  'POST /businesses/{fp_bid}/decisions': async ({ service }) => ({
    params: { fp_bid: (await onboardedBusiness(service)).fp_bid },
    body: { status: 'fail' as const, annotation: 'dissolved' },
  }),
  'GET /users/{fp_id}/risk_signals': ofOnboardedUser,
  'GET /users/{fp_id}/match_signals': ofOnboardedUser,
  'GET /users/{fp_id}/auth_events': ofUser,
  'GET /users/{fp_id}/liveness': ofUser,
  'GET /org/api_keys/check': plain,
  'POST /users/{fp_id}/reonboard': async ({ service }) => ({
    params: { fp_id: (await onboarded(service)).fp_id },
    body: { key: KYC },
  }),
  'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': async ({ service }) => ({
    params: await onboarded(service),
    body: undefined,
  }),
  'GET /businesses/{fp_bid}/risk_signals': ofOnboardedBusiness,
  'GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': async ({ service }) => ({
    params: await onboardedBusiness(service),
    body: undefined,
  }),
  'GET /org/risk_signals': plain,
  'GET /businesses/{fp_bid}/owners': ofBusiness,
  'POST /businesses/{fp_bid}/owners': ({ business, user }) => ({
    params: { fp_bid: business },
    body: { fp_id: user, ownership_stake: 40 },
  }),
  'DELETE /businesses/{fp_bid}/owners/{fp_id}': async ({ service, business }) => {
    const owner = { fp_bid: business, fp_id: await service.user() };
    const body = { fp_id: owner.fp_id, ownership_stake: 0 };
    await service.call('POST /businesses/{fp_bid}/owners', { params: { fp_bid: business }, body });
    return { params: owner, body: { reason: 'an example' } };
  },
  'POST /vault_proxy/jit': proxied('/text'),
  'POST /vault_proxy/reflect': ({ user }) => ({
    headers: { 'x-fp-access-reason': 'a test' },
    body: `To {{ ${user}.id.email }}`,
  }),
  'POST /vault_proxy/render': proxied('/text'),
  'POST /users/{fp_id}/integrations/{partner_a}/cip_report': async ({ service }) => ({
    params: { fp_id: (await onboarded(service)).fp_id, partner_a: 'partner_a' },
    body: { default_approver: 'Compliance' },
  }),
  'POST /users/{fp_id}/integrations/{partner_b}/account': async ({ service }) => ({
    params: { fp_id: (await onboarded(service)).fp_id, partner_b: 'partner_b' },
    body: ACCOUNT,
  }),
  'POST /users/{fp_id}/integrations/{partner_b}/cip': async ({ service }) => ({
    params: { fp_id: (await onboarded(service)).fp_id, partner_b: 'partner_b' },
    body: CIP,
  }),
  'GET /_kyclone/health': plain,
  'GET /_kyclone/ready': plain,
  'GET /_kyclone/info': plain,
  'POST /_kyclone/reset': sending({ seed: 'again' }),
  'GET /_kyclone/store/check': plain,
  'POST /_kyclone/store/check': plain,
  'GET /_kyclone/settings': plain,
  'PATCH /_kyclone/settings': sending({ events: { extended: true } }),
  'GET /_kyclone/api-keys': plain,
  'POST /_kyclone/api-keys': sending({ name: 'another' }),
  'PATCH /_kyclone/api-keys/{id}': ({ spareKey }) => ({ params: { id: spareKey }, body: { enabled: false } }),
  'DELETE /_kyclone/api-keys/{id}': ({ spareKey }) => ({ params: { id: spareKey }, body: undefined }),
  'GET /_kyclone/keyring': plain,
  'POST /_kyclone/keyring/rotate': plain,
  'POST /_kyclone/keyring/slots': sending({ kind: 'recovery' as const }),
  'DELETE /_kyclone/keyring/slots/{id}': async ({ service }) => {
    await addSlot(service);
    return { params: { id: await addSlot(service) }, body: undefined };
  },
  'GET /_kyclone/entities': plain,
  'GET /_kyclone/entities/{fp_id}': ofUser,
  'GET /_kyclone/entities/{fp_id}/timeline': ofUser,
  'GET /_kyclone/entities/{fp_id}/hits': ofUser,
  'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': async ({ service }) => {
    const { fp_id } = await onboarded(service, 'manual_review');
    return {
      params: { fp_id, reason_code: 'watchlist_hit_ofac' },
      body: { decision: 'false_positive' as const, reason: 'another date of birth' },
    };
  },
  'GET /_kyclone/entities/{fp_id}/notes': ofUser,
  'POST /_kyclone/entities/{fp_id}/notes': onUser({ text: 'called about her address' }),
  'POST /_kyclone/entities/{fp_id}/request_info': onUser({ note: 'a proof of your address' }),
  'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': async ({ service, user }) => {
    const params = { fp_id: user };
    const body = { text: 'gone soon' };
    const note = await service.call('POST /_kyclone/entities/{fp_id}/notes', { params, body });
    return { params: { ...params, note_id: note.body.id }, body: { reason: 'an example' } };
  },
  'POST /_kyclone/entities/{fp_id}/claim': byAda(onUser({ take_over: true })),
  'DELETE /_kyclone/entities/{fp_id}/claim': byAda(ofUser),
  'PATCH /_kyclone/entities/{fp_id}': onUser({ device_id: 'device-1', label: 'active' as const }),
  'POST /_kyclone/search': () => ({ params: {}, body: { search: 'jane' } }),
  'GET /_kyclone/reviews': plain,
  'GET /_kyclone/access-log': plain,
  'GET /_kyclone/access-log/verify': plain,
  'GET /_kyclone/requests': plain,
  'GET /_kyclone/requests/{id}': ({ journalled }) => ({ params: { id: journalled }, body: undefined }),
  'GET /_kyclone/requests/{id}/proxy': async ({ service, user }) => {
    const answer = await service.send({
      method: 'POST',
      path: '/vault_proxy/reflect',
      headers: { 'x-fp-access-reason': 'a test' },
      body: `To {{ ${user}.id.email }}`,
    });
    return { params: { id: answer.headers['x-request-id'] ?? '' }, body: undefined };
  },
  'DELETE /_kyclone/requests': plain,
  'GET /_kyclone/openapi.json': plain,
  'GET /_kyclone/docs': plain,
  'GET /_kyclone/form': plain,
  'GET /_kyclone/form.js': plain,
  'POST /_kyclone/onboardings/{id}/resolve': async ({ service }) => ({
    params: { id: (await onboarded(service, 'pending')).onboarding_id },
    body: { outcome: 'pass' as const },
  }),
  'POST /_kyclone/sessions/complete': async ({ service }) => ({
    params: {},
    body: { token: await session(service), data: aReadyUser() },
  }),
  'GET /_kyclone/playbooks': plain,
  'POST /_kyclone/playbooks': sending({ name: 'Documents', kind: 'document' as const }),
  'GET /_kyclone/playbooks/{key}': () => ({ params: { key: KYC }, body: undefined }),
  'PATCH /_kyclone/playbooks/{key}': () => ({ params: { key: KYC }, body: { delay_ms: 500 } }),
  'DELETE /_kyclone/playbooks/{key}': async ({ service }) => ({
    params: { key: await playbook(service) },
    body: undefined,
  }),
  'GET /_kyclone/outcomes': plain,
  'POST /_kyclone/outcomes': sending({
    ...A_RULE,
    delay_ms: 1000,
    times: 2,
    signals: { add: ['watchlist_hit_pep'] },
  }),
  'GET /_kyclone/outcomes/{id}': async ({ service }) => ({
    params: { id: await rule(service) },
    body: undefined,
  }),
  'PATCH /_kyclone/outcomes/{id}': async ({ service }) => ({
    params: { id: await rule(service) },
    body: { enabled: false },
  }),
  'DELETE /_kyclone/outcomes/{id}': async ({ service }) => ({
    params: { id: await rule(service) },
    body: undefined,
  }),
  'GET /_kyclone/webhooks': plain,
  'POST /_kyclone/webhooks': sending(RECEIVER),
  'GET /_kyclone/webhooks/{id}': async ({ service }) => ({
    params: { id: await webhook(service) },
    body: undefined,
  }),
  'PATCH /_kyclone/webhooks/{id}': async ({ service }) => ({
    params: { id: await webhook(service) },
    body: { kinds: ['onboarding.completed'] },
  }),
  'DELETE /_kyclone/webhooks/{id}': async ({ service }) => ({
    params: { id: await webhook(service) },
    body: undefined,
  }),
  'POST /_kyclone/webhooks/{id}/rotate': async ({ service }) => ({
    params: { id: await webhook(service) },
    body: undefined,
  }),
  'GET /_kyclone/events': async ({ service }) => {
    await onboarded(service);
    return plain();
  },
  'POST /_kyclone/events/trigger': sending({ kind: 'onboarding.completed' }),
  'POST /_kyclone/events/{id}/resend': async ({ service }) => {
    const webhook_id = await webhook(service);
    const { body } = await service.call('POST /_kyclone/events/trigger', {
      body: { kind: 'onboarding.completed' },
    });
    return { params: { id: body.id }, body: { webhook_id } };
  },
  'GET /_kyclone/deliveries': async ({ service }) => {
    await webhook(service);
    await onboarded(service);
    return plain();
  },
  'GET /_kyclone/clock': plain,
  'PUT /_kyclone/clock': sending({ action: 'advance' as const, by: '5m' }),
  'GET /_kyclone/stream': () => ({ params: {}, body: undefined, query: { follow: false } }),
};

async function addSlot(service: TestService): Promise<string> {
  return (await service.call('POST /_kyclone/keyring/slots', { body: { kind: 'recovery' } })).body.id;
}

type Declared<K extends EndpointKey> = Extract<Registry[K]['errors'][number], ErrorCode>;
type Provoke = (stage: Stage) => LooseParts | Promise<LooseParts>;

const createConflict =
  (other: 'POST /users' | 'POST /businesses'): Provoke =>
  async ({ service }) => {
    await service.call(other, { headers: { 'x-external-id': 'taken-already' } });
    return { headers: { 'x-external-id': 'taken-already' } };
  };
const takenByAnother =
  (ofEntity: (stage: Stage) => LooseParts): Provoke =>
  async (stage) => {
    await stage.service.call('POST /users', { headers: { 'x-external-id': 'taken-already' } });
    return { ...ofEntity(stage), body: { external_id: 'taken-already' } };
  };
const decryptions = (on: (body: unknown) => Provoke, field: string) => ({
  reason_required: on({ fields: [field] }),
  transform_invalid: on({ fields: [field], reason: 'a test', transforms: ['to_morse'] }),
  transform_failed: on({ fields: [field], reason: 'a test', transforms: ["date_format('%Y','%m')"] }),
});

const withoutRight =
  (permission: string, provoke: Provoke): Provoke =>
  async (stage) => {
    const permissions = ['vault.write', 'decrypt:*'].filter((each) => each !== permission) as never[];
    return { ...(await provoke(stage)), as: await stage.service.key({ permissions }) };
  };
const beyondToken =
  (body: unknown): Provoke =>
  ({ token }) => ({ body, as: token });
const upload =
  (identifier: string): Provoke =>
  (stage) => ({
    params: { fp_id: stage.user, fp_bid: stage.business, identifier },

    ...aFile,
  });
const tokenUpload =
  (identifier: string): Provoke =>
  ({ token }) => ({ params: { identifier }, as: token, ...aFile });
const download =
  (body: Record<string, unknown>): Provoke =>
  async ({ service, user }) => ({
    params: { token: await service.token(user, body) },
  });

const proxying =
  (headers: Record<string, string> = {}, token?: string): Provoke =>
  (stage) =>
    proxied('/text', headers, token)(stage);

/** The errors of every endpoint that resolves tokens. */
const tokenErrors = {
  proxy_token_invalid: proxying({}, 'id.email |'),
  proxy_token_unresolved: proxying({}, 'custom.absent'),
  proxy_too_many_tokens: proxying({}, 'id.email }}{{'.repeat(100) + 'id.email'),
  transform_invalid: proxying({}, 'id.email | to_morse'),
  transform_failed: proxying({ 'x-fp-proxy-access-reason': 'a test' }, "id.email | date_format('%Y','%m')"),
  not_found: proxying({ 'x-fp-id': 'fp_id_nobody' }),
} satisfies Partial<Record<ErrorCode, Provoke>>;

/** The errors about a target that occur before anything is sent. `loop-answers` resolves names with `sampleResolve`. */
const targetErrors = {
  T120: proxying(ingressRule('business.name')),
  proxy_target_refused: proxying({ 'x-fp-proxy-target-url': 'http://169.254.169.254/' }),
  proxy_upstream_unreachable: proxying({ 'x-fp-proxy-target-url': 'https://nobody.example/' }),
  proxy_upstream_timeout: proxying({ 'x-fp-proxy-target-url': 'https://silent.example/' }),
} satisfies Partial<Record<ErrorCode, Provoke>>;

function ingressRule(identifier: string): Record<string, string> {
  return {
    'x-fp-proxy-ingress-content-type': 'json',
    'x-fp-proxy-ingress-rule': `${identifier}=$.color`,
  };
}

const runErrors = (run: (body: Record<string, unknown>) => Provoke, kind: 'kyc' | 'kyb') => {
  const key = kind === 'kyc' ? KYC : KYB;
  return {
    playbook_unknown: run({ key: 'pb_test_nobody' }),
    T121: run({ key }),
  };
};
const lacking =
  (name: 'user' | 'business') =>
  (body: Record<string, unknown>): Provoke =>
  (stage) => ({
    params: name === 'user' ? { fp_id: stage.user } : { fp_bid: stage.business },
    body,
  });
const elsewhere: Provoke = () => ({ query: { tenant: 'nobody' } });

/** The requests that cause each declared error. */
export const provocations: { readonly [K in EndpointKey]: { readonly [Code in Declared<K>]: Provoke } } = {
  ...bankProvocations,
  ...consoleProvocations,
  ...faultProvocations,
  ...hostedProvocations,
  ...proxyProvocations,
  ...recordingProvocations,
  ...sessionProvocations,
  ...snapshotProvocations,
  'POST /users': {
    T120: () => ({ body: { 'id.dob': 'yesterday' } }),
    conflict: createConflict('POST /businesses'),
  },
  'GET /users': {},
  'POST /users/search': {},
  'GET /users/{fp_id}': {},
  'PATCH /users/{fp_id}': { external_id_taken: takenByAnother(ofUser) },
  'DELETE /users/{fp_id}': {},
  'POST /businesses': {
    T120: () => ({ body: { 'business.tin': 'x' } }),
    conflict: createConflict('POST /users'),
  },
  'GET /businesses': {},
  'GET /businesses/{fp_bid}': {},
  'PATCH /businesses/{fp_bid}': { external_id_taken: takenByAnother(ofBusiness) },
  'DELETE /businesses/{fp_bid}': {},
  'POST /users/{fp_id}/verify': {
    reason_required: onUser({ identifier: 'id.dob', value: '1988-12-30' }),
  },
  'POST /businesses/{fp_bid}/verify': {
    reason_required: onBusiness({ identifier: 'business.name', value: 'Acme' }),
  },
  'POST /users/{fp_id}/compare': { not_found: onUser({ with: 'fp_id_0000000000000000000000' }) },
  'POST /businesses/{fp_bid}/compare': {
    not_found: onBusiness({ with: 'fp_bid_0000000000000000000000' }),
  },
  'GET /users/{fp_id}/vault': {},
  'PATCH /users/{fp_id}/vault': { T120: onUser({ 'id.dob': 'yesterday' }) },
  'DELETE /users/{fp_id}/vault': { T120: onUser({ fields: ['id.ssn4'] }) },
  'POST /users/{fp_id}/vault/validate': { T120: onUser({ 'id.dob': 'yesterday' }) },
  'POST /users/{fp_id}/vault/decrypt': decryptions(onUser, 'id.email'),
  'POST /users/{fp_id}/vault/integrity': {},
  'POST /users/{fp_id}/vault/{identifier}/upload': { T120: upload('document.passport.front.mime_type') },
  'GET /businesses/{fp_bid}/vault': {},
  'PATCH /businesses/{fp_bid}/vault': { T120: onBusiness({ 'business.tin': 'x' }) },
  'DELETE /businesses/{fp_bid}/vault': {
    T120: onBusiness({ fields: ['id.email'] }),
  },
  'POST /businesses/{fp_bid}/vault/validate': { T120: onBusiness({ 'business.tin': 'x' }) },
  'POST /businesses/{fp_bid}/vault/decrypt': decryptions(onBusiness, 'business.name'),
  'POST /businesses/{fp_bid}/vault/integrity': {},
  'POST /businesses/{fp_bid}/vault/{identifier}/upload': { T120: upload('id.email') },
  'POST /users/{fp_id}/client_token': {
    permission_denied: withoutRight('vault.write', onUser({ scope: 'vault', fields: ['id.email'] })),
  },
  'POST /businesses/{fp_bid}/client_token': {
    permission_denied: withoutRight('decrypt:*', onBusiness({ scope: 'decrypt', fields: ['business.name'] })),
  },
  'GET /users/client_token': {},
  'PATCH /users/vault': {
    T120: beyondToken({ 'id.email': 'nobody' }),
    permission_denied: beyondToken({ 'id.first_name': 'Mina' }),
  },
  'POST /users/vault/validate': {
    T120: beyondToken({ 'id.email': 'nobody' }),
    permission_denied: beyondToken({ 'id.first_name': 'Mina' }),
  },
  'POST /users/vault/decrypt': {
    permission_denied: beyondToken({ fields: ['id.dob'], reason: 'a test' }),
    reason_required: beyondToken({ fields: ['id.email'] }),
    transform_invalid: beyondToken({ fields: ['id.email'], reason: 'a test', transforms: ['to_morse'] }),
    transform_failed: beyondToken({
      fields: ['id.email'],
      reason: 'a test',
      transforms: ["date_format('%Y','%m')"],
    }),
  },
  'GET /users/vault/decrypt/{token}': {
    permission_denied: download({ scope: 'decrypt', fields: ['id.email'], decrypt_reason: 'a test' }),
    reason_required: download({ scope: 'decrypt_download', fields: ['id.email'] }),
  },
  'POST /users/vault/{identifier}/upload': {
    T120: async ({ service, user }) => ({
      params: { identifier: 'document.passport.front.mime_type' },
      as: await service.token(user, { scope: 'vault', fields: ['document.passport.front.mime_type'] }),
      ...aFile,
    }),
    permission_denied: tokenUpload('document.passport.back.image'),
  },
  'DELETE /_kyclone/tokens/{id}': {},
  'GET /users/{fp_id}/documents': {},
  'GET /businesses/{fp_bid}/documents': {},
  'GET /users/{fp_id}/duplicates': {},
  'GET /users/{fp_id}/label': {},
  'POST /users/{fp_id}/label': {},
  'GET /users/{fp_id}/tags': {},
  'POST /users/{fp_id}/tags': {},
  'DELETE /users/{fp_id}/tags/{tag_id}': {},
  'GET /businesses/{fp_bid}/label': {},
  'POST /businesses/{fp_bid}/label': {},
  'GET /businesses/{fp_bid}/tags': {},
  'POST /businesses/{fp_bid}/tags': {},
  'DELETE /businesses/{fp_bid}/tags/{tag_id}': {},
  'POST /vault_proxy/jit': {
    ...tokenErrors,
    ...targetErrors,
    proxy_response_too_large: proxied('/large'),
    proxy_ingress_failed: proxied('/text', ingressRule('custom.colour')),
    proxy_upstream_timeout: proxied('/silent'),
  },
  'POST /vault_proxy/reflect': {
    ...tokenErrors,
    reason_required: ({ user }) => ({ body: `To {{ ${user}.id.email }}` }),
  },
  'POST /vault_proxy/render': { ...tokenErrors, ...targetErrors },
  'GET /_kyclone/requests/{id}/proxy': {},
  'GET /_kyclone/health': {},
  'GET /_kyclone/ready': {},
  'GET /_kyclone/info': {},
  'POST /_kyclone/reset': {},
  'GET /_kyclone/store/check': {},
  'POST /_kyclone/store/check': {},
  'GET /_kyclone/settings': {},
  'PATCH /_kyclone/settings': {},
  'GET /_kyclone/api-keys': {},
  'POST /_kyclone/api-keys': {
    conflict: async ({ service }) => {
      const key = `sk_test_${'c'.repeat(32)}`;
      await service.key({ key });
      return { body: { key } };
    },
  },
  'PATCH /_kyclone/api-keys/{id}': {},
  'DELETE /_kyclone/api-keys/{id}': {},
  'GET /_kyclone/keyring': {},
  'POST /_kyclone/keyring/rotate': {},
  'POST /_kyclone/keyring/slots': {
    key_file_refused: () => ({ body: { kind: 'key_file', path: '/' } }),
    vault_key_invalid: () => ({ body: { kind: 'passphrase', passphrase: 'KYRC-0000-0000-0000' } }),
  },
  'DELETE /_kyclone/keyring/slots/{id}': {
    conflict: async ({ service }) => ({ params: { id: await addSlot(service) } }),
  },
  'GET /_kyclone/entities': { not_found: () => ({ query: { tenant: 'nobody' } }) },
  'GET /_kyclone/entities/{fp_id}': {},
  'GET /_kyclone/entities/{fp_id}/timeline': {},
  'GET /_kyclone/entities/{fp_id}/hits': {},
  'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': {},
  'GET /_kyclone/entities/{fp_id}/notes': {},
  'POST /_kyclone/entities/{fp_id}/notes': {},
  'POST /_kyclone/entities/{fp_id}/request_info': {},
  'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': {},
  'POST /_kyclone/entities/{fp_id}/claim': { conflict: claimedByBo },
  'DELETE /_kyclone/entities/{fp_id}/claim': { conflict: claimedByBo },
  'PATCH /_kyclone/entities/{fp_id}': {},
  'POST /_kyclone/search': { not_found: () => ({ query: { tenant: 'nobody' }, body: { search: 'jane' } }) },
  'GET /_kyclone/reviews': { not_found: () => ({ query: { tenant: 'nobody' } }) },
  'GET /_kyclone/access-log': {},
  'GET /_kyclone/access-log/verify': {},
  'GET /_kyclone/requests': {},
  'GET /_kyclone/requests/{id}': {},
  'DELETE /_kyclone/requests': {},
  'GET /_kyclone/openapi.json': {},
  'GET /_kyclone/docs': {},
  'GET /_kyclone/form': {},
  'GET /_kyclone/form.js': {},
  'POST /users/{fp_id}/kyc': {
    ...runErrors(lacking('user'), 'kyc'),
    T122: async ({ service }) => ({
      params: { fp_id: (await onboarded(service)).fp_id },
      body: { key: KYC, allow_reonboard: false },
    }),
  },
  'POST /businesses/{fp_bid}/kyb': {
    ...runErrors(lacking('business'), 'kyb'),
    T122: async ({ service }) => ({
      params: { fp_bid: (await onboardedBusiness(service)).fp_bid },
      body: { key: KYB, allow_reonboard: false },
    }),
  },
  'GET /users/{fp_id}/onboardings': {},
  'GET /businesses/{fp_bid}/onboardings': {},
  'GET /onboardings/{id}': { not_found: () => ({ params: { id: 'ob_nobody' } }) },
  'POST /onboarding/session': {
    T120: () => ({ body: { key: KYC, bootstrap_data: { 'id.dob': 'yesterday' } } }),
    playbook_unknown: () => ({ body: { key: 'pb_test_nobody' } }),
    not_found: () => ({ body: { key: KYC, fp_id: 'fp_id_nobody' } }),
    conflict: async ({ service }) => {
      await service.call('POST /businesses', { headers: { 'x-external-id': 'taken-already' } });
      return { body: { key: KYC, user_external_id: 'taken-already' } };
    },
  },
  'POST /onboarding/session/validate': {},
  'GET /users/{fp_id}/decisions': {},
  'POST /users/{fp_id}/decisions': {},
  'GET /businesses/{fp_bid}/decisions': {},
  'POST /businesses/{fp_bid}/decisions': {},
  'GET /users/{fp_id}/risk_signals': {},
  'GET /users/{fp_id}/match_signals': {},
  'GET /users/{fp_id}/auth_events': {},
  'GET /users/{fp_id}/liveness': {},
  'GET /org/api_keys/check': {},
  'POST /users/{fp_id}/reonboard': runErrors(lacking('user'), 'kyc'),
  'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': {},
  'GET /businesses/{fp_bid}/risk_signals': {},
  'GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': {},
  'GET /org/risk_signals': {},
  'GET /businesses/{fp_bid}/owners': {},
  'POST /businesses/{fp_bid}/owners': {},
  'DELETE /businesses/{fp_bid}/owners/{fp_id}': {},
  'POST /users/{fp_id}/integrations/{partner_a}/cip_report': {
    decision_required: ({ user }) => ({
      params: { fp_id: user, partner_a: 'partner_a' },
      body: { default_approver: 'Compliance' },
    }),
  },
  'POST /users/{fp_id}/integrations/{partner_b}/account': {
    decision_not_approved: async ({ service }) => ({
      params: { fp_id: (await onboarded(service, 'fail')).fp_id, partner_b: 'partner_b' },
      body: ACCOUNT,
    }),
    partner_unreachable: async ({ service }) => ({
      params: { fp_id: (await onboarded(service)).fp_id, partner_b: 'partner_b' },
      body: { ...ACCOUNT, hostname: 'localhost:1' },
    }),
  },
  'POST /users/{fp_id}/integrations/{partner_b}/cip': {
    decision_not_approved: async ({ service }) => ({
      params: { fp_id: (await onboarded(service, 'fail')).fp_id, partner_b: 'partner_b' },
      body: CIP,
    }),
    partner_unreachable: async ({ service }) => ({
      params: { fp_id: (await onboarded(service)).fp_id, partner_b: 'partner_b' },
      body: { ...CIP, hostname: 'localhost:1' },
    }),
  },
  'POST /_kyclone/onboardings/{id}/resolve': {
    conflict: async ({ service }) => ({
      params: { id: (await onboarded(service)).onboarding_id },
      body: { outcome: 'fail' },
    }),
  },
  'POST /_kyclone/sessions/complete': {
    conflict: async ({ service }) => {
      const body = { token: await session(service), data: aReadyUser() };
      await service.call('POST /_kyclone/sessions/complete', { body });
      return { body };
    },
    T120: async ({ service }) => ({
      body: { token: await session(service), data: { 'id.dob': 'yesterday' } },
    }),
    T121: async ({ service }) => ({ body: { token: await session(service) } }),
    permission_denied: async ({ service }) => {
      const as = await service.key({ permissions: ['onboard'] });
      const fp_id = await service.user(aReadyUser());
      const { body } = await service.call('POST /onboarding/session', { body: { key: KYC, fp_id }, as });
      return { body: { token: body.token, data: { 'id.first_name': 'Eve' } } };
    },
    T122: async ({ service }) => {
      const { body: user } = await service.call('POST /users', {
        headers: { 'x-external-id': 'onboarded-already' },
      });
      const { body } = await service.call('POST /onboarding/session', {
        body: { key: KYC, user_external_id: 'onboarded-already' },
      });
      const params = { fp_id: user.id };
      await service.call('PATCH /users/{fp_id}/vault', { params, body: aReadyUser() });
      await service.call('POST /users/{fp_id}/kyc', { params, body: { key: KYC } });
      return { body: { token: body.token, fixture_result: 'pass' } };
    },
    playbook_unknown: async ({ service }) => {
      const key = await playbook(service);
      const { body } = await service.call('POST /onboarding/session', { body: { key } });
      await service.call('DELETE /_kyclone/playbooks/{key}', { params: { key } });
      return { body: { token: body.token } };
    },
  },
  'GET /_kyclone/playbooks': { not_found: elsewhere },
  'POST /_kyclone/playbooks': {
    not_found: () => ({ query: { tenant: 'nobody' }, body: { name: 'x', kind: 'kyc' } }),
    conflict: () => ({ body: { name: 'again', kind: 'kyc', key: KYC } }),
  },
  'GET /_kyclone/playbooks/{key}': {},
  'PATCH /_kyclone/playbooks/{key}': {},
  'DELETE /_kyclone/playbooks/{key}': {
    conflict: async ({ service }) => {
      await onboarded(service, 'pending');
      return { params: { key: KYC } };
    },
  },
  'GET /_kyclone/outcomes': { not_found: elsewhere },
  'POST /_kyclone/outcomes': { not_found: () => ({ query: { tenant: 'nobody' }, body: A_RULE }) },
  'GET /_kyclone/outcomes/{id}': {},
  'PATCH /_kyclone/outcomes/{id}': {},
  'DELETE /_kyclone/outcomes/{id}': {},
  'GET /_kyclone/webhooks': { not_found: elsewhere },
  'POST /_kyclone/webhooks': { not_found: () => ({ query: { tenant: 'nobody' }, body: RECEIVER }) },
  'GET /_kyclone/webhooks/{id}': {},
  'PATCH /_kyclone/webhooks/{id}': {},
  'DELETE /_kyclone/webhooks/{id}': {},
  'POST /_kyclone/webhooks/{id}/rotate': {},
  'GET /_kyclone/events': { not_found: elsewhere },
  'POST /_kyclone/events/trigger': {
    not_found: () => ({ body: { kind: 'onboarding.completed', fp_id: 'fp_id_nobody' } }),
  },
  'POST /_kyclone/events/{id}/resend': {},
  'GET /_kyclone/deliveries': { not_found: elsewhere },
  'GET /_kyclone/clock': {},
  'PUT /_kyclone/clock': {},
  'GET /_kyclone/stream': {},
};
