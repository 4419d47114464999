/** A successful request for every call of a hosted page, a request for each of its errors, and flows at later steps. */
import type { RequestOf } from '../../src/contract/registry.ts';
import { aPng, aReadyUser, KYC } from './builders.ts';
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

type SessionBody = RequestOf<'POST /onboarding/session'>['body'];
type PlaybookBody = RequestOf<'POST /_kyclone/playbooks'>['body'];

/** Starts a session, on the default kyc playbook unless `body` names another. Returns its token. */
export async function aFlow(service: TestService, body: Partial<SessionBody> = {}): Promise<string> {
  return (await service.call('POST /onboarding/session', { body: { key: KYC, ...body } })).body.token;
}

/** Starts a session on a new playbook. */
export async function aFlowOn(
  service: TestService,
  playbook: Omit<PlaybookBody, 'name'>,
  body: Partial<SessionBody> = {},
): Promise<string> {
  const made = await service.call('POST /_kyclone/playbooks', { body: { name: 'Of a test', ...playbook } });
  return aFlow(service, { key: made.body.key, ...body });
}

export const PERSON = 'mina@hosted.example';
/** Numbers the people. Samples are sent many times, so each one needs a person who wasn't onboarded before. */
let people = 0;
const somebody = (): string => `mina.${++people}@hosted.example`;

export async function identify(service: TestService, token: string, email = somebody()): Promise<void> {
  const body = { data: { 'id.email': email } };
  await service.call('POST /hosted/session/identify', { as: token, body });
}

/** Lets the person of the link begin: identifies them, unless their contact is known, and gives the code. */
export async function enter(service: TestService, token: string): Promise<string> {
  const { identify: known } = (await service.call('GET /hosted/session', { as: token })).body;
  if (known.sent_to === null) await identify(service, token);
  await service.call('POST /hosted/session/verify', { as: token, body: { code: '000000' } });
  return token;
}

/** Identifies a person and gives the one-time code. */
export async function verify(service: TestService, token: string, email?: string): Promise<string> {
  await identify(service, token, email);
  await service.call('POST /hosted/session/verify', { as: token, body: { code: '000000' } });
  return token;
}

/** The data that the default kyc playbook asks for, by screen. */
export const SCREENS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  name: { 'id.first_name': 'Wilhelmina', 'id.last_name': 'Oyelaran' },
  birth: { 'id.dob': '1988-12-30' },
  address: {
    'id.country': 'US',
    'id.address_line1': '742 Evergreen Terrace',
    'id.city': 'Enclave',
    'id.state': 'CA',
    'id.zip': '94117',
  },
  tax: { 'id.ssn9': '121-12-1212' },
};

export async function giveData(service: TestService, token: string): Promise<string> {
  for (const [screen, data] of Object.entries(SCREENS)) {
    await service.call('POST /hosted/session/data', { as: token, body: { screen, data } });
  }
  return token;
}

export async function agree(service: TestService, token: string): Promise<string> {
  await service.call('POST /hosted/session/consent', { as: token, body: { consent: true } });
  return token;
}

/** Takes a session to its last step, which only has to be completed. */
export const atEnd = async (service: TestService, token: string, email?: string): Promise<string> =>
  agree(service, await giveData(service, await verify(service, token, email)));

const DOCUMENTS = { kind: 'document' as const };
const PASSPORT = { kind: 'passport' as const, country: 'DE' };
const OWNERS = { kind: 'kyb' as const, requirements: [['business.name']], collects_owners: true };

export async function withPassport(service: TestService): Promise<string> {
  const token = await verify(service, await aFlowOn(service, DOCUMENTS));
  await service.call('POST /hosted/session/document', { as: token, body: PASSPORT });
  return token;
}

const WITH_BANK = { kind: 'kyc' as const, requirements: [], bank_link: true };
const BANK = { institution: 'Example Savings', persona: 'thin', accounts: ['checking'] };

/** Makes a bank link intent and returns the token of its page. */
async function aBankPage(service: TestService): Promise<string> {
  const body = { fp_id: await service.user() };
  return (await service.call('POST /_kyclone/bank_link_intents', { body })).body.intent_token;
}

async function withBank(service: TestService): Promise<string> {
  const token = await aBankPage(service);
  await service.call('POST /hosted/session/bank', { as: token, body: BANK });
  return token;
}

const asFlow =
  <Body>(flow: (service: TestService) => Promise<string>, body: Body) =>
  async ({ service }: Stage) => ({ params: {}, body, as: await flow(service) });
const verified = async (service: TestService) => verify(service, await aFlow(service));
const verifiedOn = (playbook: Omit<PlaybookBody, 'name'>) => async (service: TestService) =>
  verify(service, await aFlowOn(service, playbook));
const given = { primary_stake: 40, others: [] };

export const hostedSamples = {
  'POST /hosted/browser/session': () => ({ params: {}, body: { key: KYC } }),
  'PATCH /hosted/browser/session': asFlow(aFlow, { bootstrap_data: { 'id.email': PERSON } }),
  'GET /hosted/session': asFlow(aFlow, undefined),
  'POST /hosted/session/identify': asFlow(aFlow, { data: { 'id.email': PERSON } }),
  'POST /hosted/session/verify': asFlow(
    async (service) => {
      const token = await aFlow(service);
      await identify(service, token);
      return token;
    },
    { code: '000000' },
  ),
  'POST /hosted/session/data': asFlow(verified, { screen: 'name', data: SCREENS['name'] ?? {} }),
  'POST /hosted/session/owners': asFlow(verifiedOn(OWNERS), given),
  'POST /hosted/session/document': asFlow(verifiedOn(DOCUMENTS), PASSPORT),
  'POST /hosted/session/document/{side}': async ({ service }: Stage) => ({
    params: { side: 'front' },
    headers: { 'content-type': 'image/png' },
    body: aPng(),
    as: await withPassport(service),
  }),
  'GET /hosted/session/bank': asFlow(aBankPage, undefined),
  'POST /hosted/session/bank': asFlow(verifiedOn(WITH_BANK), BANK),
  'POST /hosted/session/bank/complete': asFlow(withBank, { consent: true as const }),
  'POST /hosted/session/bank/cancel': asFlow(withBank, undefined),
  'POST /hosted/session/consent': asFlow(async (service) => giveData(service, await verified(service)), {
    consent: true as const,
  }),
  'POST /hosted/session/complete': asFlow(async (service) => atEnd(service, await aFlow(service)), {
    fixture_result: 'pass' as const,
  }),
  'POST /hosted/session/cancel': asFlow(verified, undefined),
};

const refusing =
  (flow: (service: TestService) => Promise<string>, body: unknown) =>
  async ({ service }: Stage): Promise<LooseParts> => ({ body, as: await flow(service) });

/** Takes the session of an API user without a tax number to its last step, and then gives the user another one. */
async function overtaken({ service }: Stage): Promise<LooseParts> {
  const { 'id.ssn9': _ssn9, ...withoutTax } = aReadyUser();
  const fp_id = await service.user(withoutTax);
  const as = await aFlow(service, { fp_id });
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  const { screens } = (await service.call('GET /hosted/session', { as })).body;
  for (const { name } of screens) {
    await service.call('POST /hosted/session/data', {
      as,
      body: { screen: name, data: SCREENS[name] ?? {} },
    });
  }
  await agree(service, as);
  const body = { 'id.itin': '912-70-1234' };
  await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id }, body });
  return { body: {}, as };
}

export const hostedProvocations = {
  'POST /hosted/browser/session': {
    T120: (): LooseParts => ({ body: { key: KYC, bootstrap_data: { 'id.dob': 'yesterday' } } }),
    playbook_unknown: (): LooseParts => ({ body: { key: 'pb_test_nothing' } }),
  },
  'PATCH /hosted/browser/session': {
    T120: refusing(aFlow, { bootstrap_data: { 'id.dob': 'yesterday' } }),
    conflict: refusing(
      async (service) => {
        const params = { fp_id: await service.user() };
        const body = { kind: 'update_auth_methods' } as const;
        return (await service.call('POST /users/{fp_id}/token', { params, body })).body.token;
      },
      { bootstrap_data: {} },
    ),
  },
  'POST /hosted/session/identify': { T120: refusing(aFlow, { data: { 'id.email': 'nobody' } }) },
  'POST /hosted/session/data': {
    T120: refusing(verified, { screen: 'birth', data: { 'id.dob': 'yesterday' } }),
    T121: refusing(verified, { screen: 'birth', data: {} }),
  },
  'POST /hosted/session/owners': {
    T120: refusing(verifiedOn(OWNERS), { primary_stake: 40, others: [{ ownership_stake: 10 }] }),
  },
  'POST /hosted/session/document': { T120: refusing(verifiedOn(DOCUMENTS), { ...PASSPORT, country: 'XX' }) },
  'POST /hosted/session/document/{side}': {
    T120: async ({ service }: Stage): Promise<LooseParts> => ({
      params: { side: 'front' },
      headers: { 'content-type': 'text/plain' },
      body: 'a file',
      as: await withPassport(service),
    }),
  },
  'POST /hosted/session/bank/complete': { T121: refusing(aBankPage, { consent: true }) },
  'POST /hosted/session/consent': { T121: refusing(verified, { consent: true }) },
  'POST /hosted/session/complete': {
    T120: overtaken,
    T121: refusing(verified, {}),
    T122: async ({ service }: Stage): Promise<LooseParts> => {
      const fp_id = await service.user(aReadyUser());
      await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC } });
      return { body: { fixture_result: 'pass' }, as: await enter(service, await aFlow(service, { fp_id })) };
    },
  },
};
