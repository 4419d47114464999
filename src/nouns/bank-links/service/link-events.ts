import { LINK_ERROR_MESSAGES, UNREADABLE_LINK_MESSAGE, type BankProduct } from '../facts.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import type { NewEvent } from '../../webhooks/service/index.ts';
import type { PlacedLinkRow } from './links-repository.ts';

export type LinkChange =
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
