/** The state of the clock that survives a restart of the daemon, and the ids of the stream, which go on. */
import { expect, onTestFinished, test } from 'vitest';
import type { InstancePaths } from '../../src/kernel/files/paths.ts';
import { exchange } from '../support/exchange.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

/** Starts a durable daemon in this process. */
async function start(paths: InstancePaths) {
  const { daemon, controlToken } = await startInProcess(paths, { isEphemeral: false });
  onTestFinished(() => daemon.stop());
  const control = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${controlToken}` };
    const reply = await exchange(`${daemon.instance.url}/_kyclone/${path}`, method, { headers, body });
    expect(reply.status, reply.text).toBe(200);
    return reply;
  };
  return {
    clock: async (method: string, body?: unknown) => (await control(method, 'clock', body)).body,
    async idsOfStream() {
      const { text } = await control('GET', 'stream?follow=false');
      return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    },
    stop: () => daemon.stop(),
  };
}

test('a frozen clock shows the same time after a restart', async () => {
  const home = pathsBelow(tempDir());
  const first = await start(home);
  await first.clock('PUT', { action: 'freeze', at: '2031-02-03T04:05:06.789Z' });
  await first.stop();

  const second = await start(home);
  expect(await second.clock('GET')).toMatchObject({ now: '2031-02-03T04:05:06.789Z', mode: 'frozen' });
});

test('an offset is the same after a restart, and gone after it is given up; ids of the stream ascend', async () => {
  const home = pathsBelow(tempDir());
  const first = await start(home);
  await first.clock('PUT', { action: 'offset', by: '30m' });
  const before = await first.idsOfStream();
  await first.stop();

  const second = await start(home);
  expect(await second.clock('GET')).toMatchObject({ mode: 'offset', offset_ms: 1_800_000 });
  expect(Math.min(...(await second.idsOfStream()))).toBeGreaterThan(Math.max(...before));
  await second.clock('PUT', { action: 'resume' });
  await second.stop();

  expect(await (await start(home)).clock('GET')).toMatchObject({ mode: 'real', offset_ms: 0 });
});
