import { expect, test } from 'vitest';
import { snapshotsScreen } from '../../../src/nouns/snapshots/screen.ts';
import { startService } from '../../support/service.ts';
import { aSource, cellsOf, loadPane } from '../../tui/screens/a-source.ts';

test('snapshots: the newest is first with what it holds; what is copied compares it with now', async () => {
  await using service = await startService();
  const source = aSource((await service.listen()).port);
  const save = (name: string) => service.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
  await save('empty');
  await service.user();
  service.clock.advance(1_000);
  const { body } = await save('full');
  const list = { source, screen: snapshotsScreen, title: 'Snapshots', size: 1 };
  const first = await loadPane(list);
  const [name, saved, size, schema, holds] = cellsOf(first)[0] ?? [];
  expect([name, saved, schema]).toEqual(['full', '2026-03-01 12:00:01', String(body.schema)]);
  expect(size).toMatch(/^\d+ KiB$|^[\d.]+ MiB$/);
  expect(holds).toMatch(/\b1 user\b/);
  expect(first.rows[0]).toMatchObject({
    id: 'full',
    command: ['snapshot', 'diff', 'full'],
    call: { method: 'GET', path: '/_kyclone/snapshots/full/diff' },
  });
  expect(first.total).toBe(2);
  expect(cellsOf(await loadPane(list, first.next ?? ''))[0]?.[0]).toBe('empty');
});
