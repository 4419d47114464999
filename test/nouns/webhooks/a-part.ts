/** Webhooks alone, on a store of their own. Only the test runs what falls due. */
import { onTestFinished } from 'vitest';
import { frozenClock } from '../../support/frozen-clock.ts';
import { createRandomness } from '../../../src/kernel/ids/random.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { ensureSpace } from '../../../src/nouns/api-keys/service/index.ts';
import { createSettings } from '../../../src/nouns/settings/service.ts';
import { createWebhooks } from '../../../src/nouns/webhooks/service/index.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { ephemeralKeyring } from '../../../src/vault/keyring/index.ts';
import { createPrivateValues } from '../../../src/vault/private-values.ts';
import { handled } from '../../support/handled.ts';
import { NOON } from '../../support/service.ts';
import { aReceiver } from './a-receiver.ts';

export interface Published {
  readonly type: string;
  readonly data: object;
}

export function aPart() {
  const database = openDatabase(':memory:');
  ephemeralKeyring(database, NOON);
  const queue = createWriteQueue(database);
  const clock = frozenClock(NOON);
  const settings = createSettings(queue, {});
  const published: Published[] = [];
  const wakes: number[] = [];
  const space = ensureSpace(database, { tenant: 'default', environment: 'sandbox', created_at: NOON });
  const make = () =>
    createWebhooks({
      queue,
      clock,
      settings,
      random: createRandomness(),
      outbound: createOutbound({ self: { host: undefined, port: 4010 }, realNow: () => Date.now() }),
      privateValues: createPrivateValues(new Uint8Array(32)),
      stream: { publish: (type, read) => void published.push({ type, data: read() }) },
      acts: { record: () => undefined },
      wake: () => void wakes.push(clock.now()),
    });
  const webhooks = make();
  const call = handled({ ...webhooks.handlers(() => () => null), ...settings.handlers });
  onTestFinished(async () => {
    await webhooks.stop();
    queue.close();
    database.close();
  });
  return {
    database,
    queue,
    clock,
    space,
    published,
    wakes,
    webhooks,
    call,
    /** Makes a receiver, as `aReceiver` does. */
    receiving: (options?: Parameters<typeof aReceiver>[1]) =>
      aReceiver({ call: async (key, parts) => ({ body: await call(key, parts) }) }, options),
    /** Makes the webhooks again on the same store, as the next start does. */
    restarted: make,
  };
}
