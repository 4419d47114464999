import { expect, onTestFinished } from 'vitest';
import { UNREADY_REASONS } from '../../src/nouns/control/facts.ts';
import { endpoints } from '../../src/contract/registry.ts';
import { asRefusal } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { test } from '../support/test-with.ts';

const others = endpoints.map(({ key }) => key).filter((key) => !/health|ready/.test(key));

const shared = shareStage();

test.eachWith(UNREADY_REASONS)(
  'GET /_kyclone/ready: says %s while it is so, and health answers all the same',
  async (service, reason) => {
    service.instance.readiness = { ready: false, reason };

    for (const path of ['/_kyclone/ready', '/_kyclone/ready/', '/_kyclone/ready?verbose=1']) {
      const reply = await service.send({ method: 'GET', path, as: null });
      expect(reply).toMatchObject({ status: 503, body: { ready: false, reason } });
    }
    for (const path of ['/_kyclone/health', '/_kyclone/health/', '/_kyclone/health?x']) {
      const reply = await service.send({ method: 'GET', path, as: null });
      expect(reply).toMatchObject({ status: 200, body: { status: 'ok', nonce: service.instance.nonce } });
    }
  },
);

test.each(others)('%s: is 503 while the instance is not ready', async (key) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
  onTestFinished(() => void (service.instance.readiness = { ready: true }));

  service.instance.readiness = { ready: false, reason: 'stopping' };
  expect(asRefusal(await service.send(sample), key)).toMatchObject({ status: 503, code: 'not_ready' });

  service.instance.readiness = { ready: false, reason: 'sealed' };
  expect(asRefusal(await service.send(sample), key)).toMatchObject({ status: 503, code: 'sealed' });
});
