/** The body of a webhook delivery, by the kind of its event (contract §4.7, §9.2). */
import { Type, type TObject } from '@sinclair/typebox';
import { CHANGE_SOURCES } from '../../vault/facts.ts';
import { TERMINAL_STATUSES, WATCHLIST_RESULTS } from '../../onboardings/facts.ts';
import type { EventKind } from '../facts.ts';
import { BankProductName, LinkErrorName, LinkStateName } from '../../bank-links/endpoints/records.ts';
import { named, Nullable, OneOf, OnboardingStatusName, Timestamp } from '../../../contract/shapes.ts';

interface EventBody {
  /** The component name in the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  /** Members in addition to those of every body. */
  readonly members: TObject;
}

const OptionalText = Nullable(Type.String());

const EVENT_BODIES: Readonly<Record<EventKind, EventBody>> = {
  'onboarding.completed': {
    name: 'OnboardingCompletedEvent',
    summary: 'An onboarding has reached a terminal status',
    members: Type.Object({
      status: OneOf(TERMINAL_STATUSES),
      onboarding_id: Type.String(),
      requires_manual_review: Type.Boolean(),
      playbook_key: Type.Optional(Type.String()),
      playbook_version: Type.Optional(Type.Integer()),
      external_id: Type.Optional(OptionalText),
      onboarding_external_id: Type.Optional(OptionalText),
    }),
  },
  'onboarding.status_changed': {
    name: 'OnboardingStatusChangedEvent',
    summary: 'The status of an onboarding has changed',
    members: Type.Object({
      onboarding_id: Type.String(),
      new_status: OnboardingStatusName,
      requires_manual_review: Type.Boolean(),
    }),
  },
  'user.manual_review': {
    name: 'ManualReviewEvent',
    summary: 'A person has decided about a user or a business',
    members: Type.Object({ external_id: OptionalText }),
  },
  'user.info_requested': {
    name: 'InfoRequestedEvent',
    summary: 'Somebody has asked a user for more information',
    members: Type.Object({ external_id: OptionalText, note: Type.String() }),
  },
  'user.bank_link_updated': {
    name: 'BankLinkUpdatedEvent',
    summary: 'The state of a bank link has changed, or one of its products was refreshed',
    members: Type.Object({
      link_id: Type.String(),
      link_external_id: OptionalText,
      link_state: LinkStateName,
      link_event_kind: OneOf(['link_state_changed', 'link_product_refreshed']),
      link_product_refresh: Nullable(
        named('LinkProductRefresh', Type.Object({ product: BankProductName, success: Type.Boolean() })),
      ),
      link_error: Nullable(LinkErrorName),
      error_message: Nullable(
        Type.String({ description: 'why the link is in error or the refresh failed, for people' }),
      ),
      user_external_id: OptionalText,
    }),
  },
  'vault.updated': {
    name: 'VaultUpdatedEvent',
    summary: 'The data of a vault has changed',
    members: Type.Object({
      fields: Type.Array(Type.String(), { description: 'data identifiers, no values' }),
      source: OneOf(CHANGE_SOURCES),
      external_id: OptionalText,
    }),
  },
  'watchlist_check.completed': {
    name: 'WatchlistCheckCompletedEvent',
    summary: 'A run has compared names with watchlists',
    members: Type.Object({
      status: OneOf(WATCHLIST_RESULTS),
      error: OptionalText,
      external_id: OptionalText,
    }),
  },
};

/** Each kind with its complete body, with the prefix of the vocabulary. */
export function eventBodies(
  prefix: string,
): { bare: string; kind: string; summary: string; body: TObject }[] {
  return Object.entries(EVENT_BODIES).map(([bare, { name, summary, members }]) => {
    const kind = `${prefix}.${bare}`;
    const body = Type.Object({
      event_kind: Type.Literal(kind),
      fp_id: Type.String({ description: 'the user or business' }),
      is_live: Type.Boolean(),
      timestamp: Timestamp,
      ...members.properties,
    });
    return { bare, kind, summary, body: named(name, body) };
  });
}
