/** Sample events on demand, and what came of their first attempts (contract §11, events/trigger). */
import type { Client } from '../../client/client.ts';
import { pollUntil } from '../../client/discover.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { UsageError } from '../shell/failure.ts';
import type { SpaceQuery } from '../shell/space.ts';
import { statusMember } from './kinds.ts';
import { allPages } from '../../client/pages.ts';

type Body = RequestOf<'POST /_kyclone/events/trigger'>['body'];
type Mischief = NonNullable<Body['mischief']>;
type Answer = AnswerOf<'POST /_kyclone/events/trigger'>;
export type Delivery = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** What every kind is triggered with. */
export interface TriggerOptions {
  readonly fpId: string | undefined;
  readonly status: string | undefined;
  /** Members of the body (`--set`); they win over the status. */
  readonly members: Readonly<Record<string, JsonValue>>;
  readonly count: number | undefined;
  readonly webhookId: string | undefined;
  readonly mischief: Mischief;
}

export interface TriggerResult {
  readonly events: Pick<Answer, 'id' | 'kind' | 'at' | 'body'>[];
  /** As they were when the first attempt at each was over, or the time was up; when not waited for, their ids. */
  readonly deliveries: (Delivery | { readonly id: string })[];
  /** Whether each first attempt ended as it should; null when it wasn't waited for, or there was nobody to send to. */
  readonly as_expected: boolean | null;
}

/** An answer may take 15 s (contract §9.1). */
const LONGEST_WAIT_MS = 20_000;
const POLL_MS = 50;
/** By how much receivers let a timestamp be off. */
const TOLERANCE_MS = 5 * MINUTE_MS;

/** A call for each kind, in order. Throws UsageError when there is a status and no kind has one. */
export function triggerBodies(kinds: readonly string[], options: TriggerOptions): Body[] {
  const { fpId, status, members, count, webhookId, mischief } = options;
  if (status !== undefined && kinds.every((kind) => statusMember(kind) === undefined)) {
    throw new UsageError('--status is given, and none of the kinds has a status');
  }
  return kinds.map((kind) => {
    const member = status === undefined ? undefined : statusMember(kind);
    const body = { ...(member !== undefined && { [member]: status }), ...members };
    return {
      kind,
      ...(fpId !== undefined && { fp_id: fpId }),
      ...(Object.keys(body).length > 0 && { body }),
      ...(count !== undefined && { count }),
      ...(webhookId !== undefined && { webhook_id: webhookId }),
      ...(Object.keys(mischief).length > 0 && { mischief }),
    };
  });
}

/** Triggers in order and, where wanted, waits for the first attempts. */
export async function trigger(
  client: Client,
  { bodies, space, waits }: { bodies: readonly Body[]; space: SpaceQuery; waits: boolean },
): Promise<TriggerResult> {
  const answers: Answer[] = [];
  for (const body of bodies) {
    answers.push(await client.call('POST /_kyclone/events/trigger', { query: space, body }));
  }
  const events = answers.flatMap(({ id, kind, at, body, others = [] }) => [
    { id, kind, at, body },
    ...others,
  ]);
  const ids = answers.flatMap(({ deliveries }) => deliveries);
  if (!waits || ids.length === 0) {
    return { events, deliveries: ids.map((id) => ({ id })), as_expected: null };
  }
  const deliveries = await firstAttempts(client, { events, ids: new Set(ids), space });
  const mischief = bodies[0]?.mischief ?? {};
  return { events, deliveries, as_expected: deliveries.every((one) => isAsExpected(one, mischief)) };
}

async function firstAttempts(
  client: Client,
  { events, ids, space }: { events: TriggerResult['events']; ids: ReadonlySet<string>; space: SpaceQuery },
): Promise<Delivery[]> {
  const open = new Set(events.map(({ id }) => id));
  const found = new Map<string, Delivery>();
  const look = async () => {
    for (const event_id of open) {
      const all = await allPages((page) =>
        client.call('GET /_kyclone/deliveries', { query: { ...space, event_id, ...page } }),
      );
      const ours = all.filter(({ id }) => ids.has(id));
      for (const delivery of ours) found.set(delivery.id, delivery);
      if (ours.every(({ attempt }) => attempt > 0)) open.delete(event_id);
    }
    return open.size === 0;
  };
  await pollUntil(look, { everyMs: POLL_MS, timeoutMs: LONGEST_WAIT_MS });
  return [...ids].flatMap((id) => found.get(id) ?? []);
}

/** Whether something was asked for that only a receiver can answer. */
export function wasAsked({ webhook_id, mischief }: Body): boolean {
  return webhook_id !== undefined || mischief !== undefined;
}

/** Whether the first attempt went as it should: what is wrong on purpose is refused, a lost one is lost. */
export function isAsExpected(delivery: Pick<Delivery, 'attempts'>, mischief: Mischief): boolean {
  const first = delivery.attempts.find(({ attempt }) => attempt === 1);
  if (first === undefined) return false;
  const { response_status: status } = first;
  if (mischief.drop_first === true) return status === null;
  return isRefusable(mischief) ? status !== null && status >= 400 : isSuccess(status);
}

/** Whether a receiver that verifies refuses it. */
function isRefusable({ bad_signature, skew_ms = 0 }: Mischief): boolean {
  return bad_signature === true || Math.abs(skew_ms) > TOLERANCE_MS;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
