/** What has become of an event at all its receivers, in a few words (contract §11). Pure. */
import { DELIVERY_FILTERS, deliveryStatusText } from '../../contract/facts/webhooks.ts';
import type { listDeliveriesOf } from '../webhooks/index.ts';

type Delivery = Pick<ReturnType<typeof listDeliveriesOf>[number], 'webhook' | 'status' | 'attempts'>;

/** `failing (3 of 8)` for one receiver, `3 of 4 failed, 1 failing` for more, by the newest delivery to each. */
export function receiversText(deliveries: readonly Delivery[]): string {
  const newest = [...new Map(deliveries.map((delivery) => [delivery.webhook, delivery])).values()];
  const [only, ...more] = newest;
  if (only === undefined) return 'no receiver';
  if (more.length === 0) return deliveryStatusText({ status: only.status, attempt: only.attempts });
  const states = newest.map(({ status, attempts }) =>
    status === 'pending' && attempts > 0 ? 'failing' : status,
  );
  const counts = SUMMED.map((state) => ({ state, count: states.filter((each) => each === state).length }));
  return counts
    .filter(({ state, count }) => count > 0 && (state !== 'delivered' || count === newest.length))
    .map(({ state, count }, at) => `${count}${at === 0 ? ` of ${newest.length}` : ''} ${state}`)
    .join(', ');
}

const [PENDING, DELIVERED, FAILED, FAILING] = DELIVERY_FILTERS;
/** The gravest first. */
const SUMMED = [FAILED, FAILING, PENDING, DELIVERED];
