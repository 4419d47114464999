/**
 * Hosted flows as their pages play them (contract §14): the pages, and what they call with the token that their address
 * ends with. The shapes of these calls are the emulator's own.
 */
import { Type } from '@sinclair/typebox';
import { endpoint, flowToken, open, type Stability } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { InstitutionName } from './bank-links.ts';
import { AccountTypeName, LinkErrorName, LinkStateName } from './bank-records.ts';
import { CODE_KINDS, FLOW_STATES, HOSTED_FLOWS, SESSION_STEPS } from './facts/onboardings.ts';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from './facts/limits.ts';
import { DOCUMENT_KINDS, DOCUMENT_SIDES } from './facts/vault.ts';
import { named } from './named.ts';
import {
  IdentifierMap,
  Nullable,
  OneOf,
  OnboardingStatusName,
  OutcomeName,
  PlaybookKindName,
  Timestamp,
  UploadBody,
} from './shapes.ts';

const stability = 'emulator' satisfies Stability;

const page = {
  stability,
  auth: open,
  isHostedPage: true,
  response: Type.String(),
  produces: 'text/html; charset=utf-8',
  errors: [],
} as const;

/** Identifiers of which one is enough. */
const Group = Type.Object({
  identifiers: Type.Array(Type.String()),
  is_required: Type.Boolean(),
  /** Asked for addresses in the United States only. */
  is_domestic: Type.Boolean(),
});
const Screen = Type.Object({ name: Type.String(), groups: Type.Array(Group), is_done: Type.Boolean() });

const Stake = Type.Integer({
  ...{ minimum: 0, maximum: 100 },
  [EXPECTS]: 'a whole number of per cent from 0 to 100',
});
const OwnerText = Type.Optional(Type.String({ maxLength: 500 }));
const Owner = Type.Object({
  first_name: OwnerText,
  last_name: OwnerText,
  email: OwnerText,
  phone_number: OwnerText,
  ownership_stake: Stake,
});
const Owners = Type.Array(Owner, { maxItems: 100, [EXPECTS]: 'a list of at most 100 owners' });

const DocumentKindName = OneOf(DOCUMENT_KINDS);
const Side = OneOf(DOCUMENT_SIDES);

/** What was chosen of a bank. */
const Bank = named(
  'HostedBank',
  Type.Object({
    link: Nullable(
      Type.Object({
        institution: Type.String(),
        persona: Type.String(),
        state: LinkStateName,
        error_code: Nullable(LinkErrorName),
      }),
    ),
    institution: Nullable(Type.String()),
    persona: Nullable(Type.String()),
    accounts: Nullable(Type.Array(Type.String())),
    is_agreed: Type.Boolean(),
    has_owner: Type.Boolean({ description: 'whether somebody is there to link the bank to' }),
  }),
);

/** What a page shows: where the flow is, what it asks, what was given. */
const State = named(
  'HostedFlow',
  Type.Object({
    state: OneOf(FLOW_STATES),
    flow: OneOf(HOSTED_FLOWS),
    kind: Nullable(PlaybookKindName),
    title: Nullable(Type.String({ description: 'the name of the playbook' })),
    is_live: Type.Boolean(),
    expires_at: Timestamp,
    steps: Type.Array(OneOf(SESSION_STEPS)),
    step: Nullable(OneOf(SESSION_STEPS)),
    identify: Type.Object({
      is_verified: Type.Boolean(),
      sent_to: Nullable(Type.String({ description: 'masked' })),
      by: Nullable(OneOf(CODE_KINDS)),
      tries_left: Type.Integer(),
    }),
    screens: Type.Array(Screen),
    values: IdentifierMap,
    owners: Nullable(Type.Object({ primary_stake: Stake, others: Owners })),
    document: Nullable(
      Type.Object({
        kinds: Type.Array(DocumentKindName),
        kind: Nullable(DocumentKindName),
        country: Nullable(Type.String()),
        sides: Type.Array(Side),
        given: Type.Array(Side),
      }),
    ),
    bank: Nullable(Bank),
    review: Type.Array(
      Type.Object({
        identifier: Type.String(),
        shown: Type.String({ description: 'masked as in contract §1.2' }),
      }),
    ),
    result: Nullable(Type.Object({ status: OnboardingStatusName, requires_manual_review: Type.Boolean() })),
  }),
);

const call = {
  stability,
  auth: flowToken,
  carriesVaultData: true,
  response: State,
} as const;

/** Where the page goes at its end; null: it stays. */
const RedirectTo = Nullable(Type.String());

export const hostedEndpoints = [
  endpoint('GET /hosted/onboarding', {
    operationId: 'getOnboardingPage',
    ...page,
    assumed: [
      {
        what: 'the query of a page in a frame holds origin, display (frame or dialog) and the members of appearance; what is not of its form is left out',
        why: 'A76',
      },
      {
        what: 'Escape in a dialog, and its Close button, leave the flow as it is; Cancel of the page destroys what was given',
        why: 'ours: a key pressed by mistake loses nothing',
      },
    ],
    summary: 'The page of a hosted onboarding; its token stands in the fragment of its address',
  }),
  endpoint('GET /hosted/bank_link', {
    operationId: 'getBankLinkPage',
    ...page,
    assumed: [
      {
        what: 'takes the token of an intent, or of a session on a playbook with bank_link; of such a session it asks for the one-time code and the bank only',
        why: 'A77',
      },
    ],
    summary: 'The page where a person links a bank; its token stands in the fragment of its address',
  }),
  endpoint('GET /hosted/vault', {
    operationId: 'getVaultPage',
    ...page,
    summary: 'The form of /_kyclone/form, for a client token in the fragment of its address',
  }),
  endpoint('GET /hosted/flow.js', {
    operationId: 'getHostedScript',
    stability,
    auth: open,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    errors: [],
    summary: 'The script behind the pages of hosted flows',
  }),
  endpoint('GET /hosted/session', {
    operationId: 'getHostedFlow',
    ...call,
    errors: [],
    assumed: [
      { what: 'calls of a page carry its token as x-fp-authorization, from its own origin only', why: 'A75' },
      {
        what: 'nothing that was given is shown before the one-time code',
        why: 'ours: a link may be forwarded',
      },
    ],
    summary: 'Where a hosted flow is, what it asks and what was given',
  }),
  endpoint('POST /hosted/session/identify', {
    operationId: 'identifyPerson',
    ...call,
    body: named(
      'IdentifyPersonRequest',
      Type.Object({
        data: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            [EXPECTS]: 'an object with either id.email or id.phone_number',
          }),
        ),
      }),
    ),
    errors: ['T120'],
    assumed: [
      {
        what: 'a session for a known user takes no data when the vault has an e-mail address or phone number',
        why: 'A75: only the code is asked for',
      },
    ],
    summary: 'Say by which e-mail address or phone number the person at the page is reached',
  }),
  endpoint('POST /hosted/session/verify', {
    operationId: 'verifyPerson',
    ...call,
    body: named(
      'VerifyPersonRequest',
      Type.Object({
        code: Type.String({
          ...{ minLength: 1, maxLength: 16 },
          [EXPECTS]: 'the six digits that were sent',
        }),
      }),
    ),
    errors: ['T122'],
    assumed: [
      {
        what: 'the user who has the verified e-mail address or phone number, the first of several, is that user again unless the session names a user',
        why: 'A75, §14',
      },
      {
        what: 'a user recognised who was onboarded on the playbook before is T122',
        why: 'as POST /onboarding/session',
      },
    ],
    summary: 'Give the one-time code, which is always 000000; the fifth wrong one closes the session',
  }),
  endpoint('POST /hosted/session/data', {
    operationId: 'saveHostedData',
    ...call,
    body: named(
      'SaveHostedDataRequest',
      Type.Object({ screen: Type.String({ minLength: 1, maxLength: 64 }), data: IdentifierMap }),
    ),
    bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
    errors: ['T120', 'T121'],
    assumed: [
      {
        what: 'it is checked and kept sealed with the session, and reaches a vault on completion only; null takes back what was given',
        why: 'A75',
      },
    ],
    summary: 'Give what one screen asks for',
  }),
  endpoint('POST /hosted/session/owners', {
    operationId: 'saveHostedOwners',
    ...call,
    body: named('SaveHostedOwnersRequest', Type.Object({ primary_stake: Stake, others: Owners })),
    errors: ['T120'],
    summary: 'Give the owners of the business; the person at the page is the primary one',
  }),
  endpoint('POST /hosted/session/document', {
    operationId: 'setHostedDocument',
    ...call,
    body: named(
      'SetHostedDocumentRequest',
      Type.Object({ kind: DocumentKindName, country: Type.String({ minLength: 1, maxLength: 64 }) }),
    ),
    errors: ['T120'],
    summary: 'Choose the kind and country of the document; pictures of another kind are given up',
  }),
  endpoint('POST /hosted/session/document/{side}', {
    operationId: 'uploadHostedDocument',
    ...call,
    body: UploadBody,
    bodyLimitBytes: UPLOAD_LIMIT_BYTES,
    takesFile: true,
    errors: ['T120'],
    summary: 'Give the picture of one side of the document',
  }),
  endpoint('GET /hosted/session/bank', {
    operationId: 'listHostedBanks',
    ...call,
    response: named(
      'HostedBankChoices',
      Type.Object({
        institutions: Type.Array(Type.String()),
        personas: Type.Array(
          Type.Object({
            name: Type.String(),
            description: Type.String(),
            fails: Type.Boolean({ description: 'whether its link starts in state error' }),
            accounts: Type.Array(
              Type.Object({
                key: Type.String(),
                name: Type.String(),
                account_type: AccountTypeName,
                currency: Type.String(),
                is_closed: Type.Boolean(),
              }),
            ),
          }),
        ),
        suggested: Type.Object({ institution: Type.String(), persona: Type.String() }),
      }),
    ),
    errors: [],
    summary: 'The banks and personas that a person may choose from',
  }),
  endpoint('POST /hosted/session/bank', {
    operationId: 'setHostedBank',
    ...call,
    body: named(
      'SetHostedBankRequest',
      Type.Object({
        institution: InstitutionName,
        persona: Type.Optional(
          Type.String({ ...{ minLength: 1, maxLength: 64 }, [EXPECTS]: 'the name of a persona' }),
        ),
        accounts: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
            maxItems: 50,
            [EXPECTS]: 'a list of different keys of accounts',
          }),
        ),
      }),
    ),
    errors: [],
    assumed: [
      { what: 'it takes the place of what was chosen before, and counts once the person agrees', why: 'A77' },
    ],
    summary: 'Choose a bank, a persona and its accounts, as far as chosen',
  }),
  endpoint('POST /hosted/session/bank/complete', {
    operationId: 'completeHostedBank',
    ...call,
    body: named('LinkHostedBankRequest', Type.Object({ consent: Type.Literal(true, { [EXPECTS]: 'true' }) })),
    response: named(
      'LinkedHostedBank',
      Type.Object({
        intent_token: Nullable(
          Type.String({
            description: 'blit_…, what POST /bank_links takes; null: the token of the page is it',
          }),
        ),
        redirect_to: RedirectTo,
        flow: State,
      }),
    ),
    errors: ['T121'],
    assumed: [
      {
        what: 'the intent of the page stays the token that it was, and holds what was agreed to; a session gets a new one, and needs a user, or business, that is there already; the page adds it to redirect_to as validation_token',
        why: 'A77: what is linked belongs to somebody',
      },
    ],
    summary: 'Agree to link the bank: ends the page with an intent',
  }),
  endpoint('POST /hosted/session/bank/cancel', {
    operationId: 'cancelHostedBank',
    ...call,
    response: named('CanceledHostedBank', Type.Object({ redirect_to: RedirectTo, flow: State })),
    errors: [],
    summary: 'Leave the page of a bank: what was chosen is forgotten, the token opens it again',
  }),
  endpoint('POST /hosted/session/consent', {
    operationId: 'consentToHostedFlow',
    ...call,
    body: named('ConsentRequest', Type.Object({ consent: Type.Literal(true, { [EXPECTS]: 'true' }) })),
    errors: ['T121'],
    summary: 'Agree to what was given',
  }),
  endpoint('POST /hosted/session/complete', {
    operationId: 'completeHostedFlow',
    ...call,
    body: named('CompleteHostedFlowRequest', Type.Object({ fixture_result: Type.Optional(OutcomeName) })),
    response: named(
      'CompletedHostedFlow',
      Type.Object({
        validation_token: Type.String({ description: 'vtok_…, for 15 minutes' }),
        intent_token: Nullable(
          Type.String({ description: 'blit_…, where a bank was chosen: what POST /bank_links takes' }),
        ),
        redirect_to: RedirectTo,
        flow: State,
      }),
    ),
    errors: ['T120', 'T121', 'T122'],
    assumed: [
      { what: 'fixture_result is for the sandbox only, as in a run', why: '§4.3' },
      {
        what: 'where the flow asked for a bank, intent_token is what POST /bank_links takes; the page gives it to redirect_url and to its opener beside validation_token',
        why: 'A77',
      },
    ],
    summary: 'End the flow: what was given reaches the vault, and the run starts',
  }),
  endpoint('POST /hosted/session/cancel', {
    operationId: 'cancelHostedFlow',
    ...call,
    response: named('CanceledHostedFlow', Type.Object({ redirect_to: RedirectTo, flow: State })),
    errors: [],
    assumed: [{ what: 'what was given goes; the token opens the flow again until it expires', why: 'A75' }],
    summary: 'Leave the flow: what was given is destroyed, the onboarding stays incomplete',
  }),
] as const;
