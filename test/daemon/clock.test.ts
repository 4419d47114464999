/** The state of the clock that survives a restart of the daemon. */
import { expect, onTestFinished, test } from 'vitest';
import type { InstancePaths } from '../../src/kernel/paths.ts';
import { exchange } from '../support/exchange.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

/** Starts a durable daemon in this process. */
async function start(paths: InstancePaths) {
  const { daemon, controlToken } = await startInProcess(paths, { isEphemeral: false });
  onTestFinished(() => daemon.stop());
  return {
    async clock(method: string, body?: unknown) {
      const headers = { authorization: `Bearer ${controlToken}` };
      const reply = await exchange(`${daemon.instance.url}/_kyclone/clock`, method, { headers, body });
      expect(reply.status, reply.text).toBe(200);
      return reply.body;
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
