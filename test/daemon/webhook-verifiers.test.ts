/** The JavaScript verifier of the docs page, run on deliveries of the same daemon. */
import { expect, test } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import { deliveries, printedCode, type Received } from './webhook-verifiers.ts';

type Verify = (secret: string, headers: Received['headers'], body: Buffer) => boolean;

test('the verifier in javascript accepts what is genuine and recent, and nothing else', async () => {
  await using daemon = await startDaemon();
  const code = encodeURIComponent(await printedCode(daemon, 'javascript'));
  const { verify } = (await import(`data:text/javascript,${code}`)) as { verify: Verify };
  for (const [what, [{ secret, headers, body }, accepts]] of Object.entries(await deliveries(daemon))) {
    expect([what, verify(secret, headers, Buffer.from(body, 'base64'))]).toEqual([what, accepts]);
  }
});
