/**
 * kill -9 while events are made and delivered (contract §9.1). The client records which events were acknowledged.
 * However often the daemon is killed between the change and the delivery, each event reaches the receiver at least
 * once, whole, signed, and under one id. Nothing is delivered that isn't in the store.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { listAll } from '../support/kycloned-calls.ts';
import { startTarget, type ReceivedRequest } from '../support/targets.ts';
import { isGone } from './books.ts';
import '../support/tier-all.ts';

const TRIGGERS = 5;
const EVENTS_EACH = 50;
const EVENTS = TRIGGERS * EVENTS_EACH;
const LEAST_KILLS = 5;
/** The receiver responds late, so that many events are in flight at any time. */
const ANSWERS_AFTER_MS = 30;
const BETWEEN_TRIGGERS_MS = 100;
const LONGEST_LIFE_MS = 600;

interface Listed {
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly status?: string;
}

/**
 * Triggers events; returns whether they were acknowledged. When the daemon was killed before that, it is unknown
 * whether the events exist.
 */
async function trigger(daemon: Kycloned, acknowledged: Set<string>): Promise<boolean> {
  try {
    const { status, body } = await daemon.control('POST', '/_kyclone/events/trigger', {
      body: { kind: 'onboarding.completed', count: EVENTS_EACH },
    });
    expect(status).toBe(200);
    const made = [body, ...(body['others'] as Record<string, unknown>[])];
    for (const { id } of made) acknowledged.add(id as string);
    return true;
  } catch (error) {
    if (!isGone(error)) throw error;
    return false;
  }
}

const list = (daemon: Kycloned, path: string) =>
  listAll<Listed>((query) => daemon.control('GET', `${path}${query}`));

async function countOf(daemon: Kycloned, query: string): Promise<number> {
  const { body } = await daemon.control('GET', `/_kyclone/deliveries?page_size=1${query}`);
  return (body['meta'] as { count: number }).count;
}

const idOf = ({ headers }: ReceivedRequest) => String(headers['webhook-id']);

test(`kill -9: ${EVENTS} events, the daemon killed at random, every event is delivered at least once under its id`, async () => {
  const home = tempDir();
  const books = { verifier: undefined as Webhook | undefined, sent: new Map<string, unknown>() };
  await using receiver = await startTarget({
    handler: async (request, response) => {
      // This throws when the request isn't genuine, and then the test fails.
      books.sent.set(
        idOf(request),
        books.verifier?.verify(request.body, request.headers as Record<string, string>),
      );
      await delay(ANSWERS_AFTER_MS);
      response.end();
    },
  });
  const acknowledged = new Set<string>();
  let daemon = await startKycloned({ home });
  const { body } = await daemon.control('POST', '/_kyclone/webhooks', { body: { url: receiver.url } });
  books.verifier = new Webhook(body['secret'] as string);

  let kills = 0;
  let longestLife = LONGEST_LIFE_MS;
  while (kills < LEAST_KILLS || acknowledged.size < EVENTS) {
    const running = daemon;
    const triggering = (async () => {
      while (acknowledged.size < EVENTS && (await trigger(running, acknowledged))) {
        await delay(BETWEEN_TRIGGERS_MS);
      }
    })();
    const before = acknowledged.size;
    await delay(Math.random() * longestLife);
    await running.stop('SIGKILL');
    kills += 1;
    await triggering;
    // On a busy machine the daemon may be killed before it has done anything.
    const isTooShort = acknowledged.size === before && acknowledged.size < EVENTS;
    longestLife = isTooShort ? longestLife * 2 : LONGEST_LIFE_MS;
    daemon = await startKycloned({ home });
  }
  // Deliveries that were in flight when the daemon was killed are due. No attempt failed, so none waits for a retry.
  await until('all are delivered', async () => (await countOf(daemon, '&status=pending')) === 0, 120_000);

  const events = await list(daemon, '/_kyclone/events');
  const ids = new Set(events.map(({ id }) => id));
  expect(acknowledged.size).toBeGreaterThanOrEqual(EVENTS);
  expect(ids.size).toBe(events.length);
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  expect([...ids].filter((id) => !books.sent.has(id))).toEqual([]);
  expect([...books.sent.keys()].filter((id) => !ids.has(id))).toEqual([]);
  // Attempts whose daemon was killed between the response and its record may have been made again.
  expect(receiver.requests.length).toBeGreaterThanOrEqual(events.length);
  for (const { id, body: stored } of events) expect(books.sent.get(id)).toEqual(stored);
  const deliveries = await list(daemon, '/_kyclone/deliveries');
  expect(deliveries).toHaveLength(events.length);
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['delivered']));
  await daemon.stop();
});
