/** Shared by the calls of a hosted page (contract §14): the returned state, and the authentication. */
import { Type } from '@sinclair/typebox';
import { LinkErrorName, LinkStateName } from '../../bank-links/endpoints/records.ts';
import { flowToken, type Stability } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import { CODE_KINDS, FLOW_STATES, HOSTED_FLOWS } from '../facts.ts';
import { LOGIN_METHODS, SESSION_STEPS } from '../../onboardings/facts.ts';
import { DOCUMENT_KINDS, DOCUMENT_SIDES } from '../../vault/facts.ts';
import {
  named,
  IdentifierMap,
  Nullable,
  OneOf,
  OnboardingStatusName,
  PlaybookKindName,
  Timestamp,
} from '../../../contract/shapes.ts';

export const hostedStability = 'emulator' satisfies Stability;

/** A group of identifiers, one of which is enough. */
const Group = Type.Object({
  identifiers: Type.Array(Type.String()),
  is_required: Type.Boolean(),
  /** Required for addresses in the United States only. */
  is_domestic: Type.Boolean(),
});
const Screen = Type.Object({ name: Type.String(), groups: Type.Array(Group), is_done: Type.Boolean() });

export const Stake = Type.Integer({
  minimum: 0,
  maximum: 100,
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
export const Owners = Type.Array(Owner, { maxItems: 100, [EXPECTS]: 'a list of at most 100 owners' });

export const DocumentKindName = OneOf(DOCUMENT_KINDS);
const Side = OneOf(DOCUMENT_SIDES);

/** The choices on the page of a bank. */
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
    has_owner: Type.Boolean({ description: 'whether there is a user or business to link the bank to' }),
  }),
);

/** The content of a page: the state of the flow, the requested data, the entered data. */
export const HostedFlow = named(
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
    is_step_up: Type.Boolean({ description: 'whether the run asked for a document, and waits for it' }),
    identify: Type.Object({
      is_verified: Type.Boolean(),
      sent_to: Nullable(Type.String({ description: 'masked' })),
      by: Nullable(OneOf(CODE_KINDS)),
      methods: Type.Array(OneOf(LOGIN_METHODS), { description: 'how the person may be identified' }),
      tries_left: Type.Integer(),
      is_fixed: Type.Boolean({ description: 'the code goes to what is in the vault, and to nothing else' }),
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
    note: Nullable(
      Type.String({ description: 'what the person was asked for, in the words of the request' }),
    ),
    result: Nullable(Type.Object({ status: OnboardingStatusName, requires_manual_review: Type.Boolean() })),
  }),
);

export const hostedCall = {
  stability: hostedStability,
  auth: flowToken,
  carriesVaultData: true,
  response: HostedFlow,
} as const;

/** Where the page goes at its end; null when it stays. */
export const RedirectTo = Nullable(Type.String());
