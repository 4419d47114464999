/** The keys that a case of the review queue takes, with its hits and one reason. */
import { expect } from 'vitest';
import { selectedRow } from '../../../src/tui/state/reading.ts';
import { aLoadedRuntime, press } from '../../support/a-runtime.ts';
import { aCase, sourceOf, test } from './a-source.ts';
import '../../support/tier-all.ts';

const REASON = 'the same photo';
const CASES = 15;

test('a case with its hits takes at most 8 keys besides one reason, and a queue of 15 at most 130', async ({
  service,
}) => {
  const cases: string[] = [];
  for (let at = 0; at < CASES; at += 1) cases.push(await aCase(service));
  const source = await sourceOf(service);
  const start = { screen: 'reviews', params: {} } as const;
  const runtime = await aLoadedRuntime({ source: () => source }, { start });
  let count = 0;
  const pressed = (...keys: string[]) => {
    press(runtime, ...keys);
    count += keys.length;
  };

  for (let at = 0; at < CASES; at += 1) {
    const before = count;
    pressed(at === 0 ? 'enter' : 'n');
    await expect.poll(() => runtime.getState().views.at(-1)?.place.params['fp_id']).toBe(cases[at]);
    await expect.poll(() => selectedRow(runtime.getState())).toBeDefined();
    // In one burst: what needs loaded choices waits for them.
    pressed('d', '2', 'enter');
    if (at === 0) for (const key of REASON) runtime.dispatch({ type: 'key', key, now: 0 });
    else pressed('down');
    pressed('enter', 'enter');
    await expect.poll(() => runtime.getState().overlay?.kind).toBe('confirm');
    const { overlay } = runtime.getState();
    const lines = overlay?.kind === 'confirm' ? overlay.lines : [];
    expect(lines.join(' ')).toContain(REASON);
    expect(lines.join(' ')).toMatch(
      /Nobody has decided on watchlist_hit_\w+ .*They are decided on, too: confirmed\./,
    );
    pressed('y');
    await expect.poll(() => runtime.getState().busy).toBeUndefined();
    expect(count - before).toBeLessThanOrEqual(8);
  }

  expect(count).toBeLessThanOrEqual(130);
  for (const fp_id of cases) {
    const hits = await service.call('GET /_kyclone/entities/{fp_id}/hits', { params: { fp_id } });
    expect(
      hits.body.every(({ review }) => review?.decision === 'confirmed' && review.reason === REASON),
    ).toBe(true);
  }
  expect((await service.call('GET /_kyclone/reviews')).body.data).toEqual([]);
});
