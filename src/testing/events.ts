/** `waitFor`: returns each webhook event only once, so two waits for the same kind get two events. */
import { EventEmitter, on } from 'node:events';
import { isPromise } from 'node:util/types';
import type { Client } from '../client/client.ts';
import type { Connection } from '../client/credentials.ts';
import { openStream } from '../client/event-stream.ts';
import { allPages } from '../client/pages.ts';
import type { StreamData } from '../client/server-sent-events.ts';
import type { Environment } from '../nouns/entities/facts.ts';
import { EVENT_KINDS } from '../nouns/webhooks/facts.ts';
import { realTime } from '../kernel/time/real-time.ts';
import type { WaitOptions, WebhookEvent } from './api.ts';
import { KycloneError } from './errors.ts';
import { checkWait } from './options.ts';

/** Below the five seconds after which test runners end a test without saying what it waited for. */
const DEFAULT_TIMEOUT_MS = 4_000;
/** Extra time for reading the stored events, beyond the caller's timeout. */
const LOOKING_MS = 10_000;

export interface Events {
  waitFor(kind: string, options?: WaitOptions): Promise<WebhookEvent>;
  /** The events handed out so far, for `restore`. */
  state(): ReadonlySet<string>;
  /** Needed after a reset with a seed and after a snapshot is loaded: event ids occur again then. */
  restore(state: ReadonlySet<string>): void;
  /** Rejects all pending waits. */
  close(): void;
}

interface Wait {
  readonly kind: string;
  readonly options: WaitOptions;
  /** The kinds of other events that arrived meanwhile, by event id. */
  readonly passedOver: Map<string, string>;
}

export function createEvents({ client, connection }: { client: Client; connection: Connection }): Events {
  const stream = sharedStream(connection);
  const refusals = new Set<(error: Error) => void>();
  let handedOut = new Set<string>();

  function take(wait: Wait, event: WebhookEvent): boolean {
    if (handedOut.has(event.id)) return false;
    if (!isWanted(wait, event)) {
      wait.passedOver.set(event.id, event.kind);
      return false;
    }
    handedOut.add(event.id);
    return true;
  }

  /** The events of the requested tenant and environment, oldest first. */
  async function stored(space: EventSpace): Promise<WebhookEvent[]> {
    const read = (page: object) => client.call('GET /_kyclone/events', { query: { ...space, ...page } });
    return (await allPages(read)).reverse();
  }

  async function find(
    wait: Wait,
    space: EventSpace,
    { over, hasLooked }: { over: Promise<never>; hasLooked: () => void },
  ): Promise<WebhookEvent> {
    // Buffers new events while the stored ones are read, because the oldest event has to come first.
    const events = stream.listen();
    try {
      await Promise.race([stream.opened(), over]);
      const found = (await Promise.race([stored(space), over])).find((event) => take(wait, event));
      if (found) return found;
      hasLooked();
      for (;;) {
        // In this order: what is in the buffer counts, even if the time is over.
        const next = await Promise.race([events.next(), over]);
        const [{ id, kind, at, body, tenant, environment }] = next.value;
        const event = { id, kind, at, body };
        if (tenant === space.tenant && environment === space.environment && take(wait, event)) return event;
      }
    } finally {
      stream.leave(events);
    }
  }

  return {
    async waitFor(kind, options = {}) {
      checkWait(options);
      const { timeoutMs = DEFAULT_TIMEOUT_MS, tenant = 'default', environment = 'sandbox' } = options;
      checkKind(kind);
      const wait: Wait = { kind, options, passedOver: new Map() };
      let refuse: (error: Error) => void = () => undefined;
      const over = new Promise<never>((_, reject) => (refuse = reject));
      over.catch(() => undefined);
      refusals.add(refuse);
      const giveUp = () => refuse(new KycloneError('timeout', ''));
      // Past events are always checked, however short the timeout is or slow the machine.
      let isLooking = true;
      let isLate = false;
      // Keeps the process alive during the wait; nothing else here does.
      let timer = realTime.setTimeout(() => {
        isLate = true;
        if (isLooking) timer = realTime.setTimeout(giveUp, LOOKING_MS);
        else giveUp();
      }, timeoutMs);
      const hasLooked = () => {
        isLooking = false;
        if (isLate) giveUp();
      };
      try {
        return await find(wait, { tenant, environment }, { over, hasLooked });
      } catch (error) {
        if (!(error instanceof KycloneError) || error.code !== 'timeout') throw error;
        throw new KycloneError('timeout', await timeoutMessage(client, wait, timeoutMs));
      } finally {
        realTime.clearTimeout(timer);
        refusals.delete(refuse);
      }
    },
    state: () => new Set(handedOut),
    restore: (state) => void (handedOut = new Set(state)),
    close() {
      for (const refuse of refusals) {
        refuse(new KycloneError('closed', 'This instance was closed during a wait for an event'));
      }
    },
  };
}

interface EventSpace {
  readonly tenant: string;
  readonly environment: Environment;
}

function isWanted({ kind, options: { fp_id, where } }: Wait, event: WebhookEvent): boolean {
  if (kind !== '*' && kind !== event.kind && kind !== event.body['event_kind']) return false;
  if (fp_id !== undefined && event.body['fp_id'] !== fp_id) return false;
  const answer: unknown = where === undefined || where(event);
  if (!isPromise(answer)) return Boolean(answer);
  // The call is refused, so the promise's rejection must not end the process.
  answer.then(undefined, () => undefined);
  throw new KycloneError('invalid_option', 'Option where must return true or false, not a promise');
}

/** Accepts any prefix, because the settings define it. */
function checkKind(kind: unknown): void {
  const text = typeof kind === 'string' ? kind : '';
  if (text === '*' || EVENT_KINDS.some((known) => text === known || text.endsWith(`.${known}`))) return;
  throw new KycloneError(
    'invalid_option',
    `There is no event of that kind; there are ${EVENT_KINDS.join(', ')}, and * for any of them`,
  );
}

async function timeoutMessage(
  client: Client,
  { kind, options, passedOver }: Wait,
  ms: number,
): Promise<string> {
  const about = [
    ...(options.fp_id === undefined ? [] : [`about ${options.fp_id}`]),
    ...(options.where === undefined ? [] : ['that matches `where`']),
  ].map((text) => ` ${text}`);
  const counts = new Map<string, number>();
  for (const each of passedOver.values()) counts.set(each, (counts.get(each) ?? 0) + 1);
  const came = [...counts].map(([each, count]) => (count === 1 ? each : `${each} (${count})`)).join(', ');
  const hints = await hintsOf(client, kind).catch(() => []);
  return [
    `No event ${kind}${about.join('')} within ${ms} ms`,
    came === '' ? 'no other event arrived' : `other events: ${came}`,
    ...hints,
  ].join('; ');
}

/** Two common causes of a missing event. */
async function hintsOf(client: Client, kind: string): Promise<string[]> {
  const [clock, settings, info] = await Promise.all([
    client.call('GET /_kyclone/clock'),
    client.call('GET /_kyclone/settings'),
    client.call('GET /_kyclone/info'),
  ]);
  const isExtra = kind !== '*' && !kind.endsWith('onboarding.completed');
  return [
    ...(isExtra && !settings.events.extended
      ? ['events of this kind need the setting { events: { extended: true } }']
      : []),
    ...(clock.mode === 'frozen' && info.pending_work > 0
      ? ['the clock is frozen and work waits for its time: clock.advance() runs it']
      : []),
  ];
}

// One event stream shared by all waits: the first wait opens it, and the end of the last closes it.

type StreamedEvents = AsyncIterator<[StreamData['event']], never>;

function sharedStream(connection: Connection) {
  // Any number of waits may be pending.
  const received = new EventEmitter().setMaxListeners(0);
  let current: { readonly abort: AbortController; readonly isOpen: Promise<void> } | undefined;

  function open(): NonNullable<typeof current> {
    const abort = new AbortController();
    const { signal } = abort;
    const opening = openStream(connection, { types: ['event'], signal });
    void opening
      .then(async (messages) => {
        for await (const { data } of messages) received.emit('event', data);
        if (!signal.aborted) throw new Error('The stream of events ended');
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        current = undefined;
        if (received.listenerCount('error') > 0) received.emit('error', error);
      });
    return { abort, isOpen: opening.then(() => undefined) };
  }

  return {
    /** Every event from now on, if the stream is open. */
    listen: () => on(received, 'event') as unknown as StreamedEvents,
    opened: () => (current ??= open()).isOpen,
    leave(events: StreamedEvents): void {
      void events.return?.();
      if (received.listenerCount('event') > 0) return;
      current?.abort.abort();
      current = undefined;
    },
  };
}
