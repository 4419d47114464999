/**
 * A successful request for every endpoint about a hosted flow's user or session, and a request that causes each
 * declared error.
 */
import { aReadyUser, KYB, KYC } from './builders.ts';
import type { TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
  readonly user: string;
}

const COMPLETE = 'POST /_kyclone/sessions/complete';
const KINDS_TOKEN = { kind: 'update_auth_methods' as const };

async function onboarded(service: TestService): Promise<string> {
  const fp_id = await service.user(aReadyUser());
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC } });
  return fp_id;
}

/** Makes a session for a new user. */
async function aSession(service: TestService): Promise<{ id: string; token: string }> {
  const fp_id = await service.user(aReadyUser());
  const { body } = await service.call('POST /onboarding/session', { body: { key: KYC, fp_id } });
  const { data } = (await service.call('GET /_kyclone/sessions', { query: { fp_id } })).body;
  return { id: data[0]?.id ?? '', token: body.token };
}
const ofSession = async ({ service }: Stage) => ({
  params: { id: (await aSession(service)).id },
  body: undefined,
});

export const sessionSamples = {
  'POST /onboarding/session/run': async ({ service }: Stage) => ({
    params: {},
    body: { key: KYC, fp_id: await service.user(aReadyUser()) },
  }),
  'POST /users/{fp_id}/token': ({ user }: Stage) => ({ params: { fp_id: user }, body: KINDS_TOKEN }),
  'GET /_kyclone/sessions/{id}': ofSession,
  'DELETE /_kyclone/sessions/{id}': ofSession,
};

const runOf = (body: object) => ({ body: { key: KYC, ...body } });

export const sessionProvocations = {
  'POST /onboarding/session/run': {
    T120: ({ user }: Stage) => runOf({ fp_id: user, bootstrap_data: { 'id.dob': 'yesterday' } }),
    T122: async ({ service }: Stage) => runOf({ fp_id: await onboarded(service) }),
    playbook_unknown: ({ user }: Stage) => runOf({ fp_id: user, key: 'pb_test_nobody' }),
    not_found: () => runOf({ fp_id: 'fp_id_nobody' }),
    conflict: async ({ service }: Stage) => {
      await service.call('POST /businesses', { headers: { 'x-external-id': 'taken-by-a-business' } });
      return runOf({ user_external_id: 'taken-by-a-business' });
    },
  },
  'POST /users/{fp_id}/token': {
    playbook_unknown: ({ user }: Stage) => ({
      params: { fp_id: user },
      body: { kind: 'onboard', key: 'pb_test_nobody' },
    }),
    not_found: async ({ service, user }: Stage) => ({
      params: { fp_id: user },
      body: { kind: 'onboard', key: KYB, fp_bid: await service.business() },
    }),
    conflict: ({ user }: Stage) => ({ params: { fp_id: user }, body: { kind: 'inherit' } }),
  },
  'GET /_kyclone/sessions': { not_found: () => ({ query: { tenant: 'nobody' } }) },
  'DELETE /_kyclone/sessions/{id}': {
    conflict: async ({ service }: Stage) => {
      const { id, token } = await aSession(service);
      await service.call(COMPLETE, { body: { token, data: aReadyUser() } });
      return { params: { id } };
    },
  },
};
