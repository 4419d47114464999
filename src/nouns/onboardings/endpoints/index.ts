/** Runs of entities through playbooks, and their outcomes (contract §4, §10, §11). */
import { Type } from '@sinclair/typebox';
import { control, endpoint, ofBusiness, secretKey } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import {
  named,
  Nullable,
  OffsetPage,
  OffsetQuery,
  OnboardingStatusName,
  OutcomeName,
  Timestamp,
  OptionalReason,
  strict,
} from '../../../contract/shapes.ts';

export const OnboardingExternalId = Type.Optional(
  Nullable(Type.String({ minLength: 1, maxLength: 256, description: 'a text of 1 to 256 characters' })),
);
/** The playbook of a run. */
export const PlaybookRef = Type.String({ minLength: 1, maxLength: 128, [EXPECTS]: 'the key of a playbook' });
export const AllowReonboard = Type.Optional(Type.Boolean());

/** The outcome of a run, for the caller that started it. */
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

/** The link to a hosted flow. */
export const HostedLink = named(
  'OnboardingSession',
  Type.Object({ token: Type.String({ description: 'obtok_…' }), link: Type.String(), expires_at: Timestamp }),
);

const run = {
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'RunRequest',
    Type.Object({
      key: PlaybookRef,
      fixture_result: Type.Optional(OutcomeName),
      allow_reonboard: AllowReonboard,
      force_reonboard: AllowReonboard,
      onboarding_external_id: OnboardingExternalId,
      generate_link_on_stepup: Type.Optional(Type.Boolean()),
      reason: OptionalReason,
    }),
  ),
  response: RunResult,
  errors: ['playbook_unknown', 'T121', 'T122'],
  isAct: true,
  assumed: [
    { what: 'sandbox-id prefixes and outcome rules choose the result', why: 'A54' },
    {
      what: 'manual_review ends as fail with requires_manual_review; error leaves the entity incomplete',
      why: 'A55',
    },
  ],
} as const;

/** An onboarding in the form of the event (contract §4.6). */
const Onboarding = named(
  'Onboarding',
  Type.Object({
    id: Type.String(),
    onboarding_id: Type.String({ description: 'the same as id' }),
    fp_id: Type.String({ description: 'the user or business' }),
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

const list = endpoint('GET /users/{fp_id}/onboardings', {
  operationId: 'listUserOnboardings',
  auth: secretKey({ scope: 'preview:onboardings_list' }),
  stability: 'extension',
  query: Type.Object(OffsetQuery),
  response: OffsetPage(OnboardingItem),
  summary: "A user's onboardings, newest first",
});

export const onboardingEndpoints = [
  endpoint('POST /users/{fp_id}/kyc', {
    operationId: 'runUserKyc',
    ...run,
    assumed: [
      ...run.assumed,
      { what: 'headless KYC takes US addresses only', why: 'A53' },
      {
        what: 'a playbook that requires id.us_legal_status also requires, for a visa, its kind and expiration date, the nationality and the citizenships',
        why: 'ours: a visa is incomplete without them',
      },
      {
        what: 'with generate_link_on_stepup, a run that is stepped up at once has in_progress_link: its session, valid for 60 minutes, ends the stepped-up onboarding as a document would, or with fixture_result',
        why: 'A71, §4.4',
      },
    ],
    response: named(
      'UserRunResult',
      Type.Object({ ...RunResult.properties, in_progress_link: Type.Optional(HostedLink) }),
    ),
    summary: 'Run a user through a kyc or document playbook',
  }),
  endpoint('POST /users/{fp_id}/reonboard', {
    operationId: 'runUserAgain',
    ...run,
    stability: 'deprecated',
    body: named(
      'ReonboardRequest',
      Type.Omit(run.body, ['allow_reonboard', 'force_reonboard', 'generate_link_on_stepup']),
    ),
    errors: ['playbook_unknown', 'T121'],
    assumed: [{ what: 'POST /users/{fp_id}/kyc with allow_reonboard: true', why: '§2.25' }],
    summary: 'Run a user through a playbook again',
  }),
  endpoint('POST /businesses/{fp_bid}/kyb', {
    operationId: 'runBusinessKyb',
    ...run,
    summary: 'Run a business through a kyb playbook',
  }),
  list,
  ofBusiness(list),
  endpoint('GET /onboardings/{id}', {
    operationId: 'getOnboarding',
    auth: secretKey(),
    stability: 'stable',
    response: Onboarding,
    assumed: [
      {
        what: 'the event fields plus created_at and completed_at, also for pending and incomplete',
        why: 'A58',
      },
    ],
    summary: 'The outcome of an onboarding',
  }),
  endpoint('POST /_kyclone/onboardings/{id}/resolve', {
    operationId: 'resolveOnboarding',
    isAct: true,
    ...control,
    body: named(
      'ResolveOnboardingRequest',
      Type.Object({ outcome: OutcomeName, reason: OptionalReason }, strict),
    ),
    response: Onboarding,
    errors: ['conflict'],
    summary: 'Set the outcome of a pending or incomplete onboarding now',
  }),
] as const;
