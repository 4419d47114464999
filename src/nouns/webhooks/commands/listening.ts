/**
 * One run of `kyclone webhooks listen`. It ends with a signal, when its output has no reader any more, after the
 * wanted number of lines or seconds, or when the daemon stays lost. In each case, endpoints that it registered are
 * removed if the daemon can be reached. An event is shown once, even if the connection was lost in between.
 */
import { createClient, type Client, type Connection } from '../../../client/client.ts';
import { systemClock, timestamp } from '../../../kernel/time/clock.ts';
import { pollUntil } from '../../../kernel/time/poll-until.ts';
import { UnreachableError } from '../../../client/errors.ts';
import { openStream } from '../../../client/event-stream.ts';
import type { StreamData, StreamMessage } from '../../../client/server-sent-events.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import { untilEnd, type Ending } from '../../../cli/shell/ending.ts';
import { EXIT } from '../../../cli/shell/exit-codes.ts';
import { describeFailure } from '../../../cli/shell/failure.ts';
import { isWanted } from './flags.ts';
import { resolveMoment, type ClockTime } from '../../../cli/shell/times.ts';
import { allPages } from '../../../client/pages.ts';
import { targetsOf, type ListenTarget, type Targets, type WantedTargets } from './targets.ts';

interface At {
  /** By the machine's clock, because it is about this process, not about the instance. */
  readonly at: string;
}
/** By the name of each kind of line, its `type` under `--json`. */
interface Lines {
  readonly ready: At & { readonly base_url: string; readonly targets: readonly ListenTarget[] };
  /** An event, and whether it happened before this run (`--since`). */
  readonly event: Pick<Event, 'id' | 'kind' | 'at' | 'body'> & { readonly is_past: boolean };
  readonly delivery: StreamData['delivery'];
  /** `seconds`: how long the run will look for the daemon. */
  readonly lost: At & { readonly reason: string; readonly seconds: number };
  /** `registered`: ids of endpoints that were registered again because they were gone. */
  readonly restored: At & { readonly base_url: string; readonly registered: readonly string[] };
  readonly end: At & {
    readonly reason: 'told' | 'enough' | 'timeout' | 'lost';
    readonly events: number;
    readonly attempts: number;
    /** Ids of endpoints that couldn't be removed. */
    readonly left: readonly string[];
  };
}
export type LineOf<Type extends keyof Lines> = Lines[Type] & { readonly type: Type };
/** The lines of `kyclone webhooks listen`; NDJSON under `--json`. */
export type ListenLine = { [Type in keyof Lines]: LineOf<Type> }[keyof Lines];

/** Whether the line is a result. Other lines are about the command itself. */
export function isResult({ type }: ListenLine): boolean {
  return type === 'event' || type === 'delivery';
}

const machineTime = () => timestamp(systemClock.now());

export interface ListenRun extends WantedTargets {
  readonly since: ClockTime | undefined;
  /** Counts attempts at the targets or, without targets, events. */
  readonly stopAfter: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly reconnectMs: number;
}

type Message = StreamMessage<'event' | 'delivery'>;
type Event = StreamData['event'];

const RETRY_MS = 250;
/** How many events are remembered, so that none is shown twice. */
const REMEMBERED = 10_000;
/** Precedes the first message of any daemon: the stream then begins with everything that is kept. */
const BEFORE_ALL = '0';

/** Returns the exit code. `connect` finds the daemon again each time, because its port may change after a restart. */
export async function runListen(
  run: ListenRun,
  { connect, show }: { connect: () => Promise<Connection>; show: (line: ListenLine) => void },
): Promise<number> {
  return await untilEnd(async (ending) => {
    const listener = new Listener(run, ending, show);
    const timer = run.timeoutMs === undefined ? undefined : startTimer(run, listener);
    try {
      await listener.follow(connect);
      await ending.exitCode;
      await listener.close();
    } catch (error) {
      await listener.removeTargets();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  });
}

/** With a wanted number of lines, running out of time is a failure. Otherwise it is the requested end. */
function startTimer({ timeoutMs = 0, stopAfter }: ListenRun, listener: Listener): NodeJS.Timeout {
  const exitCode = stopAfter === undefined ? EXIT.ok : EXIT.timedOut;
  return setTimeout(() => listener.end('timeout', exitCode), timeoutMs);
}

class Listener {
  readonly #run: ListenRun;
  readonly #ending: Ending;
  readonly #show: (line: ListenLine) => void;
  readonly #targets: Targets;
  readonly #shown = new Set<string>();
  /** Events of another tenant or environment. */
  readonly #foreign = new Set<string>();
  #client: Client | undefined;
  #baseUrl = '';
  /** The start time of the daemon at the beginning of this run. */
  #firstStart: string | undefined;
  #lastEventId: string | undefined;
  #reason: LineOf<'end'>['reason'] = 'told';
  #events = 0;
  #attempts = 0;

  constructor(run: ListenRun, ending: Ending, show: (line: ListenLine) => void) {
    this.#run = run;
    this.#ending = ending;
    this.#show = show;
    this.#targets = targetsOf(run);
  }

  end(reason: LineOf<'end'>['reason'], exitCode: number): void {
    if (this.#isOver) return;
    this.#reason = reason;
    this.#ending.end(exitCode);
  }

  /** Runs until the end. Throws the error of the first connection. */
  async follow(connect: () => Promise<Connection>): Promise<void> {
    const connection = await connect();
    let messages = await this.#open(connection);
    const past = await this.#eventsBefore();
    await this.#targets.ensure(this.#knownClient);
    this.#show({ type: 'ready', at: machineTime(), base_url: this.#baseUrl, targets: this.#targets.list });
    await this.#replay(past);
    for (;;) {
      const reason = await this.#read(messages);
      if (this.#isOver) return;
      const again = await this.#reconnect(connect, reason);
      if (again === undefined) {
        this.end('lost', EXIT.unreachable);
        return;
      }
      messages = again;
    }
  }

  async close(): Promise<void> {
    const left = await this.removeTargets();
    const counts = { events: this.#events, attempts: this.#attempts };
    this.#show({ type: 'end', at: machineTime(), reason: this.#reason, ...counts, left });
  }

  async removeTargets(): Promise<string[]> {
    return this.#client === undefined ? [] : await this.#targets.remove(this.#client);
  }

  /** Everything that a daemon started later reports happened during this run, even if nothing was seen before. */
  async #open(connection: Connection): Promise<AsyncIterable<Message>> {
    this.#client = createClient(connection);
    this.#baseUrl = connection.baseUrl;
    const { pid, started_at: startedAt } = await this.#client.call('GET /_kyclone/info');
    const start = `${startedAt} ${pid}`;
    const isFirst = (this.#firstStart ??= start) === start;
    return await openStream(connection, {
      types: ['event', 'delivery'],
      lastEventId: this.#lastEventId ?? (isFirst ? undefined : BEFORE_ALL),
      signal: this.#ending.signal,
    });
  }

  /** Returns the reason for its end. */
  async #read(messages: AsyncIterable<Message>): Promise<string> {
    try {
      for await (const message of messages) {
        this.#lastEventId = message.id ?? this.#lastEventId;
        if (message.type === 'event') await this.#takeEvent(message.data);
        else this.#showDelivery(message.data);
        if (this.#isOver) break;
      }
      return 'the daemon ended the stream';
    } catch (error) {
      if (error instanceof UnreachableError) return error.message;
      throw error;
    }
  }

  async #reconnect(
    connect: () => Promise<Connection>,
    reason: string,
  ): Promise<AsyncIterable<Message> | undefined> {
    const { reconnectMs: timeoutMs } = this.#run;
    this.#show({ type: 'lost', at: machineTime(), reason, seconds: timeoutMs / SECOND_MS });
    let messages: AsyncIterable<Message> | undefined;
    const attempt = async () => {
      if (!this.#isOver) messages = await this.#restored(connect);
      return this.#isOver || messages !== undefined;
    };
    await pollUntil(attempt, { everyMs: RETRY_MS, timeoutMs });
    return messages;
  }

  /** Undefined while there is no daemon, or none that is ready. */
  async #restored(connect: () => Promise<Connection>): Promise<AsyncIterable<Message> | undefined> {
    try {
      const connection = await connect();
      const ready = await createClient(connection).request({ method: 'GET', path: '/_kyclone/ready' });
      if (ready.status !== 200) return undefined;
      const messages = await this.#open(connection);
      this.#showRestored(await this.#targets.ensure(this.#knownClient));
      return messages;
    } catch (error) {
      if (describeFailure(error).exitCode === EXIT.unreachable) return undefined;
      throw error;
    }
  }

  /** The events for `--since`, oldest first. */
  async #eventsBefore(): Promise<readonly Event[]> {
    const { since, space } = this.#run;
    if (since === undefined) return [];
    const client = this.#knownClient;
    const query = { ...space, since: await resolveMoment(since, client) };
    const newestFirst = await allPages((page) =>
      client.call('GET /_kyclone/events', { query: { ...query, ...page } }),
    );
    return newestFirst.reverse();
  }

  async #replay(events: readonly Event[]): Promise<void> {
    for (const event of events) {
      if (this.#isOver) return;
      if (!this.#showEvent(event, true)) continue;
      await this.#deliver(event, this.#targets.list);
    }
  }

  /** Another run, or somebody, may have deleted an endpoint; this event would then be delivered nowhere. */
  async #takeEvent(event: Event): Promise<void> {
    if (!this.#showEvent(event, false) || this.#isOver) return;
    const again = await this.#targets.ensure(this.#knownClient);
    if (again.length === 0) return;
    this.#showRestored(again);
    await this.#deliver(event, again);
  }

  async #deliver({ id }: Event, targets: readonly ListenTarget[]): Promise<void> {
    for (const { webhook_id } of targets) {
      await this.#knownClient.call('POST /_kyclone/events/{id}/resend', {
        params: { id },
        query: this.#run.space,
        body: { webhook_id },
      });
    }
  }

  #showRestored(again: readonly ListenTarget[]): void {
    const registered = again.map(({ webhook_id }) => webhook_id);
    this.#show({ type: 'restored', at: machineTime(), base_url: this.#baseUrl, registered });
  }

  /** Whether the event should be shown, and wasn't before. */
  #showEvent(event: Event, isPast: boolean): boolean {
    const { id, kind, at, body } = event;
    if (this.#isOver || this.#shown.has(id)) return false;
    if (!this.#isOurs(event)) {
      remember(this.#foreign, id);
      return false;
    }
    if (!isWanted(kind, this.#run.kinds ?? ['*'])) return false;
    remember(this.#shown, id);
    this.#events++;
    this.#show({ type: 'event', id, kind, at, body, is_past: isPast });
    if (this.#run.urls.length === 0) this.#countTo(this.#events);
    return true;
  }

  /** Shows only deliveries to the targets, if there are targets. */
  #showDelivery(delivery: StreamData['delivery']): void {
    if (this.#isOver || delivery.attempt === 0) return;
    const { urls, kinds = ['*'] } = this.#run;
    const isWatched =
      urls.length === 0
        ? isWanted(delivery.kind, kinds) && !this.#foreign.has(delivery.event_id)
        : this.#targets.list.some((target) => target.webhook_id === delivery.webhook_id);
    if (!isWatched) return;
    this.#attempts++;
    this.#show({ ...delivery, type: 'delivery' });
    if (urls.length > 0) this.#countTo(this.#attempts);
  }

  #countTo(count: number): void {
    if (count === this.#run.stopAfter) this.end('enough', EXIT.ok);
  }

  /** The stream contains every tenant and both environments. */
  #isOurs({ tenant, environment }: Event): boolean {
    const { space } = this.#run;
    return (
      (tenant === undefined || tenant === (space.tenant ?? 'default')) &&
      (environment === undefined || environment === (space.environment ?? 'sandbox'))
    );
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  get #knownClient(): Client {
    if (this.#client === undefined) throw new Error('not connected yet');
    return this.#client;
  }
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
