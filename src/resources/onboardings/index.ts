import type { EndpointKey } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { Decisions } from '../decisions/index.ts';
import { answer, linkByHost, vaultAnswer, type Handlers } from '../handlers.ts';
import type { Onboardings } from './service.ts';
import type { SessionRecords } from './session-records.ts';
import type { Sessions } from './sessions.ts';

export { proposedOwners } from './bootstrap.ts';
export { createOnboardings, type OnboardingItem, type Onboardings, type OnboardingView } from './service.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { createSessionRecords } from './session-records.ts';
export { createSessionTokens, type SessionTokens } from './session-tokens.ts';
export { requireRedirectUrl } from './redirect-url.ts';
export { bootstrapOf, type Bootstrap } from './bootstrap.ts';
export type { Engine } from './engine.ts';
export { FRONT_IMAGES } from './document-images.ts';
export { DOMESTIC, groupsOf } from './readiness.ts';
export { NO_PROGRESS, type GivenOwner, type SessionProgress } from './session-progress.ts';
export { findParticipants, type StoredSessionRequest } from './sessions-request.ts';
export { findByContact, storedText, type Contact } from './known-person.ts';
export { contactsOf, dataOf } from './session-owners.ts';
export { findIncomplete } from './repository.ts';
export {
  cancelSession,
  endSessionsOf,
  findSession,
  holdFile,
  releaseFile,
  type SessionRow,
} from './sessions-repository.ts';
export { createStatusChanges } from './status-changes.ts';
export { createVaultChanges } from './vault-changes.ts';

type OnboardingKeys = Extract<
  EndpointKey,
  | `${string}/${'kyc' | 'kyb' | 'decisions' | 'onboardings'}`
  | 'GET /onboardings/{id}'
  | `${string} /onboarding/session${string}`
  | 'POST /_kyclone/onboardings/{id}/resolve'
  | 'POST /users/{fp_id}/token'
  | `${string} /_kyclone/sessions${string}`
>;

export function onboardingHandlers(context: {
  database: Database;
  onboardings: Onboardings;
  sessions: Sessions;
  sessionRecords: SessionRecords;
  decisions: Decisions;
}): Handlers<OnboardingKeys> {
  const { database, onboardings, sessions, sessionRecords, decisions } = context;
  const run: Handlers<'POST /users/{fp_id}/kyc'>['POST /users/{fp_id}/kyc'] = async (request) => {
    const { result, version } = await onboardings.run(request, request.entity, request.body);
    const { in_progress_link: link } = result;
    return vaultAnswer(link ? { ...result, in_progress_link: linkByHost(request, link) } : result, version);
  };
  const list: Handlers<'GET /users/{fp_id}/onboardings'>['GET /users/{fp_id}/onboardings'] = ({
    entity,
    query,
  }) => answer(onboardings.list(entity, query));
  const decided: Handlers<'GET /users/{fp_id}/decisions'>['GET /users/{fp_id}/decisions'] = ({
    entity,
    query,
  }) => answer(decisions.list(database, entity, query));
  const decide: Handlers<'POST /users/{fp_id}/decisions'>['POST /users/{fp_id}/decisions'] = async ({
    entity,
    body,
    operator,
  }) => {
    await onboardings.review(entity, body, operator);
    return answer({});
  };

  return {
    'POST /users/{fp_id}/kyc': run,
    'POST /businesses/{fp_bid}/kyb': (request) =>
      run({ ...request, params: { fp_id: request.entity.fp_id } }),
    'GET /users/{fp_id}/onboardings': list,
    'GET /businesses/{fp_bid}/onboardings': (request) =>
      list({ ...request, params: { fp_id: request.entity.fp_id } }),
    'GET /users/{fp_id}/decisions': decided,
    'POST /users/{fp_id}/decisions': decide,
    'GET /businesses/{fp_bid}/decisions': (request) =>
      decided({ ...request, params: { fp_id: request.entity.fp_id } }),
    'POST /businesses/{fp_bid}/decisions': (request) =>
      decide({ ...request, params: { fp_id: request.entity.fp_id } }),
    'GET /onboardings/{id}': ({ caller, params }) => answer(onboardings.get(caller, params.id)),
    'POST /onboarding/session': async (request) =>
      answer(linkByHost(request, await sessions.begin(request.caller, request.body))),
    'POST /onboarding/session/run': async (request) => {
      const results = await sessions.run(request, request.body);
      const { continue_onboarding: link } = results;
      return answer(link ? { ...results, continue_onboarding: linkByHost(request, link) } : results);
    },
    'POST /users/{fp_id}/token': async (request) =>
      answer(linkByHost(request, await sessions.beginFor(request.caller, request.entity, request.body))),
    'POST /onboarding/session/validate': ({ caller, body }) =>
      answer(sessions.validate(caller, body.validation_token)),
    'POST /_kyclone/onboardings/{id}/resolve': async ({ params, body }) =>
      answer(await onboardings.resolve(params.id, body.outcome)),
    'GET /_kyclone/sessions': ({ query }) => answer(sessionRecords.list(query)),
    'GET /_kyclone/sessions/{id}': ({ params, query }) => answer(sessionRecords.get(params.id, query)),
    'DELETE /_kyclone/sessions/{id}': async ({ params, query }) => {
      await sessionRecords.cancel(params.id, query);
      return answer({});
    },
    'POST /_kyclone/sessions/complete': async (request) =>
      answer(await sessions.complete(request.body, request)),
  };
}
