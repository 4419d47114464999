/** Links in the form of the API (contract §7.1), and their events. */
import { LINK_ERROR_MESSAGES, UNREADABLE_LINK_MESSAGE, type BankProduct } from '../facts.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import type { NewEvent } from '../../webhooks/service/index.ts';
import { BankLink, BankLinkItem, InspectedLink } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { viewAs } from '../../../contract/shapes.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import type { PlacedLinkRow, ProductTimes } from './links-repository.ts';

/** The id of an institution whose name has no usable characters. */
const NAMELESS = 'institution';

/** The slug of a name: ASCII lower-case letters and digits, without accents, separated by hyphens (contract §7.3). */
export function institutionId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? NAMELESS : slug;
}

export function linkItem(link: PlacedLinkRow): AnswerOf<'GET /bank_links'>['data'][number] {
  return viewAs(BankLinkItem, { ...link, created_at: timestamp(link.created_at) });
}

/** Adds the members of the control plane (contract §11). */
export function inspectedLink(link: PlacedLinkRow): AnswerOf<'GET /_kyclone/bank_links'>['data'][number] {
  return viewAs(InspectedLink, { ...link, ...linkItem(link), institution_name: link.institution });
}

export function linkView(link: PlacedLinkRow): BankLink {
  return viewAs(BankLink, {
    ...link,
    ...linkItem(link),
    institution_id: institutionId(link.institution),
    institution_name: link.institution,
    products: productTimes(link.products),
    last_synced_at: timeOrNull(link.last_synced_at),
  });
}

function productTimes(products: ProductTimes): BankLink['products'] {
  const entries = Object.entries(products).map(([product, times]) => [
    product,
    { refreshed_at: timeOrNull(times.refreshed_at), last_attempted_at: timeOrNull(times.last_attempted_at) },
  ]);
  return Object.fromEntries(entries) as BankLink['products'];
}

export function timeOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}

type LinkChange =
  | { readonly kind: 'link_state_changed' }
  | { readonly kind: 'link_product_refreshed'; readonly product: BankProduct; readonly success: boolean };

/** The event for a link, in its state after the change, with its entity (contract §9.2). */
export function linkEvent(
  link: Pick<PlacedLinkRow, 'id' | 'fp_id' | 'external_id' | 'state' | 'error_code'>,
  { external_id }: Pick<EntityRow, 'external_id'>,
  change: LinkChange,
): NewEvent {
  return {
    kind: 'user.bank_link_updated',
    fp_id: link.fp_id,
    members: {
      link_id: link.id,
      link_external_id: link.external_id,
      link_state: link.state,
      link_event_kind: change.kind,
      link_product_refresh:
        change.kind === 'link_state_changed' ? null : { product: change.product, success: change.success },
      link_error: link.error_code,
      error_message: errorMessage(link.error_code, change),
      user_external_id: external_id,
    },
  };
}

function errorMessage(error: PlacedLinkRow['error_code'], change: LinkChange): string | null {
  if (error !== null) return LINK_ERROR_MESSAGES[error];
  const hasFailed = change.kind === 'link_product_refreshed' && !change.success;
  return hasFailed ? UNREADABLE_LINK_MESSAGE : null;
}
