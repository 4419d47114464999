/** A client that disconnects before its request is begun, for example while a snapshot is loaded. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { nextTurn } from '../../src/kernel/time/turns.ts';
import { HOST, SANDBOX_KEY, startService } from '../support/service.ts';
import { vaultOf } from '../support/vault-calls.ts';

test('a client that is gone before its turn: its request delays nobody and holds no memory', async () => {
  await using service = await startService();
  const user = await service.user();
  for (const name of ['a', 'b', 'c'])
    await vaultOf(service, user).write({ [`custom.${name}`]: 'x'.repeat(30_000) });
  const { app } = service.runtime.service;
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  const body = JSON.stringify({ fields: ['custom.a', 'custom.b', 'custom.c'], reason: 'a test' });
  Object.assign(request, { method: 'POST', url: `/users/${user}/vault/decrypt` });
  request.push(body);
  request.push(null);
  request.complete = true;
  const headers = {
    host: HOST,
    'x-service-secret-key': SANDBOX_KEY,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  request.rawHeaders = Object.entries(headers).flat();
  Object.assign(request.headers, headers);
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  const closed = once(response, 'close');
  response.destroy();
  await closed;

  await app.handle(request, response);
  expect(service.log.at(-1)).toMatchObject({ route: '/users/{fp_id}/vault/decrypt', status: 200 });

  const settled = app.inFlight.settled(undefined, 60_000).then(() => 'settled');
  expect(await Promise.race([settled, nextTurn().then(() => 'still waits')])).toBe('settled');
  expect(service.runtime.budget.peak).toBeGreaterThan(0);
  expect(service.runtime.budget.held).toBe(0);
});
