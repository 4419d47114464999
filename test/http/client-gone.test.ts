/** The signal of a client that leaves, or of a session that ends (contract §11.1). */
import { getEventListeners } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { signalClientGone } from '../../src/http/call.ts';

function aPair() {
  const request = new IncomingMessage(new Socket());
  return { request, response: new ServerResponse(request) };
}

test('signalClientGone: a session that lives on keeps nothing of a response that was closed', () => {
  const session = new AbortController();
  const pair = aPair();
  const gone = signalClientGone(pair, session.signal);
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(1);

  pair.response.emit('close');

  expect(gone.aborted).toBe(true);
  expect(getEventListeners(session.signal, 'abort')).toEqual([]);
});

test('signalClientGone: aborts with its session, and at once for one that has ended', () => {
  const session = new AbortController();
  const gone = signalClientGone(aPair(), session.signal);
  expect(gone.aborted).toBe(false);
  session.abort();

  expect([gone.aborted, signalClientGone(aPair(), session.signal).aborted]).toEqual([true, true]);
});
