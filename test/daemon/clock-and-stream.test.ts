/** The state of the clock that survives a restart of the daemon. A client of the stream doesn't delay a stop. */
import { request, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { InstancePaths } from '../../src/kernel/paths.ts';
import { exchange } from '../support/exchange.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const aHome = () => pathsBelow(tempDir());

interface Running {
  readonly url: string;
  readonly headers: { readonly authorization: string };
  control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts a durable daemon in this process. */
async function start(paths: InstancePaths): Promise<Running> {
  const { daemon, controlToken } = await startInProcess(paths, { isEphemeral: false });
  onTestFinished(() => daemon.stop());
  const { url } = daemon.instance;
  const headers = { authorization: `Bearer ${controlToken}` };
  return {
    url,
    headers,
    async control(method, path, body) {
      const reply = await exchange(`${url}/_kyclone${path}`, method, { headers, body });
      expect(reply.status, reply.text).toBe(200);
      return reply.body;
    },
    stop: () => daemon.stop(),
  };
}

test('a frozen clock shows the same time after a restart', async () => {
  const home = aHome();
  const first = await start(home);
  await first.control('PUT', '/clock', { action: 'freeze', at: '2031-02-03T04:05:06.789Z' });
  await first.stop();

  const second = await start(home);
  expect(await second.control('GET', '/clock')).toMatchObject({
    now: '2031-02-03T04:05:06.789Z',
    mode: 'frozen',
  });
});

test('an offset is the same after a restart, and gone after it is given up', async () => {
  const home = aHome();
  const first = await start(home);
  await first.control('PUT', '/clock', { action: 'advance', by: 'PT2H' });
  await first.control('PUT', '/clock', { action: 'offset', by: '-90m' });
  await first.stop();

  const second = await start(home);
  expect(await second.control('GET', '/clock')).toMatchObject({ mode: 'offset', offset_ms: 1_800_000 });
  await second.control('PUT', '/clock', { action: 'resume' });
  await second.stop();

  const third = await start(home);
  expect(await third.control('GET', '/clock')).toMatchObject({ mode: 'real', offset_ms: 0 });
});

test('ids of the stream ascend over a restart', async () => {
  const home = aHome();
  const lastId = async (daemon: Running) => {
    const url = `${daemon.url}/_kyclone/stream?follow=false`;
    const { text } = await exchange(url, 'GET', { headers: daemon.headers });
    return Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]);
  };
  const first = await start(home);
  await first.control('GET', '/clock');
  const before = await lastId(first);
  await first.stop();
  const second = await start(home);
  await second.control('GET', '/clock');
  expect(await lastId(second)).toBeGreaterThan(before);
});

test('stop: an open stream ends whole, and the daemon with it', async () => {
  const daemon = await start(aHome());
  const outgoing = request(`${daemon.url}/_kyclone/stream`, { headers: daemon.headers });
  onTestFinished(() => void outgoing.destroy());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end();
  });
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise<void>((resolve, reject) => answer.once('end', resolve).once('error', reject));
  await daemon.control('PUT', '/clock', { action: 'advance', by: 1 });
  await vi.waitFor(() => expect(text).toContain('event: clock'), { timeout: PATIENCE_MS });

  await daemon.stop();

  await ended;
  expect(answer.complete).toBe(true);
});
