/** For any input the service doesn't fail with an error of its own, and stored data is returned unchanged. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { vaultOf } from '../support/vault-calls.ts';
import '../support/tier-all.ts';

/** JSON values that the contract accepts: exact numbers, no unpaired surrogates, no null at the top. */
const custom = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
  .map((each) => JSON.parse(JSON.stringify(each)) as unknown)
  .filter((each) => each !== null && isExact(each));

function isExact(each: unknown): boolean {
  if (typeof each === 'number') return !Number.isInteger(each) || Number.isSafeInteger(each);
  return typeof each !== 'object' || each === null || Object.values(each).every(isExact);
}

test('custom: any JSON value is returned unchanged', async () => {
  await using service = await startService();
  const fp_id = await service.user({});
  const vault = vaultOf(service, fp_id);

  await fc.assert(
    fc.asyncProperty(custom, async (sent) => {
      await vault.write({ 'custom.any': sent });
      expect(JSON.stringify((await vault.decrypt(['custom.any']))['custom.any'])).toBe(JSON.stringify(sent));
    }),
    { numRuns: 60 },
  );
});
