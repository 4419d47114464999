/**
 * The evidence that an instance has about a failed run, read before it stops: the journal, the events, and the rules
 * that chose outcomes and faults. The daemon masks the journal. This file masks events, which may contain data that a
 * test made up, and the addresses of webhooks, whose path is often a secret.
 */
import type { AnswerOf } from '../../contract/registry.ts';
import { hintOf } from '../../contract/hints.ts';
import { EVENT_KINDS } from '../../nouns/webhooks/facts.ts';
import { ONBOARDING_STATUSES } from '../../nouns/onboardings/facts.ts';
import { createClient, type Client } from '../../client/client.ts';
import { allPages, pagesOf } from '../../client/pages.ts';
import { ID_PREFIX } from '../../kernel/ids/ids.ts';
import { isJsonObject } from '../../kernel/text/json.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import type { JournalEntry } from '../../nouns/requests/commands/journal.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { describeFailure, type Failure } from '../shell/failure.ts';

/** A daemon that hangs must not delay the command's result. */
const timeoutMs = 10 * SECOND_MS;
/** The number of failed requests shown at the end of a run. */
const SHOWN = 5;
/** The size of the journal, and the limit for each list. */
const MOST = 2_000;

type Event = AnswerOf<'GET /_kyclone/events'>['data'][number];
type Delivery = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** Lists are newest first. */
export interface Evidence {
  readonly failed: readonly JournalEntry[];
  readonly report: ReportedState | undefined;
  /** Why the evidence is incomplete. */
  readonly gap: Failure | undefined;
}

export interface ReportedState {
  readonly requests: readonly JournalEntry[];
  readonly events: readonly Event[];
  readonly deliveries: readonly Delivery[];
  readonly outcomeRules: readonly AnswerOf<'GET /_kyclone/outcomes'>['data'][number][];
  readonly faultRules: readonly AnswerOf<'GET /_kyclone/faults'>['data'][number][];
}

/** `isForReport`: everything; otherwise only the last failed requests. Never throws. */
export async function collectEvidence(access: DaemonAccess, isForReport: boolean): Promise<Evidence> {
  const client = createClient(connectionOf(access, false));
  const failed: JournalEntry[] = [];
  try {
    const requests: JournalEntry[] = [];
    const journal = (page: PageQuery) =>
      client.call('GET /_kyclone/requests', { query: { control: false, ...page }, timeoutMs });
    for await (const page of pagesOf(journal)) {
      failed.push(...page.filter(hasFailed));
      const isEnough = !isForReport && failed.length >= SHOWN;
      if (requests.push(...page) >= MOST || isEnough) break;
    }
    const report = isForReport ? { requests, ...(await stateOf(client)) } : undefined;
    return { failed, report, gap: undefined };
  } catch (error) {
    return { failed, report: undefined, gap: describeFailure(error) };
  }
}

/** Refused, failed, or cut off before a response. */
export function hasFailed({ status }: JournalEntry): boolean {
  return status === 0 || status >= 400;
}

type PageQuery = { readonly cursor: string | undefined; readonly page_size: number };
type ReadPage<Item> = Parameters<typeof allPages<Item>>[0];

/** The items of both environments. */
async function allSpaces<Item>(
  read: (query: PageQuery & { readonly environment?: 'live' }) => ReturnType<ReadPage<Item>>,
): Promise<Item[]> {
  const live = (query: PageQuery) => read({ ...query, environment: 'live' });
  return [...(await allPages(read, MOST)), ...(await allPages(live, MOST))];
}

/** Events, deliveries and outcome rules belong to the tenant that every instance has. */
async function stateOf(client: Client): Promise<Omit<ReportedState, 'requests'>> {
  const events = await allSpaces((query) => client.call('GET /_kyclone/events', { query, timeoutMs }));
  const deliveries = await allSpaces((query) =>
    client.call('GET /_kyclone/deliveries', { query, timeoutMs }),
  );
  return {
    events: events.map(maskedEvent),
    deliveries: deliveries.map((one) => ({ ...one, url: maskedAddress(one.url) })),
    outcomeRules: await allSpaces((query) => client.call('GET /_kyclone/outcomes', { query, timeoutMs })),
    faultRules: await allPages((query) => client.call('GET /_kyclone/faults', { query, timeoutMs }), MOST),
  };
}

const OUR_WORDS: ReadonlySet<unknown> = new Set([...ONBOARDING_STATUSES, ...EVENT_KINDS]);
const OUR_ID = new RegExp(`^(?:${Object.values(ID_PREFIX).join('|')})[0-9A-Za-z]{1,32}$`);

/** Keeps our own ids and words and masks everything else: a test can trigger an event with any body. */
export function maskedEvent({ id, kind, at, body }: Event): Event {
  const masked = Object.entries(body).map(([name, value]) => [name, isOurs(value) ? value : '***']);
  return { id, kind, at, body: Object.fromEntries(masked) as Event['body'] };
}

/** Keeps scheme, host and port. */
function maskedAddress(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/***` : '***';
}

function isOurs(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || OUR_WORDS.has(value)) return true;
  return typeof value === 'string' && OUR_ID.test(value);
}

export interface FailedRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** 0 if it got no response. */
  readonly status: number;
  readonly code: string | null;
  /** The expectations for the refused members. */
  readonly context: Readonly<Record<string, string>>;
  readonly hint: string | undefined;
  /** The fault rules that made it fail on purpose. */
  readonly faults: readonly string[];
}

/** The last failed requests, in the order of time. */
export function lastFailed({ failed }: Evidence): FailedRequest[] {
  return failed.slice(0, SHOWN).reverse().map(failedRequest);
}

export function failedRequest(entry: JournalEntry): FailedRequest {
  const { id, at, method, path, status, code, faults, response } = entry;
  const context = contextOf(response);
  return { id, at, method, path, status, code, context, hint: adviceOn(entry), faults };
}

/** The daemon's hint for this request, or else the general advice for its error code. */
export function adviceOn({ hint, code, method, route }: JournalEntry): string | undefined {
  if (hint !== undefined || code === null) return hint;
  return hintOf(code, route === null ? undefined : `${method} ${route}`);
}

/** An error names members and their requirements, never a value (contract §0.5). */
function contextOf(response: unknown): Record<string, string> {
  const context = isJsonObject(response) ? response['context'] : undefined;
  if (!isJsonObject(context)) return {};
  const texts = Object.entries(context).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The details of a failed request besides status and code. */
export function explanationOf({ context, hint, faults }: FailedRequest): string[] {
  return [
    ...faults.map((id) => `on purpose: ${id}`),
    ...Object.entries(context).map(([member, text]) => `${member}: ${text}`),
    ...(hint === undefined ? [] : [hint]),
  ];
}
