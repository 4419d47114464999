/** The daemon is stopped while a proxy call waits for its target. */
import { expect, test } from 'vitest';
import { startKycloned, until } from '../support/kycloned.ts';
import { startRawTarget } from '../support/targets.ts';

test('jit: a daemon that is stopped ends in good order though a target is silent', async () => {
  await using target = await startRawTarget({ then: 'silence' });
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const headers = { 'x-fp-proxy-target-url': `${target.url}/` };
  const pending = daemon
    .call('POST', '/vault_proxy/jit', { headers, body: 'x' })
    .catch((error: unknown) => error);
  await until('the target is asked', () => target.connections > 0);

  const { code } = await daemon.stop();

  expect(code).toBe(0);
  expect(await pending).toBeInstanceOf(Error);
  await until('the connection is closed', () => target.open === 0);
});
