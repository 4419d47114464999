/**
 * Advancing the clock past receivers that never respond takes one timeout in all, and other receivers get all of their
 * attempts.
 */
import '../../support/tier-all.ts';
import { expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { startRawTarget } from '../../support/targets.ts';
import {
  aReceiver,
  answering,
  CLOCK,
  COMPLETED,
  deliveriesOf,
  pass,
  REGISTER,
  TRIGGER,
} from './a-receiver.ts';

const MOVE = 28 * 3_600_000;

async function hangingEndpoint(service: TestService, url: string): Promise<string> {
  return (await service.call(REGISTER, { body: { url } })).body.id;
}

const attemptsOf = async (service: TestService, webhook_id: string) =>
  (await deliveriesOf(service, { webhook_id })).map(({ attempts }) => attempts.length);

test('advance: a receiver that hangs is attempted once on the way, not at each of its eight times', async () => {
  await using service = await startService({ outside: { timeoutMs: 1_000 } });
  await using hanging = await startRawTarget({ then: 'silence' });
  const id = await hangingEndpoint(service, hanging.url);
  await service.call(CLOCK, { body: { action: 'freeze' } });
  await service.call(TRIGGER, { body: { kind: COMPLETED, count: 3 } });

  await pass(service, MOVE);
  // Each delivery was attempted once, side by side, and the response of the advance counts it. The retries are due, and
  // not lost.
  expect(await attemptsOf(service, id)).toEqual([1, 1, 1]);
  for (const { status, error } of await deliveriesOf(service, { webhook_id: id })) {
    expect([status, error]).toEqual(['pending', expect.stringMatching(/in time/)]);
  }
});

test('advance: two receivers that hang cost another none of its attempts, each at its own time', async () => {
  await using service = await startService({ outside: { timeoutMs: 8_000 } });
  await using one = await startRawTarget({ then: 'silence' });
  await using two = await startRawTarget({ then: 'silence' });
  for (const { url } of [one, two]) await hangingEndpoint(service, url);
  await using failing = await aReceiver(service, { handler: answering(500) });
  await service.call(CLOCK, { body: { action: 'freeze' } });
  await service.call(TRIGGER, { body: { kind: COMPLETED } });

  await pass(service, MOVE);
  const [delivery] = await deliveriesOf(service, { webhook_id: failing.id });
  expect(delivery).toMatchObject({ status: 'failed', attempt: 8 });
  expect(new Set(delivery?.attempts.map(({ at }) => at)).size).toBe(8);
  expect([one.connections, two.connections]).toEqual([1, 1]);
});
