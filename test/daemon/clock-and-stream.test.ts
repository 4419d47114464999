/** The state of the clock that survives a restart of the daemon. */
import { expect, onTestFinished, test } from 'vitest';
import type { InstancePaths } from '../../src/kernel/paths.ts';
import { exchange } from '../support/exchange.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const aHome = () => pathsBelow(tempDir());

interface Running {
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
