import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Source } from '../../src/tui/data/source.ts';
import { aRuntime } from '../support/a-runtime.ts';
import type { Message } from '../../src/tui/state/model.ts';
import { currentView } from '../../src/tui/state/reading.ts';
import { pageOf } from './state/states.ts';

/** A source that never responds. */
const SILENT: Source = {
  client: createClient(() => new Promise(() => undefined)),
  space: { tenant: 'tenant', environment: 'sandbox' },
  isOwnKey: () => false,
  once: (_, ask) => ask(),
};

/** Makes a runtime; `send` returns how often it notified before anything else ran. */
function paced(source = () => SILENT) {
  const runtime = aRuntime({ source });
  let shown = 0;
  runtime.subscribe(() => (shown += 1));
  const send = (message: Message) => {
    const before = shown;
    runtime.dispatch(message);
    return shown - before;
  };
  const page = (generation: number): Message => {
    const { id: view, pane } = currentView(runtime.getState());
    return { type: 'page', view, pane, generation, isFirst: true, page: pageOf([], undefined) };
  };
  return { send, page, view: () => currentView(runtime.getState()) };
}

test('runtime: the first rows are shown at once, and those that are loaded again with the next frame', () => {
  const { send, page } = paced();
  expect(send({ type: 'connection', connection: { kind: 'live' } })).toBe(1);
  expect(send(page(1))).toBe(1);
  // The first messages of the stream made the runtime load the page again.
  expect(send({ type: 'connection', connection: { kind: 'lost', why: 'it ended' } })).toBe(1);
  expect(send(page(2))).toBe(0);
  send({ type: 'key', key: 'ctrl-c', now: 0 });
});

test('runtime: a load that has no daemon to ask fails where its rows would stand', () => {
  const { view } = paced(() => {
    throw new TypeError('the link is closed');
  });
  const { pane, panes } = view();
  expect(panes[pane]?.problem).toBe('It failed (TypeError)');
});
