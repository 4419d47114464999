/** The errors of a full disk, for every endpoint that declares one. */
import { expect, test } from 'vitest';
import type { EndpointKey } from '../../src/contract/registry.ts';
import { limitFileSize } from '../support/file-size-limit.ts';
import { provocations, setStage } from '../support/samples.ts';
import { startService } from '../support/service.ts';

const declared = Object.entries(provocations).flatMap(([key, errors]) =>
  'storage_full' in errors ? [[key as EndpointKey, errors.storage_full] as const] : [],
);

test.each(declared)('%s: storage_full is reached', async (key, provoke) => {
  await using service = await startService();
  const stage = { ...(await setStage(service)), limitFileSize };

  expect(await service.refused(key, await provoke(stage))).toMatchObject({ code: 'storage_full' });
});
