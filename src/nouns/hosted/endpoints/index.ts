/**
 * Hosted flows (contract §14): their pages, and the calls that the pages make with the token at the end of their
 * address. The shapes of these calls are specific to the emulator.
 */
import { Type } from '@sinclair/typebox';
import { InstitutionName } from '../../bank-links/endpoints/index.ts';
import { AccountTypeName } from '../../bank-links/endpoints/records.ts';
import { endpoint, flowToken, open } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from '../../../contract/facts/limits.ts';
import {
  DocumentKindName,
  hostedCall,
  HostedFlow,
  hostedStability,
  Owners,
  RedirectTo,
  Stake,
} from './state.ts';
import { named, Empty, IdentifierMap, Nullable, OutcomeName, UploadBody } from '../../../contract/shapes.ts';
import { HostedLink, PlaybookRef } from '../../onboardings/endpoints/index.ts';

// The calls of a bank link's page (contract §14), alone or as a step of an onboarding.

const hostedBankEndpoints = [
  endpoint('GET /hosted/session/bank', {
    operationId: 'listHostedBanks',
    ...hostedCall,
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
    summary: 'The banks and personas to choose from',
  }),
  endpoint('POST /hosted/session/bank', {
    operationId: 'setHostedBank',
    ...hostedCall,
    body: named(
      'SetHostedBankRequest',
      Type.Object({
        institution: InstitutionName,
        persona: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, [EXPECTS]: 'the name of a persona' }),
        ),
        accounts: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
            maxItems: 50,
            [EXPECTS]: 'a list of different keys of accounts',
          }),
        ),
      }),
    ),
    assumed: [{ what: 'it replaces earlier choices, and takes effect once the person agrees', why: 'A77' }],
    summary: 'Choose a bank, a persona and its accounts, one or more of them',
  }),
  endpoint('POST /hosted/session/bank/complete', {
    operationId: 'completeHostedBank',
    ...hostedCall,
    body: named('LinkHostedBankRequest', Type.Object({ consent: Type.Literal(true, { [EXPECTS]: 'true' }) })),
    response: named(
      'LinkedHostedBank',
      Type.Object({
        intent_token: Nullable(
          Type.String({
            description: 'blit_…, for POST /bank_links; null: the token of the page is the intent token',
          }),
        ),
        redirect_to: RedirectTo,
        flow: HostedFlow,
      }),
    ),
    errors: ['T121'],
    assumed: [
      {
        what: "an intent's page keeps its token, which then covers what the person agreed to; a session gets a new intent, and needs an existing user or business; the page adds the intent token to redirect_to as validation_token",
        why: 'A77: a link belongs to an entity',
      },
    ],
    summary: 'Agree to link the bank: ends the page with an intent',
  }),
  endpoint('POST /hosted/session/bank/cancel', {
    operationId: 'cancelHostedBank',
    ...hostedCall,
    response: named('CanceledHostedBank', Type.Object({ redirect_to: RedirectTo, flow: HostedFlow })),
    summary: 'Leave the page of a bank: the choices are discarded, the token opens the page again',
  }),
] as const;

const page = {
  stability: hostedStability,
  auth: open,
  isHostedPage: true,
  response: Type.String(),
  produces: 'text/html; charset=utf-8',
} as const;

export const hostedEndpoints = [
  endpoint('GET /hosted/onboarding', {
    operationId: 'getOnboardingPage',
    ...page,
    assumed: [
      {
        what: 'redirectToOnboarding navigates there, takeOnboardingResult reads the result from the address of redirect_url',
        why: 'A83',
      },
      {
        what: 'the query of a page in a frame has origin, display (frame or dialog) and the members of appearance; invalid ones are ignored',
        why: 'A76',
      },
      {
        what: 'Escape in a dialog, and its Close button, leave the flow as it is; Cancel on the page destroys the entered data',
        why: 'A80: an accidental key press loses nothing',
      },
    ],
    summary: 'The page of a hosted onboarding; its token is in the fragment of its address',
  }),
  endpoint('GET /hosted/bank_link', {
    operationId: 'getBankLinkPage',
    ...page,
    assumed: [
      {
        what: 'takes the token of an intent, or of a session on a playbook with bank_link; for such a session it asks only for the one-time code and the bank',
        why: 'A77',
      },
    ],
    summary: 'The page where a person links a bank; its token is in the fragment of its address',
  }),
  endpoint('GET /hosted/vault', {
    operationId: 'getVaultPage',
    ...page,
    summary: 'The form of /_kyclone/form, for a client token in the fragment of its address',
  }),
  endpoint('GET /hosted/flow.js', {
    operationId: 'getHostedScript',
    stability: hostedStability,
    auth: open,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    summary: 'The script behind the pages of hosted flows',
  }),
  endpoint('GET /hosted/browser.js', {
    operationId: 'getBrowserScript',
    stability: hostedStability,
    auth: open,
    letsPagesIn: true,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    assumed: [
      {
        what: 'pages that the token endpoints serve may load it; the module asks for its head to find out whether they are',
        why: 'A90',
      },
    ],
    summary: 'kyclone/browser as a plain script, which sets window.kyclone',
  }),
  endpoint('POST /hosted/browser/session', {
    operationId: 'createBrowserSession',
    stability: hostedStability,
    auth: open,
    letsPagesIn: true,
    body: named(
      'CreateBrowserSessionRequest',
      Type.Object({ key: PlaybookRef, bootstrap_data: Type.Optional(IdentifierMap) }),
    ),
    bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
    response: HostedLink,
    errors: ['T120', 'playbook_unknown'],
    carriesVaultData: true,
    assumed: [
      {
        what: 'the key of a playbook is public; the session acts for the oldest enabled key of its tenant with the permission onboard',
        why: 'A90',
      },
    ],
    summary: 'Start a hosted onboarding from a page, with the key of a playbook alone',
  }),
  endpoint('PATCH /hosted/browser/session', {
    operationId: 'updateBrowserSession',
    stability: hostedStability,
    auth: flowToken,
    letsPagesIn: true,
    body: named('UpdateBrowserSessionRequest', Type.Object({ bootstrap_data: IdentifierMap })),
    bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
    response: Empty,
    errors: ['T120', 'conflict'],
    carriesVaultData: true,
    assumed: [{ what: 'bootstrap data that the server gave stays as it is', why: 'A90' }],
    summary: 'Add bootstrap data to an open hosted onboarding, with its token',
  }),
  endpoint('GET /hosted/session', {
    operationId: 'getHostedFlow',
    ...hostedCall,
    assumed: [
      { what: 'calls of a page carry its token as x-fp-authorization, from its own origin only', why: 'A75' },
      { what: 'an open page asks every 5 s whether its flow is over, every 2 s while it waits', why: 'A79' },
      { what: 'the data of an expired flow are destroyed when its page makes a request', why: 'A82' },
      { what: 'no entered data is shown before the one-time code', why: 'ours: a link may be forwarded' },
    ],
    summary: 'The state of a hosted flow, the data it asks for and the data entered',
  }),
  endpoint('POST /hosted/session/identify', {
    operationId: 'identifyPerson',
    ...hostedCall,
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
    summary: 'Set the e-mail address or phone number of the person at the page',
  }),
  endpoint('POST /hosted/session/verify', {
    operationId: 'verifyPerson',
    ...hostedCall,
    body: named(
      'VerifyPersonRequest',
      Type.Object({
        code: Type.Optional(
          Type.String({ minLength: 1, maxLength: 16, [EXPECTS]: 'the six digits that were sent' }),
        ),
        passkey: Type.Optional(Type.Literal(true, { [EXPECTS]: 'true' })),
      }),
    ),
    assumed: [
      {
        what: 'a user with the verified e-mail address or phone number, the first of several, is recognised unless the session names a user',
        why: 'A75, §14',
      },
      {
        what: 'it begins the onboarding of a user who is known, or takes up the one that was left incomplete; for a user with a finished one that may not be repeated, that result stands',
        why: '§14',
      },
      {
        what: 'passkey in place of a code is a simulated passkey, where limit_auth_methods names it',
        why: '§14',
      },
    ],
    summary: 'Enter the one-time code, which is always 000000; the fifth wrong one closes the session',
  }),
  endpoint('POST /hosted/session/data', {
    operationId: 'saveHostedData',
    ...hostedCall,
    body: named(
      'SaveHostedDataRequest',
      Type.Object({ screen: Type.String({ minLength: 1, maxLength: 64 }), data: IdentifierMap }),
    ),
    bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
    errors: ['T120', 'T121'],
    assumed: [
      {
        what: 'data is checked and stored sealed with the session, and reaches a vault only on completion; null removes entered data',
        why: 'A75',
      },
      {
        what: 'a list that may be empty, such as declarations, counts as entered once its screen is sent',
        why: 'A81',
      },
    ],
    summary: 'Enter the data of one screen',
  }),
  endpoint('POST /hosted/session/owners', {
    operationId: 'saveHostedOwners',
    ...hostedCall,
    body: named('SaveHostedOwnersRequest', Type.Object({ primary_stake: Stake, others: Owners })),
    errors: ['T120'],
    summary: 'Enter the owners of the business; the person at the page is the primary one',
  }),
  endpoint('POST /hosted/session/document', {
    operationId: 'setHostedDocument',
    ...hostedCall,
    body: named(
      'SetHostedDocumentRequest',
      Type.Object({ kind: DocumentKindName, country: Type.String({ minLength: 1, maxLength: 64 }) }),
    ),
    errors: ['T120'],
    summary: 'Choose the kind and country of the document; pictures of another kind are discarded',
  }),
  endpoint('POST /hosted/session/document/{side}', {
    operationId: 'uploadHostedDocument',
    ...hostedCall,
    body: UploadBody,
    bodyLimitBytes: UPLOAD_LIMIT_BYTES,
    takesFile: true,
    errors: ['T120'],
    summary: 'Upload the picture of one side of the document',
  }),
  ...hostedBankEndpoints,
  endpoint('POST /hosted/session/consent', {
    operationId: 'consentToHostedFlow',
    ...hostedCall,
    body: named('ConsentRequest', Type.Object({ consent: Type.Literal(true, { [EXPECTS]: 'true' }) })),
    errors: ['T121'],
    summary: 'Confirm the entered data',
  }),
  endpoint('POST /hosted/session/complete', {
    operationId: 'completeHostedFlow',
    ...hostedCall,
    body: named('CompleteHostedFlowRequest', Type.Object({ fixture_result: Type.Optional(OutcomeName) })),
    response: named(
      'CompletedHostedFlow',
      Type.Object({
        validation_token: Nullable(
          Type.String({
            description:
              'vtok_…, for 15 minutes; null: the run steps up, and the flow goes on with its document',
          }),
        ),
        intent_token: Nullable(
          Type.String({ description: 'blit_…, for POST /bank_links, if a bank was chosen' }),
        ),
        redirect_to: RedirectTo,
        flow: HostedFlow,
      }),
    ),
    errors: ['T120', 'T121', 'T122'],
    assumed: [
      { what: 'fixture_result is for the sandbox only, as in a run', why: '§4.3' },
      {
        what: 'if the flow asked for a bank, intent_token is the token for POST /bank_links; the page passes it to redirect_url and to its opener with validation_token',
        why: 'A77',
      },
    ],
    summary: 'Complete the flow: stores the entered data in the vault and starts the run',
  }),
  endpoint('POST /hosted/session/cancel', {
    operationId: 'cancelHostedFlow',
    ...hostedCall,
    response: named('CanceledHostedFlow', Type.Object({ redirect_to: RedirectTo, flow: HostedFlow })),
    assumed: [
      { what: 'entered data is destroyed; the token opens the flow again until it expires', why: 'A75' },
    ],
    summary: 'Leave the flow: destroys the entered data, the onboarding stays incomplete',
  }),
] as const;
