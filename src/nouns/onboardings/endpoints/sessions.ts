/** Hosted flows: started, skipped where no data is missing, completed, listed and closed (contract §10, §11, §14). */
import { Type } from '@sinclair/typebox';
import { AUTH_KINDS } from '../../hosted/facts.ts';
import {
  SESSION_STATES,
  SESSION_STEPS,
  LOGIN_METHODS,
  USER_TOKEN_KINDS,
  USER_TOKEN_MINUTES,
} from '../facts.ts';
import { VAULT_BODY_LIMIT_BYTES } from '../../../contract/facts/limits.ts';
import { control, endpoint, secretKey } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  ExternalId,
  IdentifierMap,
  Nullable,
  OneOf,
  OutcomeName,
  RedirectUrl,
  SpaceQuery,
  Timestamp,
  strict,
} from '../../../contract/shapes.ts';
import { AllowReonboard, HostedLink, OnboardingExternalId, PlaybookRef, RunResult } from './index.ts';

/** The input of a hosted onboarding, also of a run without one where no data is missing. */
const session = {
  auth: secretKey({ scope: 'preview:onboarding_session_token' }),
  stability: 'extension',
  body: named(
    'CreateOnboardingSessionRequest',
    Type.Object({
      key: PlaybookRef,
      fp_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          [EXPECTS]: 'the id of a user (fp_id_ and 22 letters or digits)',
        }),
      ),
      user_external_id: Type.Optional(ExternalId),
      business_external_id: Type.Optional(ExternalId),
      bootstrap_data: Type.Optional(IdentifierMap),
      allow_reonboard: AllowReonboard,
      onboarding_external_id: OnboardingExternalId,
      redirect_url: Type.Optional(RedirectUrl),
    }),
  ),
  bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
  errors: ['T120', 'playbook_unknown', 'not_found', 'conflict'],
  carriesVaultData: true,
} as const;

const AuthKindName = named('AuthKind', OneOf(AUTH_KINDS));

const AuthEvent = named('AuthEvent', Type.Object({ kind: AuthKindName, timestamp: Timestamp }));

const SessionStateName = named('SessionState', OneOf(SESSION_STATES));

/** A hosted flow in the form of the control plane. */
export const Session = named(
  'HostedSession',
  Type.Object({
    id: Type.String({ description: 'ses_…' }),
    playbook_key: Nullable(Type.String()),
    fp_id: Nullable(Type.String({ description: 'the user, if known' })),
    fp_bid: Nullable(Type.String({ description: 'the business, if known' })),
    state: SessionStateName,
    step: Nullable(OneOf(SESSION_STEPS)),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

export const sessionEndpoints = [
  endpoint('POST /onboarding/session', {
    operationId: 'createOnboardingSession',
    ...session,
    response: HostedLink,
    assumed: [
      {
        what: 'dates of bootstrap_data may be MM/DD/YYYY; business.primary_owner_stake and one list of other owners, under any of its three names, are checked and stored with the session, for the owners’ step',
        why: 'A71',
      },
      {
        what: 'every country is accepted; tax number and state are required for addresses in the United States only',
        why: 'A53',
      },
      {
        what: 'the link opens the page of the flow; a test without a browser completes it with POST /_kyclone/sessions/complete',
        why: 'A75, §11, §14',
      },
      {
        what: 'redirect_url is checked and stored with the session; hosts are compared with their ports, and user name and password are refused',
        why: 'A75, §14',
      },
    ],
    summary: 'Start a hosted onboarding: returns a token for the embedded flow, valid for 60 minutes',
  }),
  endpoint('POST /onboarding/session/run', {
    operationId: 'runOnboardingSession',
    ...session,
    errors: [...session.errors, 'T122'],
    response: named(
      'RunOrOnboardingSession',
      Type.Object({
        user: Type.Optional(RunResult),
        business: Type.Optional(RunResult),
        continue_onboarding: Type.Optional(HostedLink),
      }),
    ),
    assumed: [
      {
        what: 'bootstrap_data counts towards the requirements and is stored by the run; if requirements are unmet it stays in the session',
        why: 'ours: a person would confirm it on the page',
      },
      {
        what: 'the run creates a missing entity that is named by an external id, as a session does; a business is run without its owner when no user is named',
        why: 'ours: as POST /_kyclone/sessions/complete',
      },
      {
        what: 'requirements and countries are those of a hosted flow, the delay is delay_ms; a playbook that collects owners always goes on in a session',
        why: '§4.1, §4.2',
      },
      { what: 'needs preview:onboarding_session_token', why: 'ours: it may start a session' },
    ],
    summary: "Run an entity that meets the playbook's requirements; otherwise start a hosted onboarding",
  }),
  endpoint('POST /users/{fp_id}/token', {
    operationId: 'createUserSession',
    auth: secretKey(),
    stability: 'extension',
    body: named(
      'CreateUserSessionRequest',
      Type.Object({
        kind: OneOf(USER_TOKEN_KINDS),
        key: Type.Optional(PlaybookRef),
        ttl_min: Type.Optional(
          Type.Integer({
            minimum: USER_TOKEN_MINUTES.least,
            maximum: USER_TOKEN_MINUTES.most,
            default: USER_TOKEN_MINUTES.default,
            description: 'minutes',
          }),
        ),
        allow_reonboard: AllowReonboard,
        fp_bid: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            [EXPECTS]: 'the id of a business of the user (fp_bid_ and 22 letters or digits)',
          }),
        ),
        limit_auth_methods: Type.Optional(
          Type.Array(OneOf(LOGIN_METHODS), {
            minItems: 1,
            maxItems: LOGIN_METHODS.length,
            [EXPECTS]: `a list of ${LOGIN_METHODS.join(', ')}`,
          }),
        ),
      }),
    ),
    response: HostedLink,
    errors: ['playbook_unknown', 'not_found', 'conflict'],
    assumed: [
      {
        what: 'key, allow_reonboard and fp_bid are 400 with a kind that starts no onboarding; document takes the key of a document playbook, and stores a document without a run when there is none',
        why: 'ours: as POST /onboarding/session',
      },
      {
        what: 'user identifies the person and asks for what was requested, without a run; reonboard is onboard with allow_reonboard',
        why: '§10',
      },
      {
        what: 'a passkey is simulated: it identifies the user of the token without a code, where limit_auth_methods names it',
        why: '§14',
      },
      {
        what: 'a session of kind inherit completes with the outcome of its onboarding if that has ended in the meantime',
        why: 'ours: its document may have arrived before the last page',
      },
      {
        what: 'a session of kind update_auth_methods is completed with either id.email or id.phone_number, starts no run, and reports in user_auth how it was verified',
        why: 'A71, §11',
      },
    ],
    summary:
      'Start a hosted flow of a user: onboard, continue an onboarding, give a document, or verify a new e-mail or phone',
  }),
  endpoint('POST /onboarding/session/validate', {
    operationId: 'validateOnboardingSession',
    auth: secretKey(),
    stability: 'extension',
    body: named(
      'ValidateOnboardingSessionRequest',
      Type.Object({
        validation_token: Type.String({
          minLength: 1,
          maxLength: 128,
          [EXPECTS]: 'the token that a hosted flow ended with (vtok_…)',
        }),
      }),
    ),
    response: named(
      'OnboardingSessionResult',
      Type.Object({
        user_auth: Type.Object({ fp_id: Type.String(), auth_events: Type.Array(AuthEvent) }),
        user: Type.Optional(RunResult),
        business: Type.Optional(RunResult),
      }),
    ),
    summary: 'The outcome of a hosted onboarding, by its validation token',
  }),
  endpoint('GET /users/{fp_id}/auth_events', {
    operationId: 'listUserAuthEvents',
    auth: secretKey(),
    stability: 'deprecated',
    response: Type.Array(AuthEvent),
    assumed: [{ what: 'one for each hosted flow that the user has completed, newest first', why: '§2.25' }],
    summary: 'How a user was identified in hosted flows',
  }),
  endpoint('GET /_kyclone/sessions', {
    operationId: 'listSessions',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      state: Type.Optional(SessionStateName),
      fp_id: Type.Optional(Type.String({ maxLength: 64, description: 'id of a user or business' })),
    }),
    response: CursorPage(Session),
    errors: ['not_found'],
    summary: 'Sessions of hosted flows, newest first, without their tokens',
  }),
  endpoint('GET /_kyclone/sessions/{id}', {
    operationId: 'getSession',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Session,
    assumed: [
      {
        what: 'ids are ses_ and 22 characters; step is the current step of an open session, else null',
        why: 'A8, §14',
      },
    ],
    summary: 'Read a session',
  }),
  endpoint('DELETE /_kyclone/sessions/{id}', {
    operationId: 'deleteSession',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Empty,
    errors: ['conflict'],
    assumed: [
      {
        what: 'its onboarding stays incomplete; an expired or canceled session is unchanged, a completed one is 409',
        why: '§14: as when the person leaves',
      },
    ],
    summary: 'Close a session: its token becomes invalid',
  }),
  endpoint('POST /_kyclone/sessions/complete', {
    operationId: 'completeOnboardingSession',
    ...control,
    body: named(
      'CompleteOnboardingSessionRequest',
      Type.Object(
        {
          token: Type.String({
            minLength: 1,
            maxLength: 128,
            [EXPECTS]: 'the token of an onboarding session (obtok_…)',
          }),
          data: Type.Optional(IdentifierMap),
          business_data: Type.Optional(IdentifierMap),
          fixture_result: Type.Optional(OutcomeName),
          auth_kind: Type.Optional(AuthKindName),
        },
        strict,
      ),
    ),
    response: named(
      'CompletedOnboardingSession',
      Type.Object({
        validation_token: Type.String({ description: 'vtok_…, for 15 minutes' }),
        user: Type.Optional(RunResult),
        business: Type.Optional(RunResult),
      }),
    ),
    errors: ['conflict', 'permission_denied', 'T120', 'T121', 'T122', 'playbook_unknown'],
    carriesVaultData: true,
    assumed: [
      {
        what: 'in a kyb session the user is run on the same playbook, as the owner who completes the flow',
        why: 'ours: the response always has a user, except for a flow without a run',
      },
      { what: 'KYB through a session turns terminal 120 s after the user leaves', why: 'A52' },
    ],
    summary: 'Complete a hosted flow in place of the user',
  }),
] as const;
