/**
 * Sample events on demand, and the results of their first attempts (contract §11, events/trigger): members of a body
 * from `--set name.inner=text` or `name.inner:=json`, and deliveries that are wrong on purpose, to see what a receiver
 * does.
 */
import { boolean } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import { pollUntil } from '../../client/discover.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type JsonValue, isJsonObject } from '../../kernel/json.ts';
import { UsageError } from '../shell/failure.ts';
import type { SpaceQuery } from '../shell/flags.ts';
import { statusMember } from './kinds.ts';
import { allPages } from '../../client/pages.ts';
import { durationFlag } from '../shell/times.ts';

type Body = RequestOf<'POST /_kyclone/events/trigger'>['body'];
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
  readonly tampering: Tampering;
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
  const { fpId, status, members, count, webhookId, tampering } = options;
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
      ...(Object.keys(tampering).length > 0 && { tampering }),
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

/** Whether something was asked for that only a receiver can answer. */
export function wasAsked({ webhook_id, tampering }: Body): boolean {
  return webhook_id !== undefined || tampering !== undefined;
}

/** Whether the first attempt went as it should: what is wrong on purpose is refused, a lost one is lost. */
export function isAsExpected(delivery: Pick<Delivery, 'attempts'>, tampering: Tampering): boolean {
  const first = delivery.attempts.find(({ attempt }) => attempt === 1);
  if (first === undefined) return false;
  const { response_status: status } = first;
  if (tampering.drop_first === true) return status === null;
  return isRefusable(tampering) ? status !== null && status >= 400 : isSuccess(status);
}

/** Whether a receiver that verifies refuses it. */
function isRefusable({ bad_signature, skew_ms = 0 }: Tampering): boolean {
  return bad_signature === true || Math.abs(skew_ms) > TOLERANCE_MS;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

export type Tampering = NonNullable<RequestOf<'POST /_kyclone/events/trigger'>['body']['tampering']>;

export const tamperingFlags = {
  duplicate: boolean({ summary: 'deliver each event twice, under the same id' }),
  shuffle: boolean({ summary: 'deliver the events in another order than they happened in' }),
  'bad-signature': boolean({ summary: 'sign with another secret; should be refused' }),
  skew: durationFlag({
    min: -Infinity,
    summary: 'sign for a time so far off; beyond 5 minutes that should be refused (-10m is the past)',
  }),
  'drop-first': boolean({ summary: 'lose the first attempt on its way' }),
};

/** Throws UsageError for flags that exclude each other. */
export function tamperingOf(flags: {
  readonly duplicate: boolean;
  readonly shuffle: boolean;
  readonly 'bad-signature': boolean;
  readonly skew?: number | undefined;
  readonly 'drop-first': boolean;
}): Tampering {
  const { duplicate, shuffle, 'bad-signature': badSignature, skew, 'drop-first': dropFirst } = flags;
  if (dropFirst && (badSignature || skew !== undefined)) {
    throw new UsageError('--drop-first loses the one attempt that --bad-signature and --skew are about');
  }
  return {
    ...(duplicate && { duplicate }),
    ...(shuffle && { shuffle }),
    ...(badSignature && { bad_signature: true }),
    ...(skew !== undefined && { skew_ms: skew }),
    ...(dropFirst && { drop_first: true }),
  };
}

const REFUSED = new Set(['__proto__', 'constructor', 'prototype']);
const MOST_LEVELS = 16;
type Members = Record<string, JsonValue>;

/** The object that the arguments make together. Throws UsageError, which repeats no value. */
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
      'path=text, or path:=JSON; dots lead into objects',
    );
  }
  if (path.some((segment) => REFUSED.has(segment))) {
    throw new UsageError(`--set number ${position} names a member that no object of an event has`);
  }
  const written = text.slice(equals + 1);
  return { path, value: isJson ? parseJson(written, position) : written };
}

/** JSON.parse quotes the text in its messages; this doesn't. */
function parseJson(text: string, position: number): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new UsageError(`--set number ${position} has no JSON after :=`);
  }
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
