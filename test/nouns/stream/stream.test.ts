/** What the stream stores, sends and drops (contract §11, GET stream), without HTTP. */
import { describe, expect, test, vi } from 'vitest';
import { STREAM_TYPES } from '../../../src/nouns/stream/endpoints.ts';
import { createStream, type Stream } from '../../../src/nouns/stream/service.ts';
import { fakeTimers } from '../../support/fake-timers.ts';

const HELLO = ': kyclone\n\n';
const NEVER = new AbortController().signal;
const ALL_KEPT = { follow: false };

/** Returns everything that remains of a stream that ends. */
async function rest(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += Buffer.from(chunk).toString();
  return text;
}

/** Returns the ids in a text of server-sent events. */
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

function publishMany(stream: Stream, count: number): void {
  for (let number = 1; number <= count; number++) stream.publish('event', () => ({ number }));
}

async function nextText(iterator: AsyncIterator<Uint8Array>): Promise<string | undefined> {
  const { done, value } = (await iterator.next()) as IteratorResult<Uint8Array, undefined>;
  return done === true ? undefined : Buffer.from(value).toString();
}

/** Opens a stream and waits for its first comment. */
async function aListener(stream: Stream, ...[query = {}, last, closed = NEVER]: Partial<OpenParameters>) {
  const iterator = stream.open(query, last, closed)[Symbol.asyncIterator]();
  expect(await nextText(iterator)).toBe(HELLO);
  return { next: () => nextText(iterator) };
}
type OpenParameters = Parameters<Stream['open']>;

test('open: a message is its id, its type and one line of JSON', async () => {
  const stream = createStream({ firstId: 7 });
  const listener = await aListener(stream);
  stream.publish('delivery', () => ({ id: 'dlv_1', text: 'two\nlines' }));
  stream.publish('clock', () => ({ now: 'noon' }));
  expect(await listener.next()).toBe(
    'id: 7\nevent: delivery\ndata: {"id":"dlv_1","text":"two\\nlines"}\n\n' +
      'id: 8\nevent: clock\ndata: {"now":"noon"}\n\n',
  );
});

test('open: begins with what happens next', async () => {
  const stream = createStream({ firstId: 1 });
  publishMany(stream, 3);
  const listener = await aListener(stream);
  publishMany(stream, 1);
  expect(idsIn((await listener.next()) ?? '')).toEqual([4]);
});

test('open: follow=false ends after all that is kept, or after what follows the last id', async () => {
  const stream = createStream({ firstId: 1 });
  publishMany(stream, 5);
  expect(idsIn(await rest(stream.open(ALL_KEPT, undefined, NEVER)))).toEqual([1, 2, 3, 4, 5]);
  expect(idsIn(await rest(stream.open(ALL_KEPT, '3', NEVER)))).toEqual([4, 5]);
  expect(await rest(stream.open(ALL_KEPT, '5', NEVER))).toBe(HELLO);
});

test('open: after a last id, missed and then new events arrive, each once', async () => {
  const stream = createStream({ firstId: 1 });
  publishMany(stream, 3);
  const listener = await aListener(stream, {}, '1');
  publishMany(stream, 2);
  const seen: number[] = [];
  while (seen.length < 4) seen.push(...idsIn((await listener.next()) ?? ''));
  expect(seen).toEqual([2, 3, 4, 5]);
});

test('open: keeps the last 1,000; a reader that was away for longer gets all of them', async () => {
  const stream = createStream({ firstId: 1 });
  publishMany(stream, 2_500);
  const kept = Array.from({ length: 1_000 }, (_, index) => 1_501 + index);
  expect(idsIn(await rest(stream.open(ALL_KEPT, '1', NEVER)))).toEqual(kept);
  expect(idsIn(await rest(stream.open(ALL_KEPT, undefined, NEVER)))).toEqual(kept);
});

test('open: an id of an earlier run is before all of this one', async () => {
  const stream = createStream({ firstId: 1_000_000 });
  publishMany(stream, 2);
  expect(idsIn(await rest(stream.open(ALL_KEPT, '999', NEVER)))).toEqual([1_000_000, 1_000_001]);
});

describe('types', () => {
  function aMix(): Stream {
    const stream = createStream({ firstId: 1 });
    for (const type of STREAM_TYPES) stream.publish(type, () => ({}));
    return stream;
  }
  const eventsIn = (text: string) => [...text.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);

  test.each([
    ['clock', ['clock']],
    [' event ,delivery,,event', ['event', 'delivery']],
    ['', STREAM_TYPES],
    [undefined, STREAM_TYPES],
  ])('%j', async (types, expected) => {
    const query = { ...ALL_KEPT, ...(types !== undefined && { types }) };
    expect(eventsIn(await rest(aMix().open(query, undefined, NEVER)))).toEqual(expected);
  });

  test('get what happens, too', async () => {
    const stream = createStream({ firstId: 1 });
    const listener = await aListener(stream, { types: 'event' });
    stream.publish('clock', () => ({}));
    stream.publish('event', () => ({}));
    expect(idsIn((await listener.next()) ?? '')).toEqual([2]);
  });

  test.each(['events', 'event,Clock', 'all', '*'])('%s is refused at once', (types) => {
    expect(() => aMix().open({ types }, undefined, NEVER)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringContaining('types') as string,
      }),
    );
  });
});

test('publish: nothing is read without a listener to its type', async () => {
  const stream = createStream({ firstId: 1 });
  const read = vi.fn(() => ({}));
  stream.publish('event', read);
  await aListener(stream, { types: 'clock' });
  stream.publish('event', read);
  expect(read).not.toHaveBeenCalled();
});

test('publish: a message that can not be read is left out, and others arrive', async () => {
  const stream = createStream({ firstId: 1 });
  const broken = () => {
    throw new Error('gone');
  };
  const listener = await aListener(stream);
  stream.publish('event', broken);
  publishMany(stream, 1);
  expect(idsIn((await listener.next()) ?? '')).toEqual([2]);
  expect(idsIn(await rest(stream.open(ALL_KEPT, undefined, NEVER)))).toEqual([2]);
});

test('closed: ends a stream that waits, and one that has not begun', async () => {
  const stream = createStream({ firstId: 1 });
  const client = new AbortController();
  const listener = await aListener(stream, {}, undefined, client.signal);
  const waiting = listener.next();
  client.abort();
  expect(await waiting).toBeUndefined();
  publishMany(stream, 1);
  expect(await listener.next()).toBeUndefined();
  expect(await rest(stream.open({}, undefined, client.signal))).toBe(HELLO);
});

test('close: every stream ends after the published events, a later one at once', async () => {
  const stream = createStream({ firstId: 1 });
  const [one, other] = [await aListener(stream), await aListener(stream)];
  const waiting = one.next();
  publishMany(stream, 1);
  stream.close();
  expect(idsIn((await waiting) ?? '')).toEqual([1]);
  expect(await one.next()).toBeUndefined();
  expect(idsIn((await other.next()) ?? '')).toEqual([1]);
  expect(await other.next()).toBeUndefined();
  expect(await rest(stream.open({}, undefined, NEVER))).toBe(HELLO);
});

test('open: only a reader that stops reading is disconnected', async () => {
  const stream = createStream({ firstId: 1 });
  const [slow, quick] = [await aListener(stream), await aListener(stream)];
  const megabyte = { text: 'x'.repeat(1_048_576) };
  for (let id = 1; id <= 9; id++) {
    stream.publish('event', () => megabyte);
    expect(idsIn((await quick.next()) ?? '')).toEqual([id]);
  }
  expect(await slow.next()).toBeUndefined();
  publishMany(stream, 1);
  expect(idsIn((await quick.next()) ?? '')).toEqual([10]);
});

test('open: a comment every 15 s, also when nothing happens', async () => {
  fakeTimers('setInterval', 'clearInterval');
  const stream = createStream({ firstId: 1 });
  const client = new AbortController();
  const listener = await aListener(stream, {}, undefined, client.signal);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(14_999);
  publishMany(stream, 1);
  expect(idsIn((await listener.next()) ?? '')).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(await listener.next()).toBe(HELLO);
  vi.advanceTimersByTime(15_000);
  expect(await listener.next()).toBe(HELLO);
  client.abort();
  expect(await listener.next()).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});
