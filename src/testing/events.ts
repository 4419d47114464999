/** `waitFor`: returns each webhook event only once, so two waits for the same kind get two events. */
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
    let settle: (event: WebhookEvent) => void = () => undefined;
    let failed: (error: unknown) => void = () => undefined;
    const next = new Promise<WebhookEvent>((resolve, reject) => {
      [settle, failed] = [resolve, reject];
    });
    next.catch(() => undefined);
    // Buffers new events while the stored ones are read, because the oldest event has to come first.
    let early: StreamedEvent[] | undefined = [];
    let isDone = false;
    const consider = (event: StreamedEvent) => {
      if (isDone || event.tenant !== space.tenant || event.environment !== space.environment) return;
      if (early !== undefined) return void early.push(event);
      try {
        const { id, kind, at, body } = event;
        if (!take(wait, event)) return;
        isDone = true;
        settle({ id, kind, at, body });
      } catch (error) {
        failed(error);
      }
    };
    const listening = stream.listen({ received: consider, failed: (error) => failed(error) });
    listening.catch(() => undefined);
    try {
      await Promise.race([listening, over]);
      const found = (await Promise.race([stored(space), over])).find((event) => take(wait, event));
      if (found) return found;
      const waiting = early;
      early = undefined;
      waiting.forEach(consider);
      hasLooked();
      return await Promise.race([next, over]);
    } finally {
      isDone = true;
      void listening.then(
        (leave) => leave(),
        () => undefined,
      );
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
  return where === undefined || where(event);
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

type StreamedEvent = StreamData['event'];

interface Listener {
  received(event: StreamedEvent): void;
  failed(error: unknown): void;
}

interface SharedStream {
  /** Resolves when the stream is open; every later event reaches the listener. Returns a function that ends this. */
  listen(listener: Listener): Promise<() => void>;
}

function sharedStream(connection: Connection): SharedStream {
  const listeners = new Set<Listener>();
  let current: { readonly abort: AbortController; readonly isOpen: Promise<void> } | undefined;

  function open(): NonNullable<typeof current> {
    const abort = new AbortController();
    const { signal } = abort;
    const opening = openStream(connection, { types: ['event'], signal });
    void opening
      .then(async (messages) => {
        for await (const { data } of messages) for (const listener of [...listeners]) listener.received(data);
        if (!signal.aborted) throw new Error('The stream of events ended');
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        current = undefined;
        for (const listener of listeners) listener.failed(error);
      });
    return { abort, isOpen: opening.then(() => undefined) };
  }

  function leave(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    current?.abort.abort();
    current = undefined;
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      try {
        await (current ??= open()).isOpen;
      } catch (error) {
        leave(listener);
        throw error;
      }
      return () => leave(listener);
    },
  };
}
