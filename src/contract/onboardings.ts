/** Runs of entities through playbooks, headless or in a hosted flow (contract §4, §10, §11). */
import { Type } from '@sinclair/typebox';
import { controlToken, endpoint, secretKey, VAULT_BODY_LIMIT_BYTES, type Stability } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { named } from './named.ts';
import {
  ExternalId,
  IdentifierMap,
  Nullable,
  OffsetPage,
  OffsetQuery,
  OneOf,
  OnboardingStatusName,
  OutcomeName,
  Timestamp,
} from './shapes.ts';

const control = { stability: 'emulator' satisfies Stability, auth: controlToken } as const;
const strict = { additionalProperties: false } as const;

const OnboardingExternalId = Type.Optional(
  Nullable(Type.String({ minLength: 1, maxLength: 256, description: 'a text of 1 to 256 characters' })),
);
/** Which playbook a run is on. */
const PlaybookRef = Type.String({
  ...{ minLength: 1, maxLength: 128 },
  [EXPECTS]: 'the key of a playbook',
});
const AllowReonboard = Type.Optional(Type.Boolean());

/** What a run came to, for whoever started it. */
export const RunResult = named(
  'RunResult',
  Type.Object({
    fp_id: Type.String(),
    onboarding_id: Type.String(),
    playbook_key: Type.String(),
    status: OnboardingStatusName,
    requires_manual_review: Type.Boolean(),
  }),
);

const run = {
  auth: secretKey({ permission: 'onboard' }),
  stability: 'extension',
  body: named(
    'RunRequest',
    Type.Object({
      key: PlaybookRef,
      fixture_result: Type.Optional(OutcomeName),
      allow_reonboard: AllowReonboard,
      force_reonboard: AllowReonboard,
      onboarding_external_id: OnboardingExternalId,
    }),
  ),
  response: RunResult,
  errors: ['playbook_unknown', 'T121', 'T122'],
  assumed: [
    { what: 'sandbox-id prefixes and outcome rules choose the result', why: 'A54' },
    {
      what: 'manual_review ends as fail with requires_manual_review; error leaves the entity incomplete',
      why: 'A55',
    },
  ],
} as const;

/** An onboarding as the event tells it (contract §4.6). */
const Onboarding = named(
  'Onboarding',
  Type.Object({
    id: Type.String(),
    onboarding_id: Type.String({ description: 'the same as id' }),
    fp_id: Type.String({ description: 'a user or a business' }),
    status: OnboardingStatusName,
    requires_manual_review: Type.Boolean(),
    is_live: Type.Boolean(),
    playbook_key: Type.String(),
    playbook_version: Type.Integer(),
    external_id: Nullable(Type.String()),
    onboarding_external_id: Nullable(Type.String()),
    created_at: Timestamp,
    timestamp: Timestamp,
    completed_at: Nullable(Timestamp),
  }),
);

export const OnboardingItem = named(
  'OnboardingSummary',
  Type.Object({
    id: Type.String(),
    playbook_key: Type.String(),
    playbook_version: Type.Integer(),
    status: OnboardingStatusName,
    requires_manual_review: Type.Boolean(),
    timestamp: Timestamp,
  }),
);

const list = {
  auth: secretKey({ scope: 'preview:onboardings_list' }),
  stability: 'extension',
  query: Type.Object(OffsetQuery),
  response: OffsetPage(OnboardingItem),
  errors: [],
} as const;

export const AUTH_KINDS = ['sms', 'email', 'passkey'] as const;
const AuthKindName = named('AuthKind', OneOf(AUTH_KINDS));

export const onboardingEndpoints = [
  endpoint('POST /users/{fp_id}/kyc', {
    operationId: 'runUserKyc',
    ...run,
    assumed: [
      ...run.assumed,
      { what: 'headless KYC takes US addresses only', why: 'A53' },
      {
        what: 'a playbook that requires id.us_legal_status asks a holder of a visa for its kind and expiration date, the nationality and the citizenships',
        why: 'ours: a visa says little without them',
      },
    ],
    summary: 'Run a user through a kyc or document playbook',
  }),
  endpoint('POST /businesses/{fp_bid}/kyb', {
    operationId: 'runBusinessKyb',
    ...run,
    summary: 'Run a business through a kyb playbook',
  }),
  endpoint('GET /users/{fp_id}/onboardings', {
    operationId: 'listUserOnboardings',
    ...list,
    summary: "A user's onboardings, newest first",
  }),
  endpoint('GET /businesses/{fp_bid}/onboardings', {
    operationId: 'listBusinessOnboardings',
    ...list,
    summary: "A business's onboardings, newest first",
  }),
  endpoint('GET /onboardings/{id}', {
    operationId: 'getOnboarding',
    auth: secretKey(),
    stability: 'stable',
    response: Onboarding,
    errors: [],
    assumed: [
      {
        what: 'the event fields plus created_at and completed_at, also for pending and incomplete',
        why: 'A58',
      },
    ],
    summary: 'What an onboarding came to',
  }),
  endpoint('POST /onboarding/session', {
    operationId: 'createOnboardingSession',
    auth: secretKey({ scope: 'preview:onboarding_session_token', permission: 'onboard' }),
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
      }),
    ),
    bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
    response: named(
      'OnboardingSession',
      Type.Object({
        token: Type.String({ description: 'obtok_…' }),
        link: Type.String(),
        expires_at: Timestamp,
      }),
    ),
    errors: ['T120', 'T122', 'playbook_unknown', 'not_found', 'conflict'],
    carriesVaultData: true,
    assumed: [
      {
        what: 'dates of bootstrap_data may be MM/DD/YYYY; business.primary_owner_stake and business.secondary_beneficial_owners are checked and kept with the session, for the owners’ step',
        why: 'A71',
      },
      {
        what: 'every country is taken; tax number and state are asked for addresses in the United States only',
        why: 'A53',
      },
      {
        what: 'the flow itself is played with POST /_kyclone/sessions/complete; the link leads nowhere',
        why: 'A71, §11',
      },
    ],
    summary: 'Begin a hosted onboarding: a token for the embedded flow, for 60 minutes',
  }),
  endpoint('POST /onboarding/session/validate', {
    operationId: 'validateOnboardingSession',
    auth: secretKey({ permission: 'onboard' }),
    stability: 'extension',
    body: named(
      'ValidateOnboardingSessionRequest',
      Type.Object({
        validation_token: Type.String({
          ...{ minLength: 1, maxLength: 128 },
          [EXPECTS]: 'the token that a hosted flow ended with (vtok_…)',
        }),
      }),
    ),
    response: named(
      'OnboardingSessionResult',
      Type.Object({
        user_auth: Type.Object({
          fp_id: Type.String(),
          auth_events: Type.Array(Type.Object({ kind: AuthKindName, timestamp: Timestamp })),
        }),
        user: Type.Optional(RunResult),
        business: Type.Optional(RunResult),
      }),
    ),
    errors: [],
    summary: 'What a hosted onboarding came to, by the token that its flow ended with',
  }),
  endpoint('POST /_kyclone/onboardings/{id}/resolve', {
    operationId: 'resolveOnboarding',
    ...control,
    body: named('ResolveOnboardingRequest', Type.Object({ outcome: OutcomeName }, strict)),
    response: Onboarding,
    errors: ['conflict'],
    summary: 'Let a pending or incomplete onboarding come to an outcome now',
  }),
  endpoint('POST /_kyclone/sessions/complete', {
    operationId: 'completeOnboardingSession',
    ...control,
    body: named(
      'CompleteOnboardingSessionRequest',
      Type.Object(
        {
          token: Type.String({
            ...{ minLength: 1, maxLength: 128 },
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
        user: RunResult,
        business: Type.Optional(RunResult),
      }),
    ),
    errors: ['conflict', 'T120', 'T121', 'T122', 'playbook_unknown'],
    carriesVaultData: true,
    assumed: [
      {
        what: 'of a kyb session the user is run on the same playbook, as the owner who goes through the flow',
        why: 'ours: the answer has a user always',
      },
      { what: 'KYB through a session turns terminal 120 s after the user leaves', why: 'A52' },
    ],
    summary: 'Play the user who finishes the hosted flow',
  }),
] as const;
