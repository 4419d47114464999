/**
 * Hosted flows as their pages play them (contract §14): the pages, and what they call with the token that their address
 * ends with. The shapes of these calls are the emulator's own.
 */
import { Type } from '@sinclair/typebox';
import { endpoint, open } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from './facts/limits.ts';
import { hostedBankEndpoints } from './hosted-bank.ts';
import {
  DocumentKindName,
  HostedFlow,
  hostedCall,
  hostedStability,
  Owners,
  RedirectTo,
  Stake,
} from './hosted-state.ts';
import { named } from './named.ts';
import { IdentifierMap, Nullable, OutcomeName, UploadBody } from './shapes.ts';

const page = {
  stability: hostedStability,
  auth: open,
  isHostedPage: true,
  response: Type.String(),
  produces: 'text/html; charset=utf-8',
  errors: [],
} as const;

export const hostedEndpoints = [
  endpoint('GET /hosted/onboarding', {
    operationId: 'getOnboardingPage',
    ...page,
    assumed: [
      {
        what: 'redirectToOnboarding leads there, takeOnboardingResult takes the end out of the address of redirect_url',
        why: 'A83',
      },
      {
        what: 'the query of a page in a frame holds origin, display (frame or dialog) and the members of appearance; what is not of its form is left out',
        why: 'A76',
      },
      {
        what: 'Escape in a dialog, and its Close button, leave the flow as it is; Cancel of the page destroys what was given',
        why: 'A80: a key pressed by mistake loses nothing',
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
    stability: hostedStability,
    auth: open,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    errors: [],
    summary: 'The script behind the pages of hosted flows',
  }),
  endpoint('GET /hosted/session', {
    operationId: 'getHostedFlow',
    ...hostedCall,
    errors: [],
    assumed: [
      { what: 'calls of a page carry its token as x-fp-authorization, from its own origin only', why: 'A75' },
      { what: 'an open page asks every 5 s whether its flow is over, every 2 s while it waits', why: 'A79' },
      { what: 'the data of an expired flow are destroyed when its page makes a request', why: 'A82' },
      {
        what: 'nothing that was given is shown before the one-time code',
        why: 'ours: a link may be forwarded',
      },
    ],
    summary: 'Where a hosted flow is, what it asks and what was given',
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
    summary: 'Say by which e-mail address or phone number the person at the page is reached',
  }),
  endpoint('POST /hosted/session/verify', {
    operationId: 'verifyPerson',
    ...hostedCall,
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
    ...hostedCall,
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
      {
        what: 'a list that may be empty, such as declarations, is given once its screen is sent',
        why: 'A81',
      },
    ],
    summary: 'Give what one screen asks for',
  }),
  endpoint('POST /hosted/session/owners', {
    operationId: 'saveHostedOwners',
    ...hostedCall,
    body: named('SaveHostedOwnersRequest', Type.Object({ primary_stake: Stake, others: Owners })),
    errors: ['T120'],
    summary: 'Give the owners of the business; the person at the page is the primary one',
  }),
  endpoint('POST /hosted/session/document', {
    operationId: 'setHostedDocument',
    ...hostedCall,
    body: named(
      'SetHostedDocumentRequest',
      Type.Object({ kind: DocumentKindName, country: Type.String({ minLength: 1, maxLength: 64 }) }),
    ),
    errors: ['T120'],
    summary: 'Choose the kind and country of the document; pictures of another kind are given up',
  }),
  endpoint('POST /hosted/session/document/{side}', {
    operationId: 'uploadHostedDocument',
    ...hostedCall,
    body: UploadBody,
    bodyLimitBytes: UPLOAD_LIMIT_BYTES,
    takesFile: true,
    errors: ['T120'],
    summary: 'Give the picture of one side of the document',
  }),
  ...hostedBankEndpoints,
  endpoint('POST /hosted/session/consent', {
    operationId: 'consentToHostedFlow',
    ...hostedCall,
    body: named('ConsentRequest', Type.Object({ consent: Type.Literal(true, { [EXPECTS]: 'true' }) })),
    errors: ['T121'],
    summary: 'Agree to what was given',
  }),
  endpoint('POST /hosted/session/complete', {
    operationId: 'completeHostedFlow',
    ...hostedCall,
    body: named('CompleteHostedFlowRequest', Type.Object({ fixture_result: Type.Optional(OutcomeName) })),
    response: named(
      'CompletedHostedFlow',
      Type.Object({
        validation_token: Type.String({ description: 'vtok_…, for 15 minutes' }),
        intent_token: Nullable(
          Type.String({ description: 'blit_…, where a bank was chosen: what POST /bank_links takes' }),
        ),
        redirect_to: RedirectTo,
        flow: HostedFlow,
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
    ...hostedCall,
    response: named('CanceledHostedFlow', Type.Object({ redirect_to: RedirectTo, flow: HostedFlow })),
    errors: [],
    assumed: [{ what: 'what was given goes; the token opens the flow again until it expires', why: 'A75' }],
    summary: 'Leave the flow: what was given is destroyed, the onboarding stays incomplete',
  }),
] as const;
