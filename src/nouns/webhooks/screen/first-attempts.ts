/** Waits briefly for the first attempts of new deliveries, and reports their results in one line. */
import { PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { pollUntil } from '../../../kernel/time/poll-until.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortened } from '../../../kernel/text/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Notice } from '../../../tui/state/model.ts';

type Delivery = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** A receiver may take 15 s (contract §9.1), which is too long for a user to wait at a screen. */
const PATIENCE = { everyMs: 50, timeoutMs: 5000 } as const;
const URL_CELLS = 60;

/** The first attempt of each delivery of an event, or a note that it isn't over yet. */
export async function firstAttempts(
  { client, space }: Source,
  event_id: string,
  ids: readonly string[],
): Promise<Notice> {
  if (ids.length === 0) {
    return { tone: 'warn', text: 'Sent to nobody: no enabled webhook endpoint takes this kind' };
  }
  let deliveries: readonly Delivery[] = [];
  await pollUntil(async () => {
    const query = { ...space, event_id, page_size: PAGE_SIZE.most };
    const { data } = await client.call('GET /_kyclone/deliveries', { query });
    deliveries = data.filter(({ id }) => ids.includes(id));
    return deliveries.every(({ attempt }) => attempt > 0);
  }, PATIENCE);
  return attemptsNotice(deliveries, ids.length);
}

/** The notice about the attempts. It names the worst one. Pure. */
function attemptsNotice(deliveries: readonly Delivery[], count: number): Notice {
  if (deliveries.length === 0)
    return { tone: 'warn', text: 'Sent, but its deliveries were deleted in the meantime' };
  const delivered = deliveries.filter(({ status }) => status === 'delivered');
  const refused = deliveries.find(({ attempt, status }) => attempt > 0 && status !== 'delivered');
  const other = refused ?? deliveries.find(({ status }) => status !== 'delivered');
  const tally = count === 1 ? '' : `Delivered to ${delivered.length} of ${count}`;
  if (other === undefined) {
    const [only] = delivered;
    const text = count === 1 && only ? `Delivered to ${urlOf(only)} (${only.response_status})` : tally;
    return { tone: 'good', text };
  }
  const rest = refused === undefined ? `No answer yet from ${urlOf(other)}` : refusal(refused);
  return { tone: refused === undefined ? 'warn' : 'bad', text: tally === '' ? rest : `${tally}. ${rest}` };
}

function refusal(delivery: Delivery): string {
  const { response_status: status, error, next_at } = delivery;
  const url = urlOf(delivery);
  const what = status === null ? `No answer from ${url} (${error ?? 'failed'})` : `${url} answered ${status}`;
  return `${what}; ${next_at === null ? 'kyclone does not try again' : 'kyclone tries again'}`;
}

function urlOf({ url }: Delivery): string {
  return shortened(url, URL_CELLS);
}
