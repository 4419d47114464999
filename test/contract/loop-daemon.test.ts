/** The sample of every endpoint, sent to a real daemon at its own address: what the torture's rounds choose from. */
import '../support/tier-all.ts';
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { startKycloned } from '../support/kycloned.ts';
import { samples } from '../support/samples.ts';
import { asRaw } from '../support/service.ts';
import { sendTo, stageOf } from '../torture/stage.ts';

test('a real daemon serves the sample of every endpoint', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const agent = new Agent({ keepAlive: true });
  const send = sendTo(daemon, agent);
  const refused: string[] = [];
  for (const { key } of endpoints) {
    const { status, text } = await send(asRaw(key, await samples[key](await stageOf(send))));
    if (status !== 200) refused.push(`${key}: ${text}`);
    await daemon.control('POST', '/_kyclone/reset', { body: {} });
  }
  agent.destroy();
  expect(refused).toEqual([]);
});
