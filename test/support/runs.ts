/** Runs of users and businesses through playbooks, and the calls that show their results. */
import { expect } from 'vitest';
import type { AnswerOf, EndpointKey, RequestOf } from '../../src/contract/registry.ts';
import { aPng, KYB, KYC } from './builders.ts';
import { asRefusal, SANDBOX_KEY, type LooseParts, type Refused, type TestService } from './service.ts';

type Run = RequestOf<'POST /users/{fp_id}/kyc'>['body'];
export type RunBody = { readonly [Member in keyof Run]?: Run[Member] | undefined };
export type Rule = RequestOf<'POST /_kyclone/outcomes'>['body'];
type NewPlaybook = RequestOf<'POST /_kyclone/playbooks'>['body'];
type Space = RequestOf<'POST /_kyclone/playbooks'>['query'];

/** The calls about one entity, with this API key. */
export function onboardingOf(service: TestService, fpId: string, as: string = SANDBOX_KEY) {
  const isUser = fpId.startsWith('fp_id_');
  const path = isUser ? '/users/{fp_id}' : '/businesses/{fp_bid}';
  const params = { [isUser ? 'fp_id' : 'fp_bid']: fpId };
  const runKey: EndpointKey = isUser ? 'POST /users/{fp_id}/kyc' : 'POST /businesses/{fp_bid}/kyb';
  const key = isUser ? KYC : KYB;

  async function answered<T>(endpoint: EndpointKey, parts: LooseParts = {}): Promise<T> {
    const reply = await service.request(endpoint, { as, ...parts, params: { ...params, ...parts.params } });
    if (reply.status !== 200) throw new Error(`${endpoint} answered ${reply.status}: ${reply.text}`);
    return reply.body as T;
  }
  async function refused(endpoint: EndpointKey, parts: LooseParts = {}): Promise<Refused> {
    return asRefusal(await service.request(endpoint, { params, as, ...parts }), endpoint);
  }

  return {
    run: (body: RunBody = {}) => answered<Result>(runKey, { body: { key, ...body } }),
    refusedRun: (body: unknown) => refused(runKey, { body: { key, ...(body as object) } }),
    onboarding: async (id: string) =>
      (await service.call('GET /onboardings/{id}', { params: { id }, as })).body,
    list: (query: { page?: number; page_size?: number } = {}) =>
      answered<AnswerOf<'GET /users/{fp_id}/onboardings'>>(`GET ${path}/onboardings`, { query }),
    decisions: (query: { page?: number; page_size?: number } = {}) =>
      answered<AnswerOf<'GET /users/{fp_id}/decisions'>>(`GET ${path}/decisions`, { query }),
    decide: (body: object = {}) =>
      answered<object>(`POST ${path}/decisions`, { body: { status: 'pass', annotation: 'seen', ...body } }),
    refusedDecision: (body: object = {}) =>
      refused(`POST ${path}/decisions`, { body: { status: 'pass', annotation: 'seen', ...body } }),
    signals: () => answered<Signals>(`GET ${path}/risk_signals`),
    signalsOf: (onboarding_id: string) =>
      answered<Signals>(`GET ${path}/onboardings/{onboarding_id}/risk_signals`, {
        params: { onboarding_id },
      }),
    codes: async () => codesOf(await answered<Signals>(`GET ${path}/risk_signals`)),
    details: async () => {
      const details = await answered<{ status: string; requires_manual_review: boolean }>(`GET ${path}`);
      const { status, requires_manual_review } = details;
      return { status, requires_manual_review };
    },
    write: (values: Record<string, unknown>) => answered<object>(`PATCH ${path}/vault`, { body: values }),
    uploadFront: (kind: string) => service.upload(fpId, `document.${kind}.front.image`, aPng()),
    remove: () => answered<object>(`DELETE ${path}`),
  };
}

export type Result = AnswerOf<'POST /users/{fp_id}/kyc'>;
type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

export const codesOf = (signals: readonly { reason_code: string }[]) =>
  signals.map(({ reason_code }) => reason_code);

export async function aPlaybook(
  service: TestService,
  body: Partial<NewPlaybook> = {},
  query: Space = {},
): Promise<string> {
  const made = await service.call('POST /_kyclone/playbooks', {
    query,
    body: { name: 'of a test', kind: 'kyc', ...body },
  });
  return made.body.key;
}

export async function aRule(service: TestService, rule: Rule): Promise<string> {
  return (await service.call('POST /_kyclone/outcomes', { body: rule })).body.id;
}

/** Advances the instance's clock. Returns the number of due jobs that were run. */
export async function advance(service: TestService, by: string): Promise<number> {
  return (await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by } })).body.drained;
}

export async function resolve(service: TestService, id: string, outcome: string) {
  const reply = await service.request('POST /_kyclone/onboardings/{id}/resolve', {
    params: { id },
    body: { outcome },
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.body as { status: string; requires_manual_review: boolean };
}

export const refusedResolve = (service: TestService, id: string, outcome: string) =>
  service.refused('POST /_kyclone/onboardings/{id}/resolve', { params: { id }, body: { outcome } });

/** Returns the bodies of all events, oldest first, without the prefix of their kind. */
export async function eventsOf(service: TestService): Promise<Record<string, unknown>[]> {
  const { data } = (await service.call('GET /_kyclone/events', { query: { page_size: 100 } })).body;
  const ordered = service.database.prepare('SELECT id FROM events ORDER BY seq').pluck().all() as string[];
  return [...data]
    .sort((one, other) => ordered.indexOf(one.id) - ordered.indexOf(other.id))
    .map(({ body }) => ({ ...body, event_kind: String(body['event_kind']).replace(/^service\./, '') }));
}

export async function eventsOfKind(service: TestService, kind: string): Promise<Record<string, unknown>[]> {
  return (await eventsOf(service)).filter((event) => event['event_kind'] === kind);
}
