/**
 * Sample events on demand, and the results of their first attempts (contract §11, events/trigger): body members from
 * `--set name.inner=text` or `name.inner:=json`, and tampered deliveries to test a receiver.
 */
import { boolean } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import { pollUntil } from '../../../kernel/time/poll-until.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { isJsonObject, jsonOf, type JsonValue } from '../../../kernel/text/json.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { faultText } from '../../../cli/shell/fields.ts';
import type { FlagValues, SpaceQuery } from '../../../cli/shell/flags.ts';
import { isSuccess, TOLERANCE_MS } from '../facts.ts';
import { statusMember } from './flags.ts';
import { allPages } from '../../../client/pages.ts';
import { durationFlag } from '../../../cli/shell/times.ts';
import { defined } from '../../../kernel/defined.ts';

type Body = RequestOf<'POST /_kyclone/events/trigger'>['body'];
type Answer = AnswerOf<'POST /_kyclone/events/trigger'>;
export type Delivery = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** What each call sends beside its kind. Members of the body (`--set`) override the status. */
type TriggerOptions = { readonly [Name in Exclude<keyof Body, 'kind'>]?: Body[Name] | undefined } & {
  readonly status?: string | undefined;
};

export interface TriggerResult {
  readonly events: Pick<Answer, 'id' | 'kind' | 'at' | 'body'>[];
  /** The deliveries when the first attempt of each was over or the time ran out. Without waiting, only their ids. */
  readonly deliveries: (Delivery | { readonly id: string })[];
  /** Whether each first attempt had the expected result; null without waiting, or if there was no receiver. */
  readonly as_expected: boolean | null;
}

/** A response may take 15 s (contract §9.1). */
const LONGEST_WAIT_MS = 20_000;
const POLL_MS = 50;

/** One call for each kind, in order. Throws UsageError if a status is given and no kind has one. */
export function triggerBodies(kinds: readonly string[], options: TriggerOptions): Body[] {
  const { status, fp_id, body: members, count, webhook_id, tampering = {} } = options;
  if (status !== undefined && kinds.every((kind) => statusMember(kind) === undefined)) {
    throw new UsageError('--status is given, and none of the kinds has a status');
  }
  return kinds.map((kind) => {
    const member = status === undefined ? undefined : statusMember(kind);
    const body = { ...(member !== undefined && { [member]: status }), ...members };
    return defined({
      kind,
      fp_id,
      body: unlessEmpty(body),
      count,
      webhook_id,
      tampering: unlessEmpty(tampering),
    });
  });
}

function unlessEmpty<Members extends object>(members: Members): Members | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}

/** Triggers the events in order and, if wanted, waits for the first attempts. */
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
  const tampering = bodies[0]?.tampering ?? {};
  return { events, deliveries, as_expected: deliveries.every((one) => isAsExpected(one, tampering)) };
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

/** Whether the options make sense only with a receiver. */
export function needsReceiver({ webhook_id, tampering }: Body): boolean {
  return webhook_id !== undefined || tampering !== undefined;
}

/** Whether the first attempt had the expected result: a tampered delivery is refused, a lost one is lost. */
export function isAsExpected(delivery: Pick<Delivery, 'attempts'>, tampering: Tampering): boolean {
  const first = delivery.attempts.find(({ attempt }) => attempt === 1);
  if (first === undefined) return false;
  const { response_status: status } = first;
  if (tampering.drop_first === true) return status === null;
  return isRefusable(tampering) ? status !== null && status >= 400 : isSuccess(status);
}

/** Whether a receiver that verifies signatures refuses it. */
function isRefusable({ bad_signature, skew_ms = 0 }: Tampering): boolean {
  return bad_signature === true || Math.abs(skew_ms) > TOLERANCE_MS;
}

export type Tampering = NonNullable<RequestOf<'POST /_kyclone/events/trigger'>['body']['tampering']>;

export const tamperingFlags = {
  duplicate: boolean({ summary: 'deliver each event twice, under the same id' }),
  shuffle: boolean({ summary: 'deliver the events in a different order than they happened' }),
  'bad-signature': boolean({ summary: 'sign with another secret; should be refused' }),
  skew: durationFlag({
    min: -Infinity,
    summary:
      'sign with a time shifted by this much; beyond 5 minutes it should be refused (-10m is the past)',
  }),
  'drop-first': boolean({ summary: 'lose the first attempt on its way' }),
};

/** Throws UsageError for flags that exclude each other. */
export function tamperingOf(flags: Partial<FlagValues<typeof tamperingFlags>>): Tampering {
  const { duplicate, shuffle, 'bad-signature': badSignature, skew, 'drop-first': dropFirst } = flags;
  if (dropFirst && (badSignature || skew !== undefined)) {
    throw new UsageError('--drop-first drops the only attempt that --bad-signature and --skew affect');
  }
  return {
    ...(duplicate && { duplicate }),
    ...(shuffle && { shuffle }),
    ...(badSignature && { bad_signature: true }),
    ...defined({ skew_ms: skew }),
    ...(dropFirst && { drop_first: true }),
  };
}

const REFUSED = new Set(['__proto__', 'constructor', 'prototype']);
const MOST_LEVELS = 16;
type Members = Record<string, JsonValue>;

/** The object that the arguments build together. Throws UsageError, which contains no value. */
export function setMembers(texts: readonly string[]): Members {
  const body: Members = {};
  texts.forEach((text, index) => {
    const { path, value } = parseSetting(text, index + 1);
    place(body, path, value);
  });
  return body;
}

function parseSetting(text: string, position: number): { path: string[]; value: JsonValue } {
  const equals = text.indexOf('=');
  const isJson = equals > 0 && text[equals - 1] === ':';
  const name = text.slice(0, isJson ? equals - 1 : Math.max(equals, 0));
  const path = name.split('.');
  if (path.some((segment) => segment === '') || path.length > MOST_LEVELS) {
    throw new UsageError(
      `--set number ${position} is not of the form path=value (not shown: it may hold a value)`,
      'path=text, or path:=JSON; dots separate nested members',
    );
  }
  if (path.some((segment) => REFUSED.has(segment))) {
    throw new UsageError(`--set number ${position} names a member that an event cannot have`);
  }
  const written = text.slice(equals + 1);
  const value = isJson ? jsonOf(written) : written;
  if (value === undefined)
    throw new UsageError(`--set number ${position} has no JSON after :=${faultText(written)}`);
  return { path, value };
}

function place(body: Members, path: readonly string[], value: JsonValue): void {
  let place = body;
  for (const segment of path.slice(0, -1)) {
    const inner = Object.hasOwn(place, segment) ? place[segment] : (place[segment] = {});
    if (!isJsonObject(inner)) throw twice();
    place = inner;
  }
  const last = path.at(-1) ?? '';
  if (Object.hasOwn(place, last)) throw twice();
  place[last] = value;
}

function twice(): UsageError {
  return new UsageError('--set gives one member two values');
}
