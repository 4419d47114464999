/**
 * A successful request for every endpoint of the registry, and a request that causes each error that the endpoint
 * declares. A new endpoint, unless it is a bare GET, or a new declared error doesn't compile until it has an entry here.
 */
import type { Outcome } from '../../src/nouns/outcomes/facts.ts';
import { endpoints, type EndpointKey, type Registry, type RequestOf } from '../../src/contract/registry.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { aBusiness, aPng, aReadyBusiness, aReadyUser, aUser, KYB, KYC } from './builders.ts';
import { bankProvocations, bankSamples } from './bank-samples.ts';
import { consoleProvocations, consoleSamples } from './console-samples.ts';
import { faultSamples } from './fault-samples.ts';
import { hostedProvocations, hostedSamples } from './hosted-samples.ts';
import { proxyProvocations, proxySamples } from './proxy-samples.ts';
import { recordingProvocations, recordingSamples } from './recording-samples.ts';
import { sampleTarget } from './sample-target.ts';
import { asRaw, type LooseParts, type TestService } from './service.ts';
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
/** What the path of a user or of a business takes. */
const ofEntity = ({ user, business }: Stage) => ({
  params: { fp_id: user, fp_bid: business },
  body: undefined,
});
const onEntity =
  <Body>(body: Body) =>
  (stage: Stage) => ({ ...ofEntity(stage), body });
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

/** An endpoint that reads and takes at most the id of a user or of a business needs no entry of its own. */
type Bare =
  | Exclude<EndpointKey & `GET ${string}`, `${string}{${string}`>
  | Exclude<EndpointKey & `GET ${string}{${'fp_id' | 'fp_bid'}}${string}`, `${string}{${string}{${string}`>;
const isBare = (key: EndpointKey): key is Bare => /^GET [^{]*(?:\{fp_b?id\}[^{]*)?$/.test(key);
const bare = Object.fromEntries(
  endpoints.flatMap(({ key }) => (isBare(key) ? [[key, ofEntity]] : [])),
) as unknown as { readonly [K in Bare]: MakeSample<K> };

/** A request about what `make` makes. */
const withId =
  <Body = undefined>(make: (service: TestService) => Promise<string>, body?: Body) =>
  async ({ service }: Stage) => ({ params: { id: await make(service) }, body: body as Body });
/** A request about a user whose onboarding had this outcome. */
const afterRun =
  <Body, Path extends object>(body: Body, path: Path, outcome: Outcome = 'pass') =>
  async ({ service }: Stage) => ({
    params: { ...path, fp_id: (await onboarded(service, outcome)).fp_id },
    body,
  });
/** A request about an onboarding with this outcome. */
const aboutRun =
  <Body>(body: Body, outcome: Outcome = 'pass') =>
  async ({ service }: Stage) => ({ params: { id: (await onboarded(service, outcome)).onboarding_id }, body });

export const samples: { readonly [K in EndpointKey]: MakeSample<K> } = {
  ...bare,
  ...bankSamples,
  ...consoleSamples,
  ...faultSamples,
  ...hostedSamples,
  ...proxySamples,
  ...recordingSamples,
  ...sessionSamples,
  ...snapshotSamples,
  'POST /users': sending(aUser()),
  'POST /users/search': sending({ search: 'wilhelmina@oyelaran.example' }),
  'PATCH /users/{fp_id}': onEntity({ external_id: 'customer-42' }),
  'DELETE /users/{fp_id}': onEntity({ reason: 'an example' }),
  'POST /businesses': sending(aBusiness()),
  'PATCH /businesses/{fp_bid}': onEntity({ external_id: 'supplier-42' }),
  'DELETE /businesses/{fp_bid}': onEntity({ reason: 'an example' }),
  'POST /users/{fp_id}/verify': onEntity({
    identifier: 'id.first_name',
    value: 'Wilhelmina',
    reason: 'a test',
  }),
  'POST /businesses/{fp_bid}/verify': onEntity({
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
  'PATCH /users/{fp_id}/vault': onEntity({ 'id.last_name': 'Achterberg' }),
  'DELETE /users/{fp_id}/vault': onEntity({ fields: ['id.email'] }),
  'POST /users/{fp_id}/vault/validate': onEntity({ 'id.last_name': 'Achterberg' }),
  'POST /users/{fp_id}/vault/decrypt': onEntity({ fields: ['id.email'], reason: 'a test' }),
  'POST /users/{fp_id}/vault/integrity': onEntity({ fields: ['id.email'], signing_key: SIGNING_KEY }),
  'POST /users/{fp_id}/vault/{identifier}/upload': ({ user }) => ({
    params: { fp_id: user, identifier: IMAGE },
    ...aFile,
  }),
  'PATCH /businesses/{fp_bid}/vault': onEntity({ 'business.dba': 'Acme' }),
  'DELETE /businesses/{fp_bid}/vault': onEntity({ fields: ['business.website'] }),
  'POST /businesses/{fp_bid}/vault/validate': onEntity({ 'business.dba': 'Acme' }),
  'POST /businesses/{fp_bid}/vault/decrypt': onEntity({ fields: ['business.name'], reason: 'a test' }),
  'POST /businesses/{fp_bid}/vault/integrity': onEntity({
    fields: ['business.name'],
    signing_key: SIGNING_KEY,
  }),
  'POST /businesses/{fp_bid}/vault/{identifier}/upload': ({ business }) => ({
    params: { fp_bid: business, identifier: 'document.custom.licence' },
    ...aFile,
  }),
  'POST /users/{fp_id}/client_token': onEntity({ scope: 'vault' as const, fields: ['id.email'] }),
  'POST /businesses/{fp_bid}/client_token': onEntity({
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
  'POST /users/{fp_id}/label': onEntity({ kind: 'active' as const }),
  'POST /users/{fp_id}/tags': onEntity({ tag: 'vip' }),
  'DELETE /users/{fp_id}/tags/{tag_id}': async ({ service, user }) => {
    const params = { fp_id: user };
    const { body } = await service.call('POST /users/{fp_id}/tags', { params, body: { tag: 'vip' } });
    return { params: { ...params, tag_id: body.id }, body: { reason: 'an example' } };
  },
  'POST /businesses/{fp_bid}/label': onEntity({ kind: 'offboard_other' as const }),
  'POST /businesses/{fp_bid}/tags': onEntity({ tag: 'supplier' }),
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
  'GET /onboardings/{id}': aboutRun(undefined),
  'POST /onboarding/session': sending({ key: KYC, bootstrap_data: { 'id.first_name': 'Mina' } }),
  'POST /onboarding/session/validate': async ({ service }) => {
    const { body } = await service.call('POST /_kyclone/sessions/complete', {
      body: { token: await session(service), data: aReadyUser() },
    });
    return { params: {}, body: { validation_token: body.validation_token } };
  },
  'GET /users/{fp_id}/decisions': ofOnboardedUser,
  'POST /users/{fp_id}/decisions': afterRun(
    { status: 'pass' as const, annotation: 'seen in person' },
    {},
    'manual_review',
  ),
  'GET /businesses/{fp_bid}/decisions': ofOnboardedBusiness,
  'POST /businesses/{fp_bid}/decisions': async ({ service }) => ({
    params: { fp_bid: (await onboardedBusiness(service)).fp_bid },
    body: { status: 'fail' as const, annotation: 'dissolved' },
  }),
  'GET /users/{fp_id}/risk_signals': ofOnboardedUser,
  'GET /users/{fp_id}/match_signals': ofOnboardedUser,
  'POST /users/{fp_id}/reonboard': afterRun({ key: KYC }, {}),
  'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': async ({ service }) => ({
    params: await onboarded(service),
    body: undefined,
  }),
  'GET /businesses/{fp_bid}/risk_signals': ofOnboardedBusiness,
  'GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': async ({ service }) => ({
    params: await onboardedBusiness(service),
    body: undefined,
  }),
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
  'POST /users/{fp_id}/integrations/{partner_a}/cip_report': afterRun(
    { default_approver: 'Compliance' },
    { partner_a: 'partner_a' },
  ),
  'POST /users/{fp_id}/integrations/{partner_b}/account': afterRun(ACCOUNT, { partner_b: 'partner_b' }),
  'POST /users/{fp_id}/integrations/{partner_b}/cip': afterRun(CIP, { partner_b: 'partner_b' }),
  'POST /_kyclone/reset': sending({ seed: 'again' }),
  'POST /_kyclone/store/check': plain,
  'PATCH /_kyclone/settings': sending({ events: { extended: true } }),
  'POST /_kyclone/api-keys': sending({ name: 'another' }),
  'PATCH /_kyclone/api-keys/{id}': ({ spareKey }) => ({ params: { id: spareKey }, body: { enabled: false } }),
  'DELETE /_kyclone/api-keys/{id}': ({ spareKey }) => ({ params: { id: spareKey }, body: undefined }),
  'POST /_kyclone/keyring/rotate': plain,
  'POST /_kyclone/keyring/slots': sending({ kind: 'recovery' as const }),
  'DELETE /_kyclone/keyring/slots/{id}': async ({ service }) => {
    await addSlot(service);
    return { params: { id: await addSlot(service) }, body: undefined };
  },
  'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': async ({ service }) => {
    const { fp_id } = await onboarded(service, 'manual_review');
    return {
      params: { fp_id, reason_code: 'watchlist_hit_ofac' },
      body: { decision: 'false_positive' as const, reason: 'another date of birth' },
    };
  },
  'POST /_kyclone/entities/{fp_id}/notes': onEntity({ text: 'called about her address' }),
  'POST /_kyclone/entities/{fp_id}/request_info': onEntity({ note: 'a proof of your address' }),
  'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': async ({ service, user }) => {
    const params = { fp_id: user };
    const body = { text: 'gone soon' };
    const note = await service.call('POST /_kyclone/entities/{fp_id}/notes', { params, body });
    return { params: { ...params, note_id: note.body.id }, body: { reason: 'an example' } };
  },
  'POST /_kyclone/entities/{fp_id}/claim': byAda(onEntity({ take_over: true })),
  'DELETE /_kyclone/entities/{fp_id}/claim': byAda(ofEntity),
  'PATCH /_kyclone/entities/{fp_id}': onEntity({ device_id: 'device-1', label: 'active' as const }),
  'POST /_kyclone/search': () => ({ params: {}, body: { search: 'jane' } }),
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
  'POST /_kyclone/onboardings/{id}/resolve': aboutRun({ outcome: 'pass' as const }, 'pending'),
  'POST /_kyclone/sessions/complete': async ({ service }) => ({
    params: {},
    body: { token: await session(service), data: aReadyUser() },
  }),
  'POST /_kyclone/playbooks': sending({ name: 'Documents', kind: 'document' as const }),
  'GET /_kyclone/playbooks/{key}': () => ({ params: { key: KYC }, body: undefined }),
  'PATCH /_kyclone/playbooks/{key}': () => ({ params: { key: KYC }, body: { delay_ms: 500 } }),
  'DELETE /_kyclone/playbooks/{key}': async ({ service }) => ({
    params: { key: await playbook(service) },
    body: undefined,
  }),
  'POST /_kyclone/outcomes': sending({
    ...A_RULE,
    delay_ms: 1000,
    times: 2,
    signals: { add: ['watchlist_hit_pep'] },
  }),
  'GET /_kyclone/outcomes/{id}': withId(rule),
  'PATCH /_kyclone/outcomes/{id}': withId(rule, { enabled: false }),
  'DELETE /_kyclone/outcomes/{id}': withId(rule),
  'POST /_kyclone/webhooks': sending(RECEIVER),
  'GET /_kyclone/webhooks/{id}': withId(webhook),
  'PATCH /_kyclone/webhooks/{id}': withId(webhook, { kinds: ['onboarding.completed'] }),
  'DELETE /_kyclone/webhooks/{id}': withId(webhook),
  'POST /_kyclone/webhooks/{id}/rotate': withId(webhook),
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
  'PUT /_kyclone/clock': sending({ action: 'advance' as const, by: '5m' }),
  'GET /_kyclone/stream': () => ({ params: {}, body: undefined, query: { follow: false } }),
};

async function addSlot(service: TestService): Promise<string> {
  return (await service.call('POST /_kyclone/keyring/slots', { body: { kind: 'recovery' } })).body.id;
}

/** Sends the samples of all endpoints that create something, but not of those that change the whole instance. */
export async function sendSamples(service: TestService): Promise<void> {
  const stage = await setStage(service);
  for (const { key } of endpoints) {
    if (key.startsWith('POST ') && !/^POST \/_kyclone\/(?:reset|snapshots|keyring)/.test(key))
      await service.send(asRaw(key, await samples[key](stage)));
  }
}

type Declared<K extends EndpointKey> = Extract<
  Registry[K] extends { readonly errors: readonly (infer Code)[] } ? Code : never,
  ErrorCode
>;
type Provoke = (stage: Stage) => LooseParts | Promise<LooseParts>;

const createConflict =
  (other: 'POST /users' | 'POST /businesses'): Provoke =>
  async ({ service }) => {
    await service.call(other, { headers: { 'x-external-id': 'taken-already' } });
    return { headers: { 'x-external-id': 'taken-already' } };
  };
const takenByAnother: Provoke = async (stage) => {
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
  (stage) => ({ params: { ...ofEntity(stage).params, identifier }, ...aFile });
const tokenUpload =
  (identifier: string): Provoke =>
  ({ token }) => ({ params: { identifier }, as: token, ...aFile });
const download =
  (body: Record<string, unknown>): Provoke =>
  async ({ service, user }) => ({ params: { token: await service.token(user, body) } });

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
  return { 'x-fp-proxy-ingress-content-type': 'json', 'x-fp-proxy-ingress-rule': `${identifier}=$.color` };
}

const runErrors = (key: string) => ({
  playbook_unknown: onEntity({ key: 'pb_test_nobody' }),
  T121: onEntity({ key }),
});
const elsewhere =
  (body?: unknown): Provoke =>
  () => ({ query: { tenant: 'nobody' }, body });

type Failing = { [K in EndpointKey]: [Declared<K>] extends [never] ? never : K }[EndpointKey];

type Provocations = { readonly [K in Failing]: { readonly [Code in Declared<K>]: Provoke } } & {
  readonly [K in EndpointKey]?: { readonly [Code in ErrorCode]?: Provoke };
};

/** The requests that cause each declared error. */
export const provocations: Provocations = {
  ...bankProvocations,
  ...consoleProvocations,
  ...hostedProvocations,
  ...proxyProvocations,
  ...recordingProvocations,
  ...sessionProvocations,
  ...snapshotProvocations,
  'POST /users': {
    T120: () => ({ body: { 'id.dob': 'yesterday' } }),
    conflict: createConflict('POST /businesses'),
  },
  'PATCH /users/{fp_id}': { external_id_taken: takenByAnother },
  'POST /businesses': {
    T120: () => ({ body: { 'business.tin': 'x' } }),
    conflict: createConflict('POST /users'),
  },
  'PATCH /businesses/{fp_bid}': { external_id_taken: takenByAnother },
  'POST /users/{fp_id}/verify': { reason_required: onEntity({ identifier: 'id.dob', value: '1988-12-30' }) },
  'POST /businesses/{fp_bid}/verify': {
    reason_required: onEntity({ identifier: 'business.name', value: 'Acme' }),
  },
  'POST /users/{fp_id}/compare': { not_found: onEntity({ with: 'fp_id_0000000000000000000000' }) },
  'POST /businesses/{fp_bid}/compare': { not_found: onEntity({ with: 'fp_bid_0000000000000000000000' }) },
  'PATCH /users/{fp_id}/vault': { T120: onEntity({ 'id.dob': 'yesterday' }) },
  'DELETE /users/{fp_id}/vault': { T120: onEntity({ fields: ['id.ssn4'] }) },
  'POST /users/{fp_id}/vault/validate': { T120: onEntity({ 'id.dob': 'yesterday' }) },
  'POST /users/{fp_id}/vault/decrypt': decryptions(onEntity, 'id.email'),
  'POST /users/{fp_id}/vault/{identifier}/upload': { T120: upload('document.passport.front.mime_type') },
  'PATCH /businesses/{fp_bid}/vault': { T120: onEntity({ 'business.tin': 'x' }) },
  'DELETE /businesses/{fp_bid}/vault': { T120: onEntity({ fields: ['id.email'] }) },
  'POST /businesses/{fp_bid}/vault/validate': { T120: onEntity({ 'business.tin': 'x' }) },
  'POST /businesses/{fp_bid}/vault/decrypt': decryptions(onEntity, 'business.name'),
  'POST /businesses/{fp_bid}/vault/{identifier}/upload': { T120: upload('id.email') },
  'POST /users/{fp_id}/client_token': {
    permission_denied: withoutRight('vault.write', onEntity({ scope: 'vault', fields: ['id.email'] })),
  },
  'POST /businesses/{fp_bid}/client_token': {
    permission_denied: withoutRight('decrypt:*', onEntity({ scope: 'decrypt', fields: ['business.name'] })),
  },
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
    ...decryptions(beyondToken, 'id.email'),
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
  'POST /_kyclone/api-keys': {
    conflict: async ({ service }) => {
      const key = `sk_test_${'c'.repeat(32)}`;
      await service.key({ key });
      return { body: { key } };
    },
  },
  'POST /_kyclone/keyring/slots': {
    key_file_refused: () => ({ body: { kind: 'key_file', path: '/' } }),
    vault_key_invalid: () => ({ body: { kind: 'passphrase', passphrase: 'KYRC-0000-0000-0000' } }),
  },
  'DELETE /_kyclone/keyring/slots/{id}': {
    conflict: async ({ service }) => ({ params: { id: await addSlot(service) } }),
  },
  'GET /_kyclone/entities': { not_found: elsewhere() },
  'POST /_kyclone/entities/{fp_id}/claim': { conflict: claimedByBo },
  'DELETE /_kyclone/entities/{fp_id}/claim': { conflict: claimedByBo },
  'POST /_kyclone/search': { not_found: elsewhere({ search: 'jane' }) },
  'GET /_kyclone/reviews': { not_found: elsewhere() },
  'POST /users/{fp_id}/kyc': { ...runErrors(KYC), T122: afterRun({ key: KYC, allow_reonboard: false }, {}) },
  'POST /businesses/{fp_bid}/kyb': {
    ...runErrors(KYB),
    T122: async ({ service }) => ({
      params: { fp_bid: (await onboardedBusiness(service)).fp_bid },
      body: { key: KYB, allow_reonboard: false },
    }),
  },
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
  'POST /users/{fp_id}/reonboard': runErrors(KYC),
  'POST /users/{fp_id}/integrations/{partner_a}/cip_report': {
    decision_required: ({ user }) => ({
      params: { fp_id: user, partner_a: 'partner_a' },
      body: { default_approver: 'Compliance' },
    }),
  },
  'POST /users/{fp_id}/integrations/{partner_b}/account': {
    decision_not_approved: afterRun(ACCOUNT, { partner_b: 'partner_b' }, 'fail'),
    partner_unreachable: afterRun({ ...ACCOUNT, hostname: 'localhost:1' }, { partner_b: 'partner_b' }),
  },
  'POST /users/{fp_id}/integrations/{partner_b}/cip': {
    decision_not_approved: afterRun(CIP, { partner_b: 'partner_b' }, 'fail'),
    partner_unreachable: afterRun({ ...CIP, hostname: 'localhost:1' }, { partner_b: 'partner_b' }),
  },
  'POST /_kyclone/onboardings/{id}/resolve': { conflict: aboutRun({ outcome: 'fail' }) },
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
  'GET /_kyclone/playbooks': { not_found: elsewhere() },
  'POST /_kyclone/playbooks': {
    not_found: elsewhere({ name: 'x', kind: 'kyc' }),
    conflict: () => ({ body: { name: 'again', kind: 'kyc', key: KYC } }),
  },
  'DELETE /_kyclone/playbooks/{key}': {
    conflict: async ({ service }) => {
      await onboarded(service, 'pending');
      return { params: { key: KYC } };
    },
  },
  'GET /_kyclone/outcomes': { not_found: elsewhere() },
  'POST /_kyclone/outcomes': { not_found: elsewhere(A_RULE) },
  'GET /_kyclone/webhooks': { not_found: elsewhere() },
  'POST /_kyclone/webhooks': { not_found: elsewhere(RECEIVER) },
  'GET /_kyclone/events': { not_found: elsewhere() },
  'POST /_kyclone/events/trigger': {
    not_found: () => ({ body: { kind: 'onboarding.completed', fp_id: 'fp_id_nobody' } }),
  },
  'GET /_kyclone/deliveries': { not_found: elsewhere() },
};
