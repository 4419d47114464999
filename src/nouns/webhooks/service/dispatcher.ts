/**
 * Delivers due events to their endpoints (contract §9.1). An attempt is recorded when it has ended. Until then its
 * delivery stays due in the store, so that a killed daemon repeats it: at least once, under the same id. A delivery
 * never has two attempts at the same time, even when `run` is called twice. A slow endpoint does not delay others: each
 * has a share of the concurrent attempts, plus one extra attempt while it has none in flight.
 */
import { timestamp } from '../../../kernel/time/clock.ts';
import { firstOf, realTime } from '../../../kernel/time/real-time.ts';
import { DAY_MS, MINUTE_MS } from '../../../kernel/numbers/units.ts';
import { startStopwatch } from '../../../outbound/index.ts';
import type { Database } from '../../../storage/database.ts';
import type { DueSource, StepBack } from '../../clock/service/index.ts';
import { viewOf, type DeliveryView } from './deliveries.ts';
import { ATTEMPT_TIMEOUT_MS, createAttempt, readTampering } from './delivery.ts';
import {
  bringDeliveriesBack,
  countScheduled,
  failDeliveries,
  findDueDelivery,
  findNextAt,
  type Blocked,
  type DueDelivery,
} from './due-deliveries.ts';
import {
  bringEndpointsBack,
  findAnyWebhook,
  isOwnWebhook,
  updateFailingSince,
  updateWebhook,
  type WebhookRow,
} from './endpoints.ts';
import { findDelivery, insertAttempt, updateDelivery } from './repository.ts';
import { judge, type AttemptResult, type Verdict } from './verdict.ts';
import type { WebhooksContext } from './events.ts';

// Limits how long a move of the clock waits for receivers: the time-out of one attempt in total, in real time, however
// many attempts fall due. A receiver that doesn't respond uses up half of the remaining time. Then the move continues
// without it, and its attempt continues in the background.

/**
 * Attempts that started within this time of the first slow one end with it, since a busy machine may notice their end
 * this much later.
 */
const SAME_TIME_MS = 100;
const GRACE_MS = 3_000;

function createPatience(options: {
  readonly flights: ReadonlyMap<Promise<void>, Flight>;
  /** The time-out of an attempt. */
  readonly limitMs: number;
}) {
  const { flights, limitMs } = options;
  const slow = new Set<string>();
  let patienceMs = limitMs / 2;
  let firstSlow: Flight | undefined;

  function giveUpOn(waited: readonly Flight[]): void {
    for (const each of waited) slow.add(each.delivery.webhook);
    firstSlow ??= waited[0];
    patienceMs /= 2;
  }

  return {
    /** Endpoints that did not respond in time during this move. */
    slow,
    /** Settles when only attempts to slow endpoints are in flight. */
    async wait(): Promise<void> {
      for (;;) {
        const awaited = [...flights].filter(([, { delivery }]) => !slow.has(delivery.webhook));
        if (awaited.length === 0) return;
        const left = patienceMs - Math.max(...awaited.map(([, { elapsed }]) => elapsed()));
        if (left > 0) await firstOf(endsOf(awaited), left);
        else giveUpOn(awaited.map(([, each]) => each).filter(({ elapsed }) => elapsed() >= patienceMs));
      }
    },
    /** Settles when nothing is in flight, or the time-out of the first slow attempt is over. */
    async waitForRest(): Promise<void> {
      const first = firstSlow;
      if (first === undefined) return;
      for (;;) {
        const since = first.elapsed();
        const isOver = since >= limitMs;
        const awaited = [...flights].filter(
          ([, { elapsed }]) => !isOver || elapsed() >= first.elapsed() - SAME_TIME_MS,
        );
        const left = limitMs + (isOver ? GRACE_MS : 0) - since;
        if (awaited.length === 0 || left <= 0) return;
        await firstOf(endsOf(awaited), left);
      }
    },
  };
}

const endsOf = (flights: readonly (readonly [Promise<void>, Flight])[]) => flights.map(([ended]) => ended);

/** Above this, only endpoints without an attempt in flight get one, so that two that hang don't block a third. */
const MOST_AT_ONCE = 16;
const MOST_AT_ONCE_TO_ONE_ENDPOINT = 8;
/** For all endpoints together. */
const MOST_OPEN = 128;
/** In real time. */
const UNRECORDED_REST_MS = MINUTE_MS;
/** An endpoint is disabled after every attempt failed for this long. */
const DISABLED_AFTER_MS = 5 * DAY_MS;

interface Flight {
  readonly delivery: DueDelivery;
  /** Epoch milliseconds by the instance's clock. */
  readonly startedAt: number;
  /** Real milliseconds since it began, whatever the instance's clock shows. */
  readonly elapsed: () => number;
  readonly givingUp: AbortController;
  /** Started before a reset: its ids may repeat, so nothing may be recorded under them. */
  isForgotten: boolean;
}

export function createDispatcher(context: WebhooksContext) {
  const { queue, clock, stream } = context;
  const attempt = createAttempt(context);
  const flights = new Map<Promise<void>, Flight>();
  /** Attempts that could not be recorded: repeated when the store works again, or after a while. */
  const unrecorded = new Set<string>();
  let isStopped = false;
  let isLookScheduled = false;
  /** Attempts of the current run, which later calls join. */
  let made = 0;
  /** Attempts since the start. */
  let recorded = 0;
  let running: Promise<number> | undefined;

  /** Deliveries and endpoints that can't start an attempt now. */
  function blocked(): Blocked {
    const inFlight = new Map<string, number>();
    for (const { delivery } of flights.values()) {
      inFlight.set(delivery.webhook, (inFlight.get(delivery.webhook) ?? 0) + 1);
    }
    const busy = [...inFlight.keys()];
    const share = flights.size < MOST_AT_ONCE ? MOST_AT_ONCE_TO_ONE_ENDPOINT : 1;
    return {
      taken: [...[...flights.values()].map(({ delivery }) => delivery.id), ...unrecorded],
      full: busy.filter((webhook) => (inFlight.get(webhook) ?? 0) >= share),
      busy,
    };
  }

  const hasRoom = () => !isStopped && flights.size < MOST_OPEN;

  function begin(): void {
    while (hasRoom()) {
      const delivery = findDueDelivery(queue.database, clock.now(), blocked());
      if (!delivery) return;
      const startedAt = clock.now();
      const flight = {
        delivery,
        startedAt,
        elapsed: startStopwatch(),
        givingUp: new AbortController(),
        isForgotten: false,
      };
      const ended = fly(flight).finally(() => {
        flights.delete(ended);
        beginFurther();
      });
      flights.set(ended, flight);
    }
  }

  function beginFurther(): void {
    try {
      begin();
    } catch {
      // The store can't be read now; the next run starts what is due.
    }
  }

  async function fly(flight: Flight): Promise<void> {
    const result = await attempt(flight.delivery, flight.givingUp.signal);
    if (!result) return;
    try {
      const isRecorded = await queue.write((database) => record(database, flight, result));
      unrecorded.clear();
      if (isRecorded) {
        made += 1;
        recorded += 1;
      }
    } catch {
      // A full disk or a read-only store; the next write reports it.
      rest(flight.delivery.id);
    }
  }

  function rest(delivery: string): void {
    unrecorded.add(delivery);
    realTime
      .setTimeout(() => {
        if (unrecorded.delete(delivery)) context.wake();
      }, UNRECORDED_REST_MS)
      .unref();
  }

  function record(database: Database, flight: Flight, result: AttemptResult): boolean {
    const { delivery, startedAt } = flight;
    const row = findDelivery(database, delivery.id);
    const webhook = row && findAnyWebhook(database, row.webhook);
    if (!webhook || flight.isForgotten) return false;
    const number = row.attempts + 1;
    const verdict = judge(number, result, readTampering(delivery.tampering));
    const { isAccepted, ...made } = result;
    const { hint } = verdict;
    insertAttempt(database, { ...made, delivery: row.id, attempt: number, at: startedAt, hint });
    // It may have been abandoned in the meantime with its endpoint; nothing is sent to one that another program has
    // changed.
    const isGivenUp = row.status === 'failed' || !isOwnWebhook(database, webhook);
    const status = isGivenUp && verdict.status === 'pending' ? 'failed' : verdict.status;
    const isToCome = status === 'pending' && webhook.enabled;
    updateDelivery(database, {
      id: row.id,
      status,
      attempts: number,
      next_at: isToCome && verdict.retryAfterMs !== null ? clock.now() + verdict.retryAfterMs : null,
    });
    // It may fall due while another endpoint hangs.
    if (isToCome) queue.afterCommit(context.wake);
    noteHealth(database, webhook, { isAccepted, verdict, startedAt });
    publish(viewOf(database, row.id));
    return true;
  }

  function noteHealth(
    database: Database,
    webhook: WebhookRow,
    { isAccepted, verdict, startedAt }: { isAccepted: boolean; verdict: Verdict; startedAt: number },
  ): void {
    // Otherwise a changed row would get our seal.
    if (!isOwnWebhook(database, webhook)) return;
    if (isAccepted && webhook.failing_since !== null) updateFailingSince(database, webhook.id, null);
    if (!verdict.isEndpointFailing) return;
    const failing_since = webhook.failing_since ?? startedAt;
    const isLost = webhook.enabled && clock.now() - failing_since >= DISABLED_AFTER_MS;
    if (!isLost) {
      updateFailingSince(database, webhook.id, failing_since);
      return;
    }
    const disabled_reason = `Every attempt has failed since ${timestamp(failing_since)}, for 5 days or longer`;
    updateWebhook(database, { ...webhook, enabled: false, disabled_reason, failing_since });
    failDeliveries(database, webhook.id);
  }

  /** Without the query of the URL, as in the journal. */
  function publish(view: DeliveryView | undefined): void {
    if (!view) return;
    const url = view.url.replace(/\?.*$/s, '');
    queue.afterCommit(() => stream.publish('delivery', () => ({ ...view, url })));
  }

  async function idle(): Promise<void> {
    while (flights.size > 0) await Promise.race(flights.keys());
  }

  async function untilLanded(): Promise<number> {
    await idle();
    const done = made;
    made = 0;
    running = undefined;
    return done;
  }

  const pending = () => countScheduled(queue.database);

  /** A variant with limited waiting: deliveries to a slow endpoint are left for after the move. */
  function duringMove(): DueSource {
    const patience = createPatience({ flights, limitMs: context.timeoutMs ?? ATTEMPT_TIMEOUT_MS });
    const from = clock.now();
    let counted = recorded;
    const newlyRecorded = () => {
      const done = recorded - counted;
      counted = recorded;
      return done;
    };
    return {
      nextAt() {
        const now = blocked();
        const full = [...now.full, ...patience.slow];
        return hasRoom() ? findNextAt(queue.database, { ...now, full }) : undefined;
      },
      pending,
      async run() {
        begin();
        await patience.wait();
        return newlyRecorded();
      },
      async idle() {
        await patience.wait();
        // Attempts from before the move don't count for it.
        if (clock.now() <= from) newlyRecorded();
      },
      async finish() {
        await patience.waitForRest();
        return newlyRecorded();
      },
    };
  }

  return {
    due: {
      duringMove,
      stepBack(database: Database, step: StepBack) {
        bringDeliveriesBack(database, step);
        bringEndpointsBack(database, step);
      },
      // Deliveries without room now start when an attempt ends.
      nextAt: () => (hasRoom() ? findNextAt(queue.database, blocked()) : undefined),
      pending,
      async run() {
        begin();
        if (flights.size === 0) return 0;
        running ??= untilLanded();
        return await running;
      },
      idle,
    },
    /** Call it when deliveries may be due: a run in progress picks them up. Repeated calls are merged. */
    look(): void {
      if (isLookScheduled) return;
      isLookScheduled = true;
      void Promise.resolve().then(() => {
        isLookScheduled = false;
        if (flights.size > 0) beginFurther();
      });
    },
    /** Call it in the write job of a reset: abandons attempts in flight and records nothing of them. */
    forget(): void {
      for (const flight of flights.values()) {
        flight.isForgotten = true;
        flight.givingUp.abort();
      }
      flights.clear();
      unrecorded.clear();
    },
    /** Starts no more attempts, and abandons those in flight. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const { givingUp } of flights.values()) givingUp.abort();
      await idle();
    },
  };
}
