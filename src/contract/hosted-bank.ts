/** The calls of a bank link's page (contract §14), alone or as a step of an onboarding. */
import { Type } from '@sinclair/typebox';
import { InstitutionName } from './bank-links.ts';
import { AccountTypeName } from './bank-records.ts';
import { endpoint } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { HostedFlow, hostedCall, RedirectTo } from './hosted-state.ts';
import { named } from './named.ts';
import { Nullable } from './shapes.ts';

export const hostedBankEndpoints = [
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
    errors: [],
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
    errors: [],
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
    errors: [],
    summary: 'Leave the page of a bank: the choices are discarded, the token opens the page again',
  }),
] as const;
