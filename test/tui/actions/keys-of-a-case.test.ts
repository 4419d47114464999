/** The keys that a case of the review queue takes, with its hits and one reason. */
import { expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../../../src/tui/runtime.ts';
import { selectedRow } from '../../../src/tui/state/reading.ts';
import { aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sourceOf } from './a-source.ts';
import '../../support/tier-all.ts';

const REASON = 'the same photo';
const CASES = 15;

async function queueOf(
  service: TestService,
): Promise<{ runtime: Runtime; press: (...keys: string[]) => void; count: () => number }> {
  const source = await sourceOf(service);
  const runtime = createRuntime(
    {
      ...{ instance: 'default', environment: 'sandbox', isReadonly: false, operator: 'Ada' },
      start: { screen: 'reviews', params: {} },
    },
    { columns: 80, rows: 24 },
    {
      source: () => source,
      now: () => 0,
      copy: () => Promise.resolve('copied'),
      showImage: () => false,
      reconnect: () => undefined,
      suspend: () => undefined,
    },
  );
  await expect.poll(() => selectedRow(runtime.getState())).toBeDefined();
  let pressed = 0;
  const press = (...keys: string[]) => {
    for (const key of keys) {
      runtime.dispatch({ type: 'key', key, now: 0 });
      pressed += 1;
    }
  };
  return { runtime, press, count: () => pressed };
}

async function aCase(service: TestService): Promise<string> {
  const fp_id = await service.user(aReadyUser());
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  return fp_id;
}

test('a case with its hits takes at most 8 keys besides one reason, and a queue of 15 at most 130', async () => {
  await using service = await startService();
  const cases: string[] = [];
  for (let at = 0; at < CASES; at += 1) cases.push(await aCase(service));
  const { runtime, press, count } = await queueOf(service);

  for (let at = 0; at < CASES; at += 1) {
    const before = count();
    press(at === 0 ? 'enter' : 'n');
    await expect.poll(() => runtime.getState().views.at(-1)?.place.params['fp_id']).toBe(cases[at]);
    await expect.poll(() => selectedRow(runtime.getState())).toBeDefined();
    // In one burst: what needs loaded choices waits for them.
    press('d', '2', 'enter');
    if (at === 0) for (const key of REASON) runtime.dispatch({ type: 'key', key, now: 0 });
    else press('down');
    press('enter', 'enter');
    await expect.poll(() => runtime.getState().overlay?.kind).toBe('confirm');
    const { overlay } = runtime.getState();
    const lines = overlay?.kind === 'confirm' ? overlay.lines : [];
    expect(lines.join(' ')).toContain(REASON);
    expect(lines.join(' ')).toMatch(
      /Nobody has decided on watchlist_hit_\w+ .*They are decided on, too: confirmed\./,
    );
    press('y');
    await expect.poll(() => runtime.getState().busy).toBeUndefined();
    expect(count() - before).toBeLessThanOrEqual(8);
  }

  expect(count()).toBeLessThanOrEqual(130);
  for (const fp_id of cases) {
    const hits = await service.call('GET /_kyclone/entities/{fp_id}/hits', { params: { fp_id } });
    expect(
      hits.body.every(({ review }) => review?.decision === 'confirmed' && review.reason === REASON),
    ).toBe(true);
  }
  expect((await service.call('GET /_kyclone/reviews')).body.data).toEqual([]);
});
