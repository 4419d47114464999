/**
 * What a stop does to answers that clients are reading. Answers are sent to their end, and answers that nobody reads
 * are cut off.
 */
import { expect, test } from 'vitest';
import type { ServerLimits } from '../../src/http/limits.ts';
import { MIB, MINUTE_MS } from '../../src/kernel/numbers/units.ts';
import { exchange } from '../support/exchange.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { until } from '../support/patience.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { headOf, openClient } from '../support/slow-clients.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const SIDES = ['front', 'back', 'selfie'] as const;
/** As base64 this is larger than the system's buffers. */
const FILE = 'k'.repeat(7 * MIB);

/** Makes a daemon that sends some 28 MB to a client. The client has read almost nothing of it. */
async function beingRead(limits: Partial<ServerLimits>) {
  const { daemon, key: sandbox } = await startInProcess(pathsBelow(tempDir()), { limits });
  const { url, port } = daemon.instance;
  const key = { 'x-service-secret-key': sandbox };
  const json = { ...key, 'content-type': 'application/json' };
  const { body } = await exchange(`${url}/users`, 'POST', { headers: json, body: '{}' });
  const { id } = body as { id: string };
  const fields = SIDES.map((side) => `document.passport.${side}.image`);
  for (const field of fields) {
    const stored = await exchange(`${url}/users/${id}/vault/${field}/upload`, 'POST', {
      headers: { ...key, 'content-type': 'image/png' },
      body: FILE,
    });
    expect(stored.status).toBe(200);
  }
  const place = { host: '127.0.0.1', port };
  const asked = JSON.stringify({ fields, reason: 'a test' });
  const head = headOf(place, `POST /users/${id}/vault/decrypt`, { ...json, 'content-length': asked.length });
  const client = await openClient(place, head + asked, { reads: false });
  await until('the answer has begun', () => client.socket.readableLength > 0);
  return { daemon, client, fields };
}

test('stop: an answer that is read more slowly than requests are answered is read to its end', async () => {
  const limits = { drainMs: 1, drainStallMs: 5 * MINUTE_MS, drainLimitMs: 5 * MINUTE_MS };
  const { daemon, client, fields } = await beingRead(limits);

  const stopped = daemon.stop();
  // When the daemon reports that it isn't ready, no more requests are sent or accepted.
  await until('the daemon is stopping', () => !daemon.instance.readiness.ready);
  const pieces: Buffer[] = [];
  client.socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    // Each piece takes a turn of its own, so that reading takes longer than the limit for requests.
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 1);
  });
  await client.closed;
  await stopped;

  const answer = Buffer.concat(pieces).toString('latin1');
  const file = Buffer.from(FILE).toString('base64');
  expect(JSON.parse(parseAnswers(answer)[0]?.text ?? '')).toEqual(
    Object.fromEntries(fields.map((field) => [field, file])),
  );
});

test('stop: an answer of which nothing is taken any more is broken off', async () => {
  const { daemon, client } = await beingRead({ drainMs: 1, drainStallMs: 1, drainLimitMs: 5 * MINUTE_MS });
  await daemon.stop();
  client.leave();
});

test('stop: an endless answer is broken off in the end', async () => {
  const { daemon, client } = await beingRead({ drainMs: 1, drainStallMs: 5 * MINUTE_MS, drainLimitMs: 1 });
  await daemon.stop();
  client.leave();
});
